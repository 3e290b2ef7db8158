BEGIN { trace(((int *)0)->x); }
