t:m:none:entry { trace(args[1]->pr_lwpid); }
