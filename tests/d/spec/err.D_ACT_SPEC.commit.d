BEGIN { x = speculation(); speculate(x); commit(x); }
