// lib: lib/needs-nosuch.dlib
BEGIN { trace(WITHOUT); }
