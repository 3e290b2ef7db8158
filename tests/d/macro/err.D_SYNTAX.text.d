// args: a/b
BEGIN { trace($1); }
