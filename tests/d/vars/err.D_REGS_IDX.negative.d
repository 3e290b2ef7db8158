BEGIN { trace(regs[-1]); }
