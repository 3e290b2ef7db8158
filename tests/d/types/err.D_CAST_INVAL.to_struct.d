BEGIN { x = (struct point)3; }
