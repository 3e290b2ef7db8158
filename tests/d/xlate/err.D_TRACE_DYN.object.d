BEGIN { trace(curlwpsinfo); }
