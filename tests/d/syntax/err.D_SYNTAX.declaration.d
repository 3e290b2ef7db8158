int x, ;
