BEGIN { trace(`points[4].x); }
