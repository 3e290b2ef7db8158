#line
BEGIN { }
