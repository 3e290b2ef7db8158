BEGIN { trace(`points[1, 2].x); }
