struct s { int a : pid; };
