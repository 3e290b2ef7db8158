struct s { int a; };
translator struct s < int X > { a = "abc"; };
