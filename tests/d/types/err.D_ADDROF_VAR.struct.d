struct point p;
BEGIN { y = &p; }
