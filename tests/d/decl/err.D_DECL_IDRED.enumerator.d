enum a { ONE };
enum b { ZERO, ONE };
