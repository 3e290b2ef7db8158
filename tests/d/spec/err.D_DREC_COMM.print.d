BEGIN { commit(1); print(1); }
