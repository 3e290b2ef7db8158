BEGIN { @a[1]++; }
