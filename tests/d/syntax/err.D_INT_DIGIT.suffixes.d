BEGIN { x = 1lll; }
