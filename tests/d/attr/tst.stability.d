// flags: v
/*
 * Stability is the least of all that a clause names: the fields given in its
 * description; built-in variables, symbols of the guest, arguments of its
 * probes, inlines with their own attributes or those of what they stand for.
 */
#pragma D attributes Evolving/Unstable/ISA own
#pragma D attributes Private/Private/CPU mine
#pragma D attributes Stable/Evolving/Common provider t provider
#pragma D attributes Unstable/Unstable/Common provider t name
#pragma D attributes Obsolete/Obsolete/ISA provider t args
inline string own = curthread == NULL ? "" : "x";
inline uint64_t deep = (uint64_t)curthread + arg1;
inline int calm[int parm] = parm + 1;
int mine;
dtrace:::BEGIN { x = 1; }
BEGIN { trace(`answer); }
BEGIN /`answer == 42/ { x++; }
BEGIN /mine/ { x++; }
END { trace(own); }
dtrace:::BEGIN, tick-1sec { @[calm[1]] = count(); }
t:::entry { y = timestamp; }
t:m:hit:entry { y = curthread->pid; }
t::hit: { y = deep; }
t:m:hit:entry { y = args[0]->pr_lwpid; }
dtrace:::BEGIN { exit(RED == 3 ? 0 : 1); }
