BEGIN { system("kill %d", execname); }
