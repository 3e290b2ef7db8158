struct s { int a; };
translator struct s < int X > { b = X; };
