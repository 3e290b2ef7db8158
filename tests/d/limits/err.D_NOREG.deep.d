BEGIN { trace((pid+1)*((pid+2)*((pid+3)*((pid+4)*((pid+5)*((pid+6)*((pid+7)*((pid+8)*((pid+9)*(x++)))))))))); }
