BEGIN { @ = count(); clear(@, 1); }
