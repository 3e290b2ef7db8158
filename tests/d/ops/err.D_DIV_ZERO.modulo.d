int x;
BEGIN { x %= 3 - 3; }
