BEGIN { tracemem(&`name, -1); }
