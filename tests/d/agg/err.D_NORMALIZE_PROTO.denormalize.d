BEGIN { @ = count(); denormalize(@, 1); }
