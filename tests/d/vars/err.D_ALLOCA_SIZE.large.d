BEGIN { p = alloca(10000000); }
