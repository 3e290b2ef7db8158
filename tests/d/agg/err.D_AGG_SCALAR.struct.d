BEGIN { @ = max(`points[0]); }
