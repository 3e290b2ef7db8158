BEGIN { sym(execname); }
