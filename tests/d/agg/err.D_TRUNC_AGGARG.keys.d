BEGIN { @[1] = count(); trunc(@[1]); }
