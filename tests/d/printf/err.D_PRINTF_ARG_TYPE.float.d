BEGIN { printf("%f", execname); }
