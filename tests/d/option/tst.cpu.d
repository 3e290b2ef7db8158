/* The scripted guest has one CPU, 0: on another nothing fires but BEGIN, END, tick. */
#pragma D option cpu=3 quiet
t:::entry { n++; }
tick-1sec { t++; }
END { printf("%d %d\n", n, t); }
