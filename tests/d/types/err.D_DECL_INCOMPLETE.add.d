struct f *p;
BEGIN { p = p + 1; }
