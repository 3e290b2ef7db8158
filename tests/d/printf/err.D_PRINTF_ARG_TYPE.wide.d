BEGIN { printf("%ws", execname); }
