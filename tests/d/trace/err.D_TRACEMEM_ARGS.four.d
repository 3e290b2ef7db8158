BEGIN { tracemem(&`name, 1, 2, 3); }
