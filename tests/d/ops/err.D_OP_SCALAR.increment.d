struct point p;
BEGIN { p++; }
