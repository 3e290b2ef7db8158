BEGIN { tracemem(stack(), 8); }
