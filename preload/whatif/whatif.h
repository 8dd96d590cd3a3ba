/* whatif.h - causal profiles: work and span of the program if some of its code cost less
 * (TaskProf, FSE 2017, section 4), computed in the same run as the real ones.
 *
 * A CANDIDATE is code that might be changed: an annotated region, or functions and lines that
 * `prof run` has turned into ranges of addresses. Its extent is dynamic and logical: what runs
 * between the region's start and stop, or below a frame of the function, and the tasks that were
 * spawned there. A SCENARIO divides the cost of some candidates by a factor each. Where candidates
 * of a scenario nest, only the outermost counts.
 *
 * A task carries one length for each scenario, beside S:
 *   scaled[j] = sum over the critical path of scenario j of cost * weight_j
 *   weight_j  = whatif_unit / factor
 * All are whole numbers, so that they add up to the same on any schedule. A strand's weights depend
 * on the candidates that it is INSIDE of. Chains of these, outermost first, are interned. Two
 * sources give them:
 *   - Open regions, and spawns below candidate functions: exact.
 *   - Samples within strands, for a candidate that was called and left between two readings of the
 *     clock: the share of the samples of (context, inside) that hit it. A strand part with enough
 *     samples of its own goes by these.
 *
 * PROF_DELAY makes candidates really cost more: when a strand part that was inside of one has
 * ended, the thread works for nothing for as long as the delay is. The result of such a run can be
 * compared with a scenario of the same change.
 *
 * Without PROF_WHATIF and PROF_DELAY all of this is off. It then costs a predicted branch a task.
 */
#ifndef PRELOAD_WHATIF_H
#define PRELOAD_WHATIF_H

#include "dag/task.h"
#include "dag/thread.h"

#define WHATIF_CANDIDATES 16
#define WHATIF_SCENARIOS 128
#define WHATIF_TERMS 512

struct whatif_term {
    uint32_t candidate, num, den;       /* its cost times den / num */
};

struct whatif_scenario {
    uint32_t first, terms;      /* in whatif_terms */
    bool limit;                 /* added to the setting's: one candidate costs nothing */
};

/* Written by whatif_setup. */
extern uint32_t whatif_scenarios;       /* 0: the setting asks for none */
extern uint32_t whatif_candidates;
extern uint32_t whatif_unit;            /* weight of a cost that stays as it is */
extern struct whatif_scenario whatif_scenario[WHATIF_SCENARIOS];
extern struct whatif_term whatif_term[WHATIF_TERMS];
extern uint32_t whatif_slots;           /* scenarios, and one for delays */
extern char *whatif_candidate[WHATIF_CANDIDATES];
/* Counts for each candidate, relaxed: starts of its regions, contexts of spawns below its code,
 * samples in it. */
struct whatif_seen {
    uint64_t regions, contexts, samples;
    bool code;                  /* PROF_WHATIF_CODE has addresses of it */
};
extern struct whatif_seen whatif_seen[WHATIF_CANDIDATES];

/* [init] Reads PROF_WHATIF, PROF_DELAY and the file of PROF_WHATIF_CODE. A bad one makes one line
 * of warning. */
void whatif_setup(const char *setting, const char *delay, const char *code);
/* [hook] Makes the part of TH, the calling thread. Without memory its costs count in no
 * scenario. */
void whatif_thread_start(struct thread *th);
/* [hook] In the child of fork: all costs so far are the parent's. */
void whatif_forked(void);

/* [hook] The inline functions below call these when there are scenarios. */
void whatif_born(struct thread *th, struct task *t, const struct task *from);
/* Part of T's strand has cost COST; its samples are known. Returns its delay, which has been added
 * to T's lengths. */
uint64_t whatif_spent(struct thread *th, struct task *t, uint64_t cost);
void whatif_maximum(struct thread *th, uint64_t **into, const uint64_t *from);
void whatif_moved(struct thread *th, uint64_t **into, uint64_t **from);
void whatif_freed(struct thread *th, uint64_t **lengths);

#define WHATIF_ON __builtin_expect(whatif_scenarios != 0, 0)

/* T starts where FROM stands, or at the start of the program if FROM is NULL. T's context is
 * set. */
static inline void whatif_birth(struct thread *th, struct task *t, const struct task *from)
{
    if (WHATIF_ON)
        whatif_born(th, t, from);
}
/* *INTO becomes the longer of the two, scenario by scenario. *INTO is NULL while it is empty. */
static inline void whatif_max(struct thread *th, uint64_t **into, const uint64_t *from)
{
    if (WHATIF_ON && from)
        whatif_maximum(th, into, from);
}
/* The same; *FROM is used up and becomes NULL. */
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

/* [hook] The number of the candidate NAME; -1: there is no such candidate. */
int whatif_index(const char *name);
/* [hook] The running strand T, which has been cut, enters or leaves candidate INDEX at a region's
 * start or stop. False: T was inside of it already. */
bool whatif_enter(struct task *t, int index);
void whatif_leave(struct task *t, int index);
/* [any] Whether TH works for nothing now, for a delay. */
bool whatif_delaying(const struct thread *th);
/* [hook] A sample of WEIGHT has hit T's strand at NODE. */
void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight);

/* [writer] WORK: that of all threads so far, for each scenario. */
void whatif_work(uint64_t *work);
/* [writer] LONGEST becomes the longer of itself and LENGTHS with COST more, at the weights of T's
 * strand. All three pointers may be NULL; T NULL: outside of all candidates. */
void whatif_longest(uint64_t *longest, const uint64_t *lengths, const struct task *t,
                    uint64_t cost);

#endif
