// opts: quiet
/* A probe that two descriptions match is enabled twice. */
BEGIN, BEGIN { printf("%d\n", ++n); }
t:m:hit:entry, :::entr? { @[probemod] = count(); }
