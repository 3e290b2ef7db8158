BEGIN { @ = sum(sym(0)); }
