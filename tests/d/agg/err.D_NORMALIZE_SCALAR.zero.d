BEGIN { @ = count(); normalize(@, 0); }
