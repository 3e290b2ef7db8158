this int x;
BEGIN { this->x[1, 2] = 1; }
