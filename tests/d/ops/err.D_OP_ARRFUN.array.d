BEGIN { `name = `name; }
