BEGIN { trace(`nosuch); }
