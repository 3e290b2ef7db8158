#pragma D option cpu=0 quiet
t:::entry { n++; }
END { printf("%d\n", n); }
