t:m:none:entry { trace(args[0]->x); }
