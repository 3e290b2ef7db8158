struct o { int a; };
translator struct o < int I > { a = I; };
BEGIN { trace(xlate<struct o *>(1).a); }
