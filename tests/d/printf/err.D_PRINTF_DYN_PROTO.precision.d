BEGIN { printf("%*.*d", 5); }
