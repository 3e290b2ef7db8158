#pragma D attributes Stable/Stable/Nothing x
BEGIN { }
