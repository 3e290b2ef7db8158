BEGIN { trace(-curthread); }
