BEGIN { x = speculation(); speculate(x); discard(x); }
