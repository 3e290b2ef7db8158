BEGIN { `answer = 1; }
