BEGIN { trace(self->nosuch); }
