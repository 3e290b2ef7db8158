void *p;
BEGIN { trace(p[1]); }
