struct s { int x:0; };
