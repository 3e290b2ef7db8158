inline int a = 1;
inline int a = 2;
