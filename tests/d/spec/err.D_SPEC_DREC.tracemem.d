BEGIN { tracemem(&`name, 4); speculate(1); }
