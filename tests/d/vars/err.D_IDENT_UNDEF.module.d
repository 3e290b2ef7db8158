BEGIN { trace(nomod`answer); }
