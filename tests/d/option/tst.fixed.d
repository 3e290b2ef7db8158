/* What DTrace lets one choose and is always so here can be said. */
#pragma D option evaltime=exec linkmode=kernel iregs=8 tregs=8 late=dynamic
#pragma D option version=1.6 quiet
BEGIN { printf("on\n"); exit(0); }
