struct s { int x:33; };
