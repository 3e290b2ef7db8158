struct s { int n; int a[]; };
