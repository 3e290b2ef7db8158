struct o { int v; };
translator struct o < int I > { v = args[1]; };
