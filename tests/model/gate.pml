/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.pml - the gate of a CPU, its two halves, and the end of tracing.
 *
 * NCPU vCPUs fire FIRINGS hits of one clause, or of CLAUSES. A clause takes room in
 * the active half, writes, and makes the record part of the buffer; or it faults
 * after writing, and leaves no trace; or it calls exit(). A consumer switches the
 * buffers and reads the still half, with no gate held; at any time it stops the
 * trace, as dv_state_stop() does. gate.h, buf.c, fire.c, ecb.c, state.c.
 *
 * Records of a CPU are numbered as they are made. Asserted: the consumer reads
 * each number once and in order, whole, up to the last one; what it reads nobody
 * writes; when END fires no vCPU is at work, and none records anything later;
 * after exit() no clause begins.
 *
 * Quotes after an @ are checked by tests/model/run, as in spec.pml.
 */
#ifndef NCPU
#define NCPU		3
#endif
#ifndef FIRINGS
#define FIRINGS		2
#endif
#ifndef CLAUSES			/* of a hit, at most */
#define CLAUSES		2
#endif
#ifndef MUTATION
#define MUTATION	0
#endif
#define NO_GATE		1	/* a switch takes no gate */
#define EARLY_LOOK	2	/* a hit looks at the life before it takes the gate */
#define EARLY_COMMIT	3	/* a record counts before it is written */
#define NO_WAIT		4	/* stop() does not pass the gates */
#define SLOT_KEPT	5	/* a switch leaves `used` as it is */

/* Records in a half. */
#define SIZE		2
#define TORN		99

#define ACTIVE		0
#define EXITING		1
#define STOPPED		2
byte life = ACTIVE;		/* dv_state.life */

bool gate[NCPU];		/* dv_gate.taken */
byte wanted[NCPU];
byte half[NCPU * 2 * SIZE];
byte used[NCPU];		/* dv_buf.used */
bit on_half[NCPU];		/* dv_buf.active */

/* What only assertions read. */
byte made[NCPU];		/* records so far */
byte seen[NCPU];		/* and those that were read */
bit reading = 0;
byte reads_cpu, reads_half;
bool at_work[NCPU];
bool ended;

#define AT(c, h, i)	half[((c) * 2 + (h)) * SIZE + (i)]

inline gate_enter(c)
{
	wanted[c] == 0;
	/* @ while (dv_load32(&gate->wanted) != 0 || !dv_cas32(&gate->taken, &open, 1)) { */
	atomic { !gate[c] -> gate[c] = true }
}

inline gate_claim(c)
{
	wanted[c]++;		/* @ (void)dv_add32(&gate->wanted, 1); */
	atomic { !gate[c] -> gate[c] = true }	/* @ while (!dv_cas32(&gate->taken, &open, 1)) { */
	wanted[c]--		/* @ (void)dv_add32(&gate->wanted, (uint32_t)-1); */
}

/* The ways of a clause: ecb.c. */
inline clause()
{
	if
	:: life == EXITING -> skip	/* @ if (dv_load_acq32(&s->life) == DV_LIFE_EXITING) { */
	:: else ->
		at_work[me] = true;
		assert(!ended);
		if
		:: used[me] < SIZE ->	/* @ if (len > b->limit - b->used || b->wrapped) */
			at = used[me];
			if
			:: MUTATION == EARLY_COMMIT -> used[me] = used[me] + 1
			:: else
			fi;
			d_step {
				assert(!(reading && reads_cpu == me && reads_half == on_half[me]));
				AT(me, on_half[me], at) = TORN
			}
			d_step {
				assert(!(reading && reads_cpu == me && reads_half == on_half[me]));
				AT(me, on_half[me], at) = made[me]
			}
			if
			:: true -> skip		/* a fault */
			:: d_step {			/* @ b->used += len; */
				if
				:: MUTATION != EARLY_COMMIT -> used[me] = at + 1
				:: else
				fi;
				made[me] = made[me] + 1
			   }
			:: d_step {
				if
				:: MUTATION != EARLY_COMMIT -> used[me] = at + 1
				:: else
				fi;
				made[me] = made[me] + 1;
				/* @ (void)dv_cas32(&s->life, &life, DV_LIFE_EXITING); */
				if
				:: life == ACTIVE -> life = EXITING
				:: else
				fi
			   }
			fi
		:: else -> skip			/* a drop, counted */
		fi;
		at_work[me] = false
	fi
}

proctype vcpu(byte me)
{
	byte left = FIRINGS, at;
	bool on;

	do
	:: left > 0 ->
		left--;
		if
		:: MUTATION == EARLY_LOOK -> on = life == ACTIVE
		:: else
		fi;
		gate_enter(me);		/* @ dv_gate_enter(&cpu->gate); */
		if
		:: MUTATION != EARLY_LOOK -> on = life == ACTIVE
		:: else
		fi;
		if
		:: on ->		/* @ if (dv_load32(&s->life) == DV_LIFE_ACTIVE) { */
			clause();
			if
			:: CLAUSES > 1 -> clause()
			:: true
			fi
		:: else
		fi;
		atomic {
			on = false; at = 0;
			gate[me] = false	/* @ dv_gate_leave(&cpu->gate); */
		}
	:: break			/* it will not fire again */
	od
}

/* dv_snap() of one CPU, and the consumer's walk over what it got. */
inline snap()
{
	if
	:: MUTATION != NO_GATE -> gate_claim(c)		/* @ dv_gate_claim(&c->gate); */
	:: else
	fi;
	d_step {
		reads_half = on_half[c];		/* @ ret->data = b->half[b->active]; */
		n = used[c]			/* @ ret->len = b->used; */
	}
	d_step {
		reads_cpu = c;
		reading = 1;
		on_half[c] = 1 - on_half[c];	/* @ b->active ^= 1; */
		if
		:: MUTATION != SLOT_KEPT -> used[c] = 0		/* @ b->used = 0; */
		:: else
		fi
	}
	if
	:: MUTATION != NO_GATE -> gate[c] = false	/* @ dv_gate_leave(&c->gate); */
	:: else
	fi;
	do
	:: n > 0 ->
		d_step {
			assert(AT(c, reads_half, i) == seen[c]);
			seen[c] = seen[c] + 1;
			i++;
			n--
		}
	:: else -> break
	od;
	atomic { reading = 0; reads_half = 0; reads_cpu = 0; i = 0 }
}

active proctype consumer()
{
	byte c, n, i;

	do
	:: true ->
		if
		:: c = 0
#if NCPU > 1
		:: c = 1
#endif
#if NCPU > 2
		:: c = 2
#endif
		fi;
		snap();
		c = 0
	:: break
	od;
	/* dv_state_stop() */
	atomic {		/* @ (void)dv_cas32(&s->life, &life, DV_LIFE_STOPPED); */
		if
		:: life == ACTIVE -> life = STOPPED
		:: else			/* EXITING, which hits in progress must see */
		fi
	}
	c = 0;
	do
	:: MUTATION != NO_WAIT && c < NCPU ->
		gate_claim(c);		/* @ dv_gate_claim(&s->cpus[i].gate); */
		atomic { gate[c] = false; c++ }
	:: else -> break
	od;
	ended = true;			/* @ dv_fire_host(s, ctx, s->end); */
	c = 0;
	do
	:: c < NCPU -> assert(!at_work[c]); c++
	:: else -> break
	od;
	c = 0;
	do
	:: c < NCPU ->
		snap();
		assert(seen[c] == made[c]);
		c++
	:: else -> break
	od
}

init
{
	atomic {
		run vcpu(0)
#if NCPU > 1
		;
		run vcpu(1)
#endif
#if NCPU > 2
		;
		run vcpu(2)
#endif
	}
}
