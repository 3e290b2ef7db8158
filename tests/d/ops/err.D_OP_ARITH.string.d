BEGIN { trace(-execname); }
