/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.d - the current thread, its process and its CPU.
 *
 * The types and their translators from the kernel's own structures depend on
 * the kernel and are made for each guest; without one these names have no
 * meaning and say so.
 */
translator cpuinfo_t < int C > {
	cpu_id = C;
};

#pragma D attributes Stable/Stable/Common curlwpsinfo
#pragma D attributes Stable/Stable/Common curpsinfo
#pragma D attributes Stable/Stable/Common curcpu
inline lwpsinfo_t *curlwpsinfo = xlate<lwpsinfo_t *>(curthread);
inline psinfo_t *curpsinfo = xlate<psinfo_t *>(curthread);
inline cpuinfo_t *curcpu = xlate<cpuinfo_t *>(cpu);
