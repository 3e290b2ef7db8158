void *p;
BEGIN { p++; }
