BEGIN { timestamp += 2; }
