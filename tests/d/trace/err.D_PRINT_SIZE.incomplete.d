BEGIN { print(*`lost); }
