BEGIN { trace(`lost->x); }
