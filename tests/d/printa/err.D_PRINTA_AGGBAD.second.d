BEGIN { @ = count(); printa("%@d %@d", @, @b); }
