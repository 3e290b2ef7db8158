struct o { int a; int b; };
translator struct o < int I > { a = I; };
BEGIN { trace(xlate<struct o>(1).b); }
