BEGIN { x = 'a\
b'; }
