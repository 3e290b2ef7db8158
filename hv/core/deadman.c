/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadman.c - a trace that starves its guest is ended.
 *
 * Each hit is bounded, so a guest always goes on; but where hits are many and
 * clauses long, a vCPU may do hardly anything else, and the guest's own watchdogs
 * begin to bark. DTrace aborts such tracing, and so do we. To take the time at
 * each hit would make it dearer, so the cleaner, which comes by some hundred times
 * a second, looks who is in the machine: a CPU whose gate is taken, or that wants
 * to be in and only lets somebody go first, such as the cleaner. Who was found
 * there at 99 of 100 looks over half a minute spends 99 hundredths of its time on
 * probes. Then nothing fires any more, but END.
 *
 * With destructive actions permitted nothing is aborted, as in D: to starve may be
 * what is wanted (chill()). The opposite, a host that starves, needs no help from
 * here: a command that is not heard from ends its trace (dv_ctl.h).
 */
#include "deadman.h"

#include "state_impl.h"

static void
begin(struct dv_state *s, uint64_t now)
{
	uint32_t i;

	s->deadman.since = now;
	s->deadman.looks = 0;
	for (i = 0; i < s->nvcpu; i++)
		s->cpus[i].found_busy = 0;
}

void
dv_deadman_look(struct dv_state *s)
{
	struct dv_ctx ctx = { .vcpu = -1 };
	uint32_t life = DV_LIFE_ACTIVE, i;
	bool starves = false;
	uint64_t now;

	if (dv_load32(&s->life) != DV_LIFE_ACTIVE ||
	    dv_prog_opt(&s->prog, DV_OPT_DESTRUCTIVE) != 0)
		return;
	now = s->c.clock(&ctx);
	if (s->deadman.since == 0)
		begin(s, now);
	s->deadman.looks++;
	for (i = 0; i < s->nvcpu; i++)
		s->cpus[i].found_busy += dv_load32(&s->cpus[i].gate.taken) != 0 ||
		    dv_load32(&s->cpus[i].gate.held_up) != 0;
	if (now - s->deadman.since < DV_DEADMAN_NS || s->deadman.looks < DV_DEADMAN_LOOKS)
		return;
	for (i = 0; i < s->nvcpu; i++)
		starves |= (uint64_t)s->cpus[i].found_busy * 100 >=
		    (uint64_t)s->deadman.looks * 99;
	begin(s, now);
	if (starves && dv_cas32(&s->life, &life, DV_LIFE_EXITING))
		dv_store32(&s->deadman.killed, 1);
}
