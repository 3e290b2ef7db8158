#pragma D option switchrate=0
