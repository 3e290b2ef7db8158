/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.c - LD_PRELOAD this to have the program that a command LOADs into the kernel
 * module written to the file $DV_CAPTURE.
 */
#include "dv_kvm.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int
ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	const char *path = getenv("DV_CAPTURE");
	const struct dv_kvm_call *c;
	va_list ap;
	FILE *f;

	va_start(ap, request);
	c = va_arg(ap, void *);
	va_end(ap);
	if (real == NULL)
		real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	if (request == DV_KVM_CALL && c->hdr.type == DV_CTL_LOAD && path != NULL &&
	    (f = fopen(path, "w")) != NULL) {
		fwrite((const void *)(uintptr_t)c->body, 1, c->hdr.len, f);
		fclose(f);
	}
	return real(fd, request, c);
}
