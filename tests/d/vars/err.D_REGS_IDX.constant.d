BEGIN { trace(regs[256]); }
