BEGIN { self->x = 1; y = &self->x; }
