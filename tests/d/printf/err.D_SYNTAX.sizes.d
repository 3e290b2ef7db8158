BEGIN { printf("%hhld", 1); }
