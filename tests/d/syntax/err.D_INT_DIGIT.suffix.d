BEGIN { trace(12abc); }
