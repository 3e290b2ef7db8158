// opts: argref
// args: a b c
BEGIN { printf("%s\n", $$2); exit(0); }
