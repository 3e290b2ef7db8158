BEGIN { `points[0].x = 1; `name = `name; }
