struct f;
BEGIN { trace(offsetof(struct f, x)); }
