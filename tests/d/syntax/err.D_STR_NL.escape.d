BEGIN { x = "a\
b"; }
