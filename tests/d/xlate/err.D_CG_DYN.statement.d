BEGIN { curlwpsinfo; }
