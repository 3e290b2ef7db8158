BEGIN { y = &rand(); }
