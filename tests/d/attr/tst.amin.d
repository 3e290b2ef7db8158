// opts: amin=Stable/Stable/Common
dtrace:::BEGIN { trace(pid); exit(0); }
