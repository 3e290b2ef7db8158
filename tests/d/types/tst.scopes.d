/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and symbols of a module. */
#pragma D option quiet
struct vmlinux`task_struct *t;
vmlinux`mine m;
BEGIN { t = curthread; printf("%d\n", t->pid); printf("%d\n", sizeof(struct vmlinux`point)); this->q = (struct vmlinux`point *)&`points; printf("%d\n", this->q[1].x); this->x = (vmlinux`mine)3; exit(0); }
