typedef nosuch_t mine_t;
