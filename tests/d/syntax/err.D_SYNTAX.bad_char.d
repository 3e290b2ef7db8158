BEGIN { trace(1) # }
