BEGIN { trace((int)probename); }
