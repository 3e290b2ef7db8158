BEGIN { if (probename) trace(1); }
