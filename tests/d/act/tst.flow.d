/* -F: arrows of entries and returns, and lines of all other probes. */
#pragma D option flowindent
BEGIN { }
t:m:hit:entry { trace(args[1]); }
t:m:hit:entry /args[1] == 1/ { printf("second clause"); }
t:m:hit:return /arg1 == -1/ { printf("not the last"); }
t:m:hit:return { trace("back"); }
tick-1sec { }
END { printf("over"); }
