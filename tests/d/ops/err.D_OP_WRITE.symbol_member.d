BEGIN { i = 1; `points[i].x++; }
