BEGIN { printf("%b", 1); }
