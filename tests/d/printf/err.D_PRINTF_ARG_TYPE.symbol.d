BEGIN { printf("%k", sym(0)); }
