BEGIN { trace(timestamp.x); }
