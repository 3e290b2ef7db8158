int a[int];
BEGIN { a["x"] = 1; }
