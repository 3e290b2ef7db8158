nosuch:::x { }
