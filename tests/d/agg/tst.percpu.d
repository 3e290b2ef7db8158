// opts: aggpercpu
/* A row for each CPU: here the vCPU and the host's, both number 0. */
BEGIN { @c["k"] = count(); @n = sum(3); }
t:m:hit:entry { @c["k"] = count(); @n = sum(1); @q = quantize(args[1]); }
END { setopt("aggpercpu", "0"); }
