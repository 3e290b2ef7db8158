BEGIN { x = 1; 
