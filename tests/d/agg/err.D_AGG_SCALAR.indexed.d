BEGIN { @two[1] = sum(@c[1]); }
