BEGIN { @ = count(); } BEGIN { commit(1); printa(@); }
