BEGIN { x = speculation(); speculate(x); freopen("/tmp/x"); }
