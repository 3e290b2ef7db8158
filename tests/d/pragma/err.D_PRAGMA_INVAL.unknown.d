#pragma D nosuch x
BEGIN { }
