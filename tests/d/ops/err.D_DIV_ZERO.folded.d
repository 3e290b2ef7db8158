BEGIN { trace(timestamp % (2 - 2)); }
