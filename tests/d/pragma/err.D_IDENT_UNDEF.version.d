/* A name that is bound to a later version of D than is asked for. */
#pragma D option version=1.2
#pragma D binding "1.3" later
inline int later = 1;
BEGIN { trace(later); }
