struct o { int a; };
translator struct o < struct point *P > { a = P->nosuch; };
