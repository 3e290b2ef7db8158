#pragma D binding "one" x
int x;
