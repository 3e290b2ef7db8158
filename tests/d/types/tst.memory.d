/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizeof, offsetof, stringof, casts and pointers through the guest's memory. */
#pragma D option quiet
struct s { int a; char b[10]; string c; struct s *n; };
BEGIN { printf("%d %d %d %d\n", offsetof(struct s, b), offsetof(struct s, n), sizeof(struct s), sizeof(((struct s *)0)->b));
 printf("%s\n", stringof("abc")); printf("%s\n", stringof(`name)); printf("%s\n", (string)`name); printf("%s\n", stringof(&`name[0])); printf("%s\n", stringof curthread->comm);
 printf("%d\n", sizeof curthread->pid); printf("%d\n", sizeof(*curthread)); printf("%d\n", (*curthread).pid); printf("%d\n", curthread[0].pid);
 printf("%d\n", ((struct task_struct *)(uintptr_t)curthread)->tgid); printf("%d\n", *(int *)((char *)curthread + offsetof(struct task_struct, pid)));
 this->p = &curthread->pid; printf("%d\n", *this->p); printf("%d\n", `cur->pid); printf("%d\n", (&`points[1])->x); printf("%d\n", (`points + 2)->x); printf("%d\n", *&`answer);
 printf("%d\n", vmlinux`answer); exit(0); }
