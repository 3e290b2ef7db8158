BEGIN { y = &pid; }
