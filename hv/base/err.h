/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - what went wrong, for the person who reads it. */
#ifndef DV_ERR_H
#define DV_ERR_H

#include <stdint.h>

/*
 * Every user-side function that can fail returns 0 or one of these, and fills
 * the caller's struct dv_err. Values are negative, so that a function may
 * return a count or a code.
 */
enum {
	DV_E_NOMEM	= -1,	/* out of memory, or over a memory cap */
	DV_E_IO		= -2,	/* a file, socket or process failed us */
	DV_E_INVAL	= -3,	/* an argument is not acceptable */
	DV_E_NOENT	= -4,	/* there is no such thing */
	DV_E_PERM	= -5,	/* not allowed */
	DV_E_UNSUP	= -6,	/* could be asked, but is not supported here */
	DV_E_FORMAT	= -7,	/* bytes do not have the form they should */
	DV_E_GUEST	= -8,	/* the guest is not as expected, or gone */
	DV_E_BUSY	= -9,	/* somebody else has it */
	DV_E_AGAIN	= -10,	/* not now; a retry may help */
	DV_E_COMPILE	= -11,	/* a D program is wrong: see tag, line, col */
	DV_E_USAGE	= -12,	/* the command line is wrong */
	DV_E_LIMIT	= -13,	/* as DV_E_COMPILE: beyond a limit of the compiler */
};

struct dv_err {
	int		code;		/* 0, or DV_E_* */
	char		text[1024];	/* one line, no final stop or newline */
	uint32_t	line, col;	/* place in a source, from 1; 0: none */
	char		tag[32];	/* D error tag without brackets, or "" */
	char		hint[384];	/* more lines, each ended by a newline; or "" */
};

/*
 * Sets code and text, and forgets place, tag and hint. Control characters in the
 * text come out escaped, a long text is cut. The arguments may point into the
 * old text. Returns code. E may be NULL.
 */
int  dv_err_set(struct dv_err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a line to the hint; what does not fit as a whole is left out. E may be NULL. */
void dv_err_hint(struct dv_err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets and returns DV_E_NOMEM. E may be NULL. */
int  dv_err_nomem(struct dv_err *e);

/* Puts "prefix: " before the text. E may be NULL. */
void dv_err_prefix(struct dv_err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
