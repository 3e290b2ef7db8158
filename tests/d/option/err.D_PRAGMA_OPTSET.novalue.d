#pragma D option knodefs
