BEGIN { exit("1"); }
