inline int x = x + 1;
