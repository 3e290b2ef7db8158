struct o { int a; };
translator struct o < int > { a = 1; };
