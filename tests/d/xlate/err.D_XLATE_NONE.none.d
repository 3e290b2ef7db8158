struct s { int a; };
BEGIN { trace(xlate<struct s>(1).a); }
