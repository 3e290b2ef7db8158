BEGIN { while (1) ; }
