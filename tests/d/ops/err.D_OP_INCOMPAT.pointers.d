BEGIN { trace(curthread == &`answer); }
