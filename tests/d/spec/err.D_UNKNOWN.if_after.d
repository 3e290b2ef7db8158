BEGIN { speculate(1); if (1) { trace(1); } }
