BEGIN { denormalize(@x); }
