BEGIN { trace(&`flags.a); }
