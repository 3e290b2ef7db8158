BEGIN { @a += 1; }
