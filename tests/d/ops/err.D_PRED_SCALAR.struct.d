BEGIN /`flags/ { }
