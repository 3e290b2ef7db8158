struct s { void x; };
