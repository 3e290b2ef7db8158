BEGIN { x = pid_t; }
