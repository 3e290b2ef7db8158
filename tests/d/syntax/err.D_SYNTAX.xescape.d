BEGIN { x = "\xzz"; }
