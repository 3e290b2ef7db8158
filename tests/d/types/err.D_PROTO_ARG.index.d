int a[3];
BEGIN { a["x"] = 0; }
