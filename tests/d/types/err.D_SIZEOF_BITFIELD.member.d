BEGIN { trace(sizeof (`flags.a)); }
