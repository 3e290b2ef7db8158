inline int ONE = 1;
BEGIN { ONE = 2; }
