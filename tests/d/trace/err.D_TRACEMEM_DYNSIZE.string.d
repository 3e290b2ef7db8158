BEGIN { tracemem(&`name, 16, "x"); }
