BEGIN { clear(@a); }
