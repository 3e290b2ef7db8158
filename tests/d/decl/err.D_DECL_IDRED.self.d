self int a;
self string a;
