BEGIN { tracemem(`points[0], 4); }
