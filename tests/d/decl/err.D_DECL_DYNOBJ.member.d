struct s { int f(int); };
