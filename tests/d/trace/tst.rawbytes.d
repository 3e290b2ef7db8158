/* SPDX-License-Identifier: GPL-2.0-or-later */
// opts: rawbytes=1
#pragma D option quiet
struct word { char c[4]; };
BEGIN { this->p = (char *)alloca(4); bcopy("abc", this->p, 4); trace(*(struct word *)this->p); exit(0); }
