struct o { int a; };
translator struct o < int I > { a = I; };
translator struct point < struct o O > { x = O.a; };
BEGIN { trace(xlate<struct point>(xlate<struct o>(1)).x); }
