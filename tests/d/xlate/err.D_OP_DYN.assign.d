struct o { int a; };
translator struct o < int I > { a = I; };
BEGIN { x = xlate<struct o>(1); }
