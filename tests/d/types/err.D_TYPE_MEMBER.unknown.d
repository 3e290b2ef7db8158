BEGIN { trace(`flags.nosuch); }
