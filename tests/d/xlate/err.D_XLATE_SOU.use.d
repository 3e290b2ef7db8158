BEGIN { trace(xlate<int>(1)); }
