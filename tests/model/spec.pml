/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.pml - the states of a speculation, as hv/core/spec.c moves them.
 *
 * NCPU vCPUs fire clauses that call speculation(), speculate(), commit() or
 * discard() on any of NSPEC speculations, in any order, as often as they like,
 * or FIRINGS times in all, and may stop for good after any of them: halted, unplugged. A
 * cleaner makes passes. Each access to a word that CPUs share is a step of its
 * own, with what it decides; what is done to a CPU's own part, under its gate,
 * is another, so that whatever the gate does not keep out comes between. A
 * part holds at most one record: more only repeat the same step.
 *
 * Asserted:
 *	- who allocates a speculation finds no record and no writer in any part,
 *	  so nothing of a freed buffer is ever used (that is also what makes each
 *	  record one of the present generation);
 *	- a record leaves its part once, copied after commit(), dropped after
 *	  discard(): none is lost, none doubled, none delivered against its fate;
 *	- a word moves only from what its mover believes it to be;
 *	- the commit's time is there when a cleaner reads it;
 *	- when no vCPU fires any more, one pass leaves no speculation busy; nor is
 *	  a vCPU that has stopped ever waited for. A gate that nobody leaves would
 *	  be an invalid end state.
 *
 * Lines of the code that a step stands for are quoted after an @: tests/model/run
 * fails if the code does not have them any more, if spec.c has an access to a
 * word that is not quoted, or if the two lists of states differ. MUTATION puts
 * an error in (run has the list); each must be found.
 */
#ifndef NCPU
#define NCPU		3
#endif
#ifndef NSPEC
#define NSPEC		2
#endif
#ifndef FIRINGS			/* of all vCPUs together; 0: no end */
#define FIRINGS		0
#endif
#ifndef MUTATION
#define MUTATION	0
#endif
#define NO_CAS		1	/* speculate() stores where it should compare */
#define NO_GATE		2	/* the cleaner takes no gates */
#define NO_PASS		3	/* freed by a pass that began before it was busy */
#define SELF_ONLY	4	/* commit() never leaves the rest to the cleaner */
#define TAKES_MINE	5	/* the cleaner takes a discard that a CPU finishes */
#define LATE_TIME	6	/* the word says so before the time is there */
#define FORGETS		7	/* the cleaner overlooks discards */
#define ONE_IS_MANY	8	/* speculate() on a second CPU leaves ONE as it is */
#define COMMITS_TWICE	9	/* commit() of what is being committed goes on */

/* The words. CPU is whose ONE or COMMITTING, and 1 + whose DISCARDING. */
#define INACTIVE	0
#define ACTIVE		1
#define ONE		2
#define MANY		3
#define COMMITTING	4
#define COMMITTINGMANY	5
#define DISCARDING	6

#define WORD(state, cpu)	((state) | ((cpu) << 3))
#define STATE(word)		((word) & 7)
#define CPU(word)		((word) >> 3)

#define CLEANER		NCPU
#define NOBODY		15
#define COPY		1
#define DROP		2

byte word[NSPEC];		/* dv_spec.word */
bool timed[NSPEC];		/* dv_spec.time is this commit's */
bool cleaning[NSPEC];		/* dv_spec.cleaning */
byte gate[NCPU] = NOBODY;	/* who is in */
bit part[NCPU * NSPEC];		/* dv_sbuf: a record */
byte running = NCPU;		/* vCPUs that still fire */
#if FIRINGS
byte left = FIRINGS;
#endif

/* What only assertions read. */
byte fate[NSPEC];		/* what was asked for: COPY or DROP */
byte writing[NCPU];		/* 1 + the speculation that has room taken on it */

#define PART(c, s)	part[(c) * NSPEC + (s)]
#define LIVE(w)		(STATE(w) == ACTIVE || STATE(w) == ONE || STATE(w) == MANY)

/*
 * A part is emptied: copy_part() or drop_part().
 * @ copy_part(s, ms->cpu, &ms->cpu->sbuf[id - 1], time);
 * @ drop_part(s, ms->cpu, &ms->cpu->sbuf[id - 1]);
 * @ copy_part(s, cpu, &cpu->sbuf[i], s->specs[i].time);
 * @ drop_part(s, cpu, &cpu->sbuf[i]);
 */
inline empty_part(c, s, how)
{
	d_step {
		assert(how == DROP || timed[s]);
		assert(PART(c, s) == 0 || fate[s] == how);
		PART(c, s) = 0		/* @ b->used = 0; */
	}
}

inline free(s)
{
	word[s] = WORD(INACTIVE, 0);
	fate[s] = 0;
	timed[s] = false
}

/* dv_spec_alloc() tries the ids in turn; here each alone, in any order. */
inline speculation()
{
	if
	/* @ word = dv_load64(&s->specs[i].word); */
	/* @ if (STATE(word) == INACTIVE) { */
	:: STATE(word[s]) == INACTIVE -> skip;
		/* @ if (dv_cas64(&s->specs[i].word, &word, WORD(ACTIVE, 0))) */
		d_step {
			if
			:: word[s] == WORD(INACTIVE, 0) ->
				word[s] = WORD(ACTIVE, 0);
				next = 0;
				do
				:: next < NCPU ->
					assert(PART(next, s) == 0 && writing[next] != 1 + s);
					next++
				:: else -> break
				od
			:: else
			fi
		}
	:: else
	fi
}

/* From the word that was read, where to. */
#define NEXT_OF_SPECULATE						\
	if								\
	:: STATE(w) == ACTIVE -> next = WORD(ONE, me)			\
	:: STATE(w) == ONE ->						\
		next = (CPU(w) == me || MUTATION == ONE_IS_MANY -> w : WORD(MANY, 0)) \
	:: else -> next = w						\
	fi;								\
	if								\
	:: next == w && LIVE(w) -> writing[me] = 1 + s			\
	:: else								\
	fi
/* @ next = WORD(ONE, me); */
/* @ next = CPU(word) == me ? word : WORD(MANY, 0); */
/* @ next = word; */

/*
 * dv_spec_reserve(), then the end of the clause (ecb.c). Where the word need
 * not move, having read it is enough: who moves it on leaves this part to the
 * cleaner, who waits for this CPU's gate.
 */
inline speculate()
{
	d_step {
		w = word[s];		/* @ word = dv_load64(&s->specs[id - 1].word); */
		NEXT_OF_SPECULATE
	}
	do
	:: !LIVE(w) -> break		/* @ return DV_SPEC_REFUSED; */
	:: LIVE(w) && writing[me] != 0 ->
		PART(me, s) = 1;	/* @ *ret = b; */
		break
	:: LIVE(w) && writing[me] == 0 ->
		/* @ if (next == word || dv_cas64(&s->specs[id - 1].word, &word, next)) */
		d_step {
			if
			:: word[s] == w || MUTATION == NO_CAS ->
				word[s] = next;
				writing[me] = 1 + s
			:: else ->
				w = word[s];
				NEXT_OF_SPECULATE
			fi
		}
	od
}

inline commit()
{
	w = word[s];			/* @ word = dv_load64(&sp->word); */
	do
	/* @ if (STATE(word) != ACTIVE && STATE(word) != ONE && STATE(word) != MANY) */
	:: !LIVE(w) && !(MUTATION == COMMITS_TWICE && STATE(w) == COMMITTINGMANY) -> break
	:: LIVE(w) || (MUTATION == COMMITS_TWICE && STATE(w) == COMMITTINGMANY) ->
		d_step {
			/* @ many = STATE(word) == MANY || (STATE(word) == ONE && CPU(word) != me); */
			mine = !(STATE(w) == MANY || (STATE(w) == ONE && CPU(w) != me));
			/* @ if (dv_cas64(&sp->word, &word, WORD(COMMITTING, me))) */
			if
			:: word[s] == w -> word[s] = WORD(COMMITTING, me);
				fate[s] = COPY;
				next = 1
			:: else -> w = word[s]; next = 0
			fi
		}
		if
		:: next == 1 ->
			if
			:: MUTATION != LATE_TIME || mine ->
				timed[s] = true;	/* @ dv_store64(&sp->time, time); */
				empty_part(me, s, COPY)
			:: else
			fi;
			/* @ dv_store_rel64(&sp->word, WORD(many ? COMMITTINGMANY : INACTIVE, 0)); */
			d_step {
				assert(word[s] == WORD(COMMITTING, me));
				if
				:: mine || MUTATION == SELF_ONLY -> free(s)
				:: else -> word[s] = WORD(COMMITTINGMANY, 0)
				fi
			}
			if
			:: MUTATION == LATE_TIME && !mine ->
				timed[s] = true;
				empty_part(me, s, COPY)
			:: else
			fi;
			break
		:: else
		fi
	od
}

inline discard()
{
	w = word[s];			/* @ word = dv_load64(&sp->word); */
	do
	:: !LIVE(w) -> break
	:: LIVE(w) ->
		d_step {
			/* @ mine = STATE(word) == ACTIVE || (STATE(word) == ONE && CPU(word) == me); */
			mine = STATE(w) == ACTIVE || (STATE(w) == ONE && CPU(w) == me);
			/* @ if (!dv_cas64(&sp->word, &word, WORD(DISCARDING, mine ? me + 1 : 0))) */
			if
			:: word[s] == w ->
				word[s] = WORD(DISCARDING, (me + 1) * mine);
				fate[s] = DROP;
				next = 1
			:: else -> w = word[s]; next = 0
			fi
		}
		if
		:: next == 1 ->
			empty_part(me, s, DROP);
			atomic {
				if
				:: mine ->	/* @ dv_store64(&sp->word, WORD(INACTIVE, 0)); */
					assert(word[s] == WORD(DISCARDING, me + 1));
					free(s)
				:: else
				fi
			}
			break
		:: else
		fi
	od
}

/*
 * One hit: dv_fire() in fire.c, with the gate around it. To take the gate and
 * to choose what to do is one step, and so is to leave with what is left of it.
 */
proctype vcpu(byte me)
{
	byte s, w, next;
	bool mine;

	do
	:: atomic {
#if FIRINGS
		left > 0 && gate[me] == NOBODY -> left--;
#else
		gate[me] == NOBODY ->
#endif
		gate[me] = me;		/* @ !dv_cas32(&gate->taken, &open, 1)) { */
		if
		:: s = 0
#if NSPEC > 1
		:: s = 1
#endif
		fi;
		if
		:: goto do_speculation
		:: goto do_speculate
		:: goto do_commit
		:: goto do_discard
		fi
	}
do_speculation:
		speculation();
		goto done;
do_speculate:
		speculate();
		goto done;
do_commit:
		commit();
		goto done;
do_discard:
		discard();
done:		atomic {
			w = 0; next = 0; mine = false; s = 0;
			writing[me] = 0;
			assert(gate[me] == me);
			gate[me] = NOBODY	/* @ dv_store_rel32(&gate->taken, 0); */
		}
	:: running-- -> break		/* it will not fire again */
	od
}

/*
 * Who asks for the oldest commit that is not done only looks, and moves nothing:
 * @ if (STATE(dv_load_acq64(&s->specs[i].word)) != COMMITTINGMANY)
 */

/* Whom the cleaner works for. */
#define LEFT_TO_ME(w)							\
	(STATE(w) == COMMITTINGMANY || (STATE(w) == DISCARDING &&	\
	    MUTATION != FORGETS && (CPU(w) == 0 || MUTATION == TAKES_MINE)))

/* dv_clean() with dv_spec_clean_begin(), dv_spec_clean_cpu(), dv_spec_clean_end(). */
inline pass()
{
	s = 0;
	any = false;
	do
	:: s < NSPEC ->
		d_step {
			/* @ word = dv_load64(&s->specs[i].word); */
			/* @ (STATE(word) == DISCARDING && CPU(word) == 0); */
			cleaning[s] = LEFT_TO_ME(word[s]);
			any = any || cleaning[s];	/* @ any |= s->specs[i].cleaning != 0; */
			s++
		}
	:: else -> break
	od;
	c = 0;
	do
	:: any && c < NCPU ->
		/* @ dv_gate_claim(&s->cpus[i].gate); */
		atomic {
			MUTATION == NO_GATE || gate[c] == NOBODY ->
			if
			:: MUTATION != NO_GATE -> gate[c] = CLEANER
			:: else
			fi;
			s = 0
		}
		do
		:: s < NSPEC ->
			d_step {
				if
				:: !cleaning[s]		/* @ if (!s->specs[i].cleaning) */
				/* @ if (STATE(dv_load64(&s->specs[i].word)) == COMMITTINGMANY) */
				:: else -> mode = (STATE(word[s]) == COMMITTINGMANY -> COPY : DROP)
				fi
			}
			if
			:: cleaning[s] -> empty_part(c, s, mode)
			:: else
			fi;
			s++
		:: else -> break
		od;
		atomic {
			if
			:: MUTATION != NO_GATE -> assert(gate[c] == CLEANER);
				gate[c] = NOBODY	/* @ dv_gate_leave(&s->cpus[i].gate); */
			:: else
			fi;
			mode = 0;
			c++
		}
	:: else -> break
	od;
	s = 0;
	do
	:: any && s < NSPEC ->
		d_step {
			if
			:: MUTATION == NO_PASS -> cleaning[s] = LEFT_TO_ME(word[s])
			:: else
			fi;
			if
			:: cleaning[s] ->		/* @ if (s->specs[i].cleaning) */
				assert(LEFT_TO_ME(word[s]));
				free(s)	/* @ dv_store64(&s->specs[i].word, WORD(INACTIVE, 0)); */
			:: else
			fi;
			cleaning[s] = false;		/* @ s->specs[i].cleaning = 0; */
			s++
		}
	:: else -> break
	od
}

active proctype cleaner()
{
	byte s, c, mode;
	bool any;

	do
	:: running > 0 -> pass()
	:: running == 0 -> break
	od;
	pass();
	s = 0;
	do
	:: s < NSPEC -> assert(STATE(word[s]) < COMMITTING); s++
	:: else -> break
	od
}

init
{
	atomic {
		run vcpu(0);
		run vcpu(1)
#if NCPU > 2
		;
		run vcpu(2)
#endif
	}
}
