struct s { int a : 3; } s;
BEGIN { trace(sizeof s.a); }
