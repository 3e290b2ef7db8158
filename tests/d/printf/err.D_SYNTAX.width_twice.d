BEGIN { printf("%5*d", 1, 2); }
