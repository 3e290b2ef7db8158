BEGIN { @[`name] = count(); printa("%p %@d", @); }
