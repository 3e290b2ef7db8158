BEGIN { printf("%p", stack()); }
