BEGIN { print(curpsinfo); }
