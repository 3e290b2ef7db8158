struct f *p;
BEGIN { trace(p[1].x); }
