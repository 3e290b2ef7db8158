int f(self int a);
