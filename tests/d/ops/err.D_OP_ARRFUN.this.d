struct s { int a[3]; } s;
BEGIN { s.a = s.a; }
