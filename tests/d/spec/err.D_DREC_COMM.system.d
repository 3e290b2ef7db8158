BEGIN { commit(1); system("x"); }
