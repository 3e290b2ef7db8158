int *a[int][int];
