tick-0sec { }
