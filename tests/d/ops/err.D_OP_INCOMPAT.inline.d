inline int x = "abc";
