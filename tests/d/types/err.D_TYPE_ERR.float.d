struct f { long double d; } *p;
BEGIN { x = p->d; }
