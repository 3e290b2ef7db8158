typedef int t1;
typedef char t1;
