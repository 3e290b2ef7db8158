int x;
char *x;
