BEGIN { printf("%d", printf("x")); }
