struct s { self int x; };
