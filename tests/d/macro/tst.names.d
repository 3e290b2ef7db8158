// args: BEGIN arg0 @x
/* A macro may stand for a part of a description, and for a name. */
dtrace:::$1 { trace($2); printf("%s", $$3); exit(0); }
