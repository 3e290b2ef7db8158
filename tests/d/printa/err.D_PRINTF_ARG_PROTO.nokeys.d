BEGIN { @ = count(); printa("%d %@d", @); }
