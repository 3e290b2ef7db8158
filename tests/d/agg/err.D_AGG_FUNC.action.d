BEGIN { @ = trace(1); }
