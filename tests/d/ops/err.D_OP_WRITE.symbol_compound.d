BEGIN { `ticks += 1; }
