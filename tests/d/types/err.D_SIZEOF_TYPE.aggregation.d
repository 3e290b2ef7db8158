BEGIN { trace(sizeof (@a)); }
