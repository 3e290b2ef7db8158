#pragma D error this is wrong
BEGIN { }
