BEGIN { freopen("/tmp/.."); }
