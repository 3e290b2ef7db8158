BEGIN { trace(`points[-1].x); }
