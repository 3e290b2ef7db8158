long struct point x;
