struct o { int a; };
translator struct o < int I > { a = J; };
