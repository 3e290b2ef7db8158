// lib: lib/needs-nosuch.dlib lib/needs-after.dlib
BEGIN { trace(AFTER); }
