translator int < int X > { a = X; };
