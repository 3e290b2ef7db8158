int x;
int x(int);
