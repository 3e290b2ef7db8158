#pragma D option amin=Stable/Stable/Common
tick-1sec { x = 1; }
