/* Pragmas of others, ident lines and lines of cpp are passed over. */
#pragma ident "@(#)x"
#pragma nosuch thing
#ident "x"
#
# 0 "<built-in>"
# 5 "x.d" 2 3
#line 6 "y.d"
#pragma D depends_on provider t
#pragma D depends_on module m
#pragma D option quiet strsize=64
#pragma D binding "1.2.3" fine
inline int fine = 3;
BEGIN { printf("%d\n", fine); exit(0); }
