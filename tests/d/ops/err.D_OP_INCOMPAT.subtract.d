BEGIN { trace(curthread - &`answer); }
