BEGIN { a[1] = 0; a["x"] = 1; }
