BEGIN { @ = sum(1, 2); }
