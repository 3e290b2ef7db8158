#pragma D option amin=Stable/Stable
