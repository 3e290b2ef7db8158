BEGIN { trace(*`points[1]); }
