BEGIN { trace(timestamp->x); }
