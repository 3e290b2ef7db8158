BEGIN { tracemem(curthread); }
