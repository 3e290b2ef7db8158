t:m:zzz*: { }
