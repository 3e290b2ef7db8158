BEGIN { trace(0189); }
