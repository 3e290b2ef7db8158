#pragma D option cpp
BEGIN { }
