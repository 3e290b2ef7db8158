int x;
BEGIN { x = "abc"; }
