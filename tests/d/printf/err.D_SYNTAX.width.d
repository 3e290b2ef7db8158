BEGIN { printf("%100000d", 1); }
