BEGIN { trace($projid); }
