#line 0
BEGIN { }
