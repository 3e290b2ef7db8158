BEGIN { freopen("/tmp/"); }
