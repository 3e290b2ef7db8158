#error this too
BEGIN { }
