BEGIN { trace(*probename); }
