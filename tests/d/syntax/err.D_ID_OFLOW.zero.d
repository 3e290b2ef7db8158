0 { trace(1); }
