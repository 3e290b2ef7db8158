BEGIN { trace(stringof(@a)); }
