int (*f)(int);
BEGIN { f = f + 1; }
