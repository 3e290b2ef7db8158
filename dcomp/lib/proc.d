/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.d - the current thread, its process and its CPU.
 *
 * The types and their translators from the kernel's own structures depend on
 * the kernel and are made for each guest; without one these names have no
 * meaning and say so.
 */
#pragma D attributes Stable/Stable/Common curlwpsinfo
#pragma D attributes Stable/Stable/Common curpsinfo
#pragma D attributes Stable/Stable/Common curcpu
inline lwpsinfo_t *curlwpsinfo = xlate<lwpsinfo_t *>(curthread);
inline psinfo_t *curpsinfo = xlate<psinfo_t *>(curthread);
inline cpuinfo_t *curcpu = xlate<cpuinfo_t *>(cpu);

#pragma D attributes Stable/Stable/Common chip
#pragma D attributes Stable/Stable/Common pset
#pragma D attributes Stable/Stable/Common lgrp
#pragma D attributes Stable/Stable/Common execargs
#pragma D attributes Stable/Stable/Common cwd
#pragma D attributes Stable/Stable/Common root
inline int chip = xlate<cpuinfo_t>((int)cpu).cpu_chip;
inline int pset = xlate<cpuinfo_t>((int)cpu).cpu_pset;
inline int lgrp = xlate<cpuinfo_t>((int)cpu).cpu_lgrp;
inline string execargs = xlate<psinfo_t>(curthread).pr_psargs;
inline string cwd = d_path(&curthread->fs->pwd);
inline string root = d_path(curthread->fs);
