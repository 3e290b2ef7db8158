#pragma D option linkmode=static
