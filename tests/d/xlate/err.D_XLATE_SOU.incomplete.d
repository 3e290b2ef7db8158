struct f;
translator struct f < int I > { x = I; };
