/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot.h - guests that dvisor starts itself: `--boot` and `dvisor guest`. */
#ifndef DV_BOOT_H
#define DV_BOOT_H
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct dv_boot {
	const char *name;		/* of the guest; made up if NULL */
	const char *kernel, *initrd, *append;	/* NULL: the default image's */
	char *const *qemu_args;
	size_t nqemu_args;
	bool hold;			/* stop at the first kernel instruction */
	bool background;		/* lives on after us */
};

struct dv_booted {
	pid_t pid;
	char name[64];
	char sock[256];			/* control socket */
};

/*
 * Starts QEMU with the plugin and waits until its control socket answers. With
 * a failure nothing is left behind, and err holds QEMU's own last words.
 */
int  dv_boot_start(const struct dv_boot *b, struct dv_err *err, struct dv_booted *ret);
/* Ends a guest that dv_boot_start() began: asks, waits 5 s, kills. */
void dv_boot_stop(const struct dv_booted *g);

/* `dvisor guest ...`, `dvisor doctor`: exit status. */
int  dv_guest_main(int argc, char **argv);
int  dv_doctor_main(int argc, char **argv);

#endif
