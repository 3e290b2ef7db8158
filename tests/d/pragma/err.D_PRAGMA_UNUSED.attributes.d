#pragma D attributes Stable/Stable/Common never
BEGIN { }
