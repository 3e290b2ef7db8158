struct s { int a : 3; } *p;
BEGIN { y = &p->a; }
