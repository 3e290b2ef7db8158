struct o { int a; };
translator struct o < int I > { a = 1; a = 2; };
