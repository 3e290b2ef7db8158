BEGIN { @ = count(); printa("%@b", @); }
