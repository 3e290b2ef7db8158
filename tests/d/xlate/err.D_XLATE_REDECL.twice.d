struct s { int a; };
translator struct s < int X > { a = X; };
translator struct s < int X > { a = X; };
