// opts: defaultargs
BEGIN { printf("%d <%s> %d\n", $1, $$2, $7); exit(0); }
