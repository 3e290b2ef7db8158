inline int r[int a] = a > 0 ? r[a - 1] : 0;
BEGIN { trace(r[3]); }
