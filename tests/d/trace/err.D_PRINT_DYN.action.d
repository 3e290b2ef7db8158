BEGIN { print(sym(0)); }
