BEGIN { trace(stringof(`flags)); }
