BEGIN { discard(execname); }
