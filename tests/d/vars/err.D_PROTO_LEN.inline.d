inline int f[int a] = a;
BEGIN { trace(f[1, 2]); }
