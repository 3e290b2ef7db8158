#pragma D option cpu=first
