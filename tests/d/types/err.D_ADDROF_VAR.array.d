int a[3];
BEGIN { y = &a; }
