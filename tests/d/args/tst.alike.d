// opts: quiet
/* What the probes of a clause have in common, up to the first that differs. */
t:m:hit:entry, u:m:alike:entry { printf("%d\n", args[0]->pr_lwpid); }
