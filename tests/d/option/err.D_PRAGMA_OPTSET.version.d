#pragma D option version=9.9
