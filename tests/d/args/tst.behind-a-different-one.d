// opts: quiet
/* An argument that all have, though the one before it differs. */
u:m:alike:entry, t:m:hit:entry { printf("%d\n", args[2]->cpu_id); }
