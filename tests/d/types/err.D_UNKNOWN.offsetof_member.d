BEGIN { trace(offsetof(struct bits, z)); }
