// lib: lib/needs-t.dlib lib/needs-nosuch.dlib lib/needs-after.dlib
// flags: v
/* What depends on something that is not there harms only who uses it. */
dtrace:::BEGIN { trace(WITH_T); exit(0); }
