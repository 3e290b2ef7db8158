int a;
BEGIN { trace(a[1]); }
