struct o { int v; };
translator struct o < int I > { v = I; };
BEGIN { trace(sizeof (xlate<struct o>(1))); }
