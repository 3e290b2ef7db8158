BEGIN { sym(1); commit(1); }
