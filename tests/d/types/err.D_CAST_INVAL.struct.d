BEGIN { trace((int)`points[0]); }
