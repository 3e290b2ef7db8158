BEGIN { "a" = "b"; }
