BEGIN { x = "abc
