BEGIN { tracemem(curthread, timestamp); }
