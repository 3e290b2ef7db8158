BEGIN { `flags.a = 1; }
