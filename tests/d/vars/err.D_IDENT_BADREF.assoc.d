int a[int];
BEGIN { trace(a); }
