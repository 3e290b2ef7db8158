BEGIN { trace(offsetof(struct bits, a)); }
