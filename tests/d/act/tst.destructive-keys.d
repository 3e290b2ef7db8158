/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clause may change the guest wherever it computes something. */
// opts: destructive=1
#pragma D option quiet
BEGIN /(copyout(probename, 0, 5), 1)/ { printf("predicate\n"); }
BEGIN { @a[(copyout(probename, 0, 5), 1)] = count(); }
BEGIN { @b = sum((copyout(probename, 0, 5), 1)); }
BEGIN { @c = quantize(1, (copyout(probename, 0, 5), 1)); }
BEGIN { sym((copyout(probename, 0, 5), (uintptr_t)curthread)); }
BEGIN { trace((copyout(probename, 0, 5), 1)); }
ERROR { printf("fault %d in %d\n", arg4, arg1); }
END { printf("end\n"); }
