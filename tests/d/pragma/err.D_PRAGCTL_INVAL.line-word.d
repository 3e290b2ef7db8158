#line 5 x
BEGIN { }
