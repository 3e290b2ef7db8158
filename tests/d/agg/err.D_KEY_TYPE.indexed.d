BEGIN { @a[@b[1]] = count(); }
