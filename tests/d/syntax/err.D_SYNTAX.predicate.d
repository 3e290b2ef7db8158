BEGIN /x == 1 { }
