BEGIN { x = (int [3])curthread; }
