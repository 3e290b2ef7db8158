BEGIN { x = 12ab; }
