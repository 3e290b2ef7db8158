#pragma D binding "1.0" SIGINT
BEGIN { trace(SIGINT); }
