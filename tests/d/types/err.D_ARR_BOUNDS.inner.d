int m[2][3];
BEGIN { m[1][3] = 0; }
