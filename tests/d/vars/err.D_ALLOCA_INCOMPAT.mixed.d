BEGIN { p = alloca(8); p = (void *)curthread; }
