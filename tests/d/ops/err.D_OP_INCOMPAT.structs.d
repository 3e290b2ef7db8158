struct other { int a; } o;
BEGIN { o = `points[0]; }
