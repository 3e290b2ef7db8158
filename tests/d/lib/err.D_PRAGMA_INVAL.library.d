// lib: lib/pragma.dlib
BEGIN { exit(0); }
