// opts: amin=Unstable/Stable/Common
dtrace:::BEGIN { x = 1; }
dtrace:::BEGIN { trace(curthread->pid); }
