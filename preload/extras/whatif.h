/* whatif.h - causal profiles: the work and span that the program would have if some of its code cost less
 * (TaskProf, FSE 2017, section 4), computed in the same run as the real ones.
 *
 * A CANDIDATE is code that might be changed: an annotated region, or functions and lines that `prof run` has
 * turned into ranges of addresses. Its extent is dynamic and logical: what runs between the region's start and
 * stop, or below a frame of the function, tasks that were spawned there included. A SCENARIO divides the cost
 * of some candidates by a factor each. Where candidates nest, the outermost of a scenario's counts, once.
 *
 * A task carries, beside S, one length a scenario:
 *   scaled[j] = sum over the critical path of scenario j of cost * weight_j, weight_j = whatif_unit / factor
 * All are whole numbers, so that they add up to the same on any schedule. What a strand's weights are depends on the
 * candidates that it is INSIDE of; chains of these, outermost first, are interned. Two sources say which they are:
 *   - regions that are open, and spawns below candidate functions: exact;
 *   - samples within strands (a candidate called and left between two readings of the clock): what share of the
 *     samples of (context, inside) hit it. A strand part with enough samples of its own goes by these.
 *
 * PROF_DELAY makes candidates cost more for real: when a strand part has ended that was inside of one, the thread works for
 * nothing for as long as it takes. What such a run measures can be compared with what a scenario said of the same change.
 *
 * All of this is off, at the price of a predicted branch a task, unless PROF_WHATIF is set.
 */
#ifndef PRELOAD_WHATIF_H
#define PRELOAD_WHATIF_H

#include "model/task.h"
#include "model/thread.h"

#define WHATIF_CANDIDATES 16
#define WHATIF_SCENARIOS 128
#define WHATIF_TERMS 512

struct whatif_term {
    uint32_t candidate, num, den;       /* its cost times den / num */
};

struct whatif_scenario {
    uint32_t first, terms;      /* in whatif_terms */
    bool limit;                 /* not asked for: one candidate that costs nothing */
};

/* Written by whatif_setup. */
extern uint32_t whatif_scenarios;       /* 0: nobody asks what if */
extern uint32_t whatif_candidates;
extern uint32_t whatif_unit;            /* weight of a cost that stays as it is */
extern struct whatif_scenario whatif_scenario[WHATIF_SCENARIOS];
extern struct whatif_term whatif_term[WHATIF_TERMS];
extern uint32_t whatif_slots;           /* scenarios, and one for delays */
extern char *whatif_candidate[WHATIF_CANDIDATES];
/* What was seen of each candidate: starts of its regions, spawns' contexts below its code, samples in it; relaxed. */
struct whatif_seen {
    uint64_t regions, contexts, samples;
    bool code;                  /* there are addresses for it */
};
extern struct whatif_seen whatif_seen[WHATIF_CANDIDATES];

/* [init] SETTING: PROF_WHATIF, DELAY: PROF_DELAY, CODE: PROF_WHATIF_CODE. A bad one gets one line. */
void whatif_setup(const char *setting, const char *delay, const char *code);
/* [hook] The calling thread's part, TH's; without memory its costs count in no scenario. */
void whatif_thread_start(struct thread *th);
/* [hook] child of fork: nothing has cost anything. */
void whatif_forked(void);

/* [hook] What the inline functions below call when there are scenarios. */
void whatif_born(struct thread *th, struct task *t, const struct task *from);
/* Part of T's strand has cost COST; its samples are known. Returns what it was delayed by, which T has been charged. */
uint64_t whatif_spent(struct thread *th, struct task *t, uint64_t cost);
void whatif_maximum(struct thread *th, uint64_t **into, const uint64_t *from);
void whatif_moved(struct thread *th, uint64_t **into, uint64_t **from);
void whatif_freed(struct thread *th, uint64_t **lengths);

#define WHATIF_ON __builtin_expect(whatif_scenarios != 0, 0)

/* T starts where FROM stands; NULL: at the start of the program. Its context is known. */
static inline void whatif_birth(struct thread *th, struct task *t, const struct task *from)
{
    if (WHATIF_ON)
        whatif_born(th, t, from);
}
/* The longer of the two into *INTO, which may be NULL: nothing has been put there. */
static inline void whatif_max(struct thread *th, uint64_t **into, const uint64_t *from)
{
    if (WHATIF_ON && from)
        whatif_maximum(th, into, from);
}
/* The same, and *FROM is used up. */
static inline void whatif_move(struct thread *th, uint64_t **into, uint64_t **from)
{
    if (WHATIF_ON && *from)
        whatif_moved(th, into, from);
}
static inline void whatif_free(struct thread *th, uint64_t **lengths)
{
    if (WHATIF_ON && *lengths)
        whatif_freed(th, lengths);
}

/* [hook] The number of the candidate NAME; -1: there is none. */
int whatif_index(const char *name);
/* [hook] The running strand T, which has been cut, enters or leaves candidate INDEX by a region's start or stop. False: it
 * was inside of it already. */
bool whatif_enter(struct task *t, int index);
void whatif_leave(struct task *t, int index);
/* [any] TH works for nothing now, for a delay. */
bool whatif_delaying(const struct thread *th);
/* [hook] A sample of WEIGHT has hit T's strand at NODE. */
void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight);

/* [writer] The work of all threads so far, for each scenario; T's lengths with COST more into LONGEST where they are
 * longer. LENGTHS and T's may be NULL. */
void whatif_work(uint64_t *work);
void whatif_longest(uint64_t *longest, const uint64_t *lengths, const struct task *t, uint64_t cost);

#endif
