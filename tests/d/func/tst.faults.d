/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a subroutine cannot do is a fault: tag, address, and the clause ends. */
#pragma D option quiet
#pragma D option scratchsize=4k
ERROR { printf("fault %d 0x%x\n", arg4, arg4 == 1 && arg5 < 0x10000 ? arg5 : 0); }
BEGIN { trace(lltostr(1, 1)); }
BEGIN { trace(lltostr(1, 37)); }
BEGIN { trace(strtoll("1", 0)); }
BEGIN { trace(strtoll("1", -10)); }
BEGIN { trace(inet_ntop(26, alloca(16))); }
BEGIN { trace(link_ntop(2, alloca(16))); }
BEGIN { trace(inet_ntoa((ipaddr_t *)0x10)); }
BEGIN { trace(inet_ntoa6((in6_addr_t *)0x20)); }
BEGIN { trace(link_ntop(ARPHRD_ETHER, (void *)0x30)); }
BEGIN { trace(strlen(stringof((char *)0x40))); }
BEGIN { trace(strjoin("a", stringof((char *)0x50))); }
BEGIN { trace(strchr(stringof((char *)0x60), 'a')); }
BEGIN { trace(strtok(stringof((char *)0x70), "a")); }
BEGIN { trace(memstr((void *)0x80, '.', 4)); }
BEGIN { trace(json(stringof((char *)0x90), "a")); }
BEGIN { bcopy((void *)0xa0, alloca(4), 4); }
BEGIN { bcopy("abc", (void *)0xb0, 4); }
BEGIN { bcopy("abc", alloca(8), 9); }
BEGIN { s = "global"; bcopy("abc", s, 4); }
BEGIN { copyinto(0xc0, 4, alloca(4)); }
BEGIN { copyinto(0xd0, 4, (void *)0xe0); }
BEGIN { trace(copyinstr(0xf0)); }
BEGIN { trace(*(int *)copyin(0x100, 4)); }
BEGIN { i = 4097; trace((uintptr_t)alloca(i)); }
BEGIN { i = -1; trace((uintptr_t)alloca(i)); }
BEGIN { i = 5000; trace(*(int *)copyin(0x100, i)); }
BEGIN { this->p = alloca(4000); trace(strjoin("abc", probename)); trace(copyinstr(0x100)); }
BEGIN { trace(strchr("abc", 'x')); }
BEGIN { printf("still here\n"); exit(0); }
