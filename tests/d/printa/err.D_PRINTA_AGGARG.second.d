BEGIN { @ = count(); printa(@, 1); }
