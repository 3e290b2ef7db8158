self int a[3];
BEGIN { self->a[1, 2] = 0; }
