BEGIN { y = &"abc"; }
