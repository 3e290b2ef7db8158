int a[self int];
