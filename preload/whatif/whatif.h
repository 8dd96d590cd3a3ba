/* whatif.h - causal profiles: work and span of the program if some of its code cost less
 * (TaskProf, FSE 2017, section 4), computed in the same run as the real ones.
 *
 * A CANDIDATE is code that might be changed: an annotated region, or functions and lines that
 * `prof run` has turned into ranges of addresses. Its extent is dynamic and logical. It includes
 * all that runs between the region's start and stop, or below a frame of the function, and the
 * tasks that are spawned there. A SCENARIO divides the cost of each of its candidates by a factor.
 * If candidates of a scenario nest, only the outermost counts.
 *
 * A task carries one length for each scenario, beside S:
 *   scaled[j] = sum over the critical path of scenario j of cost * weight_j
 *   weight_j  = whatif_unit / factor
 * All are whole numbers, so the sums are the same on any schedule. A strand's weights depend on the
 * candidates that it is INSIDE of. Chains of these, outermost first, are interned. Two sources show
 * what a strand is inside of:
 *   - Open regions, and spawns below candidate functions: exact.
 *   - Samples within strands, for a candidate that was called and left between two readings of the
 *     clock: the share of the samples of (context, inside) that hit it. A strand part is what lies
 *     between two such readings. If it has enough samples of its own, it goes by these.
 *
 * PROF_DELAY makes candidates really cost more: when a strand part inside of one ends, the thread
 * spins for the delay. The result of such a run can be compared with a scenario of the same change.
 *
 * Without PROF_WHATIF and PROF_DELAY all of this is off. It then costs a predicted branch a task.
 */
#ifndef PRELOAD_WHATIF_WHATIF_H
#define PRELOAD_WHATIF_WHATIF_H

#include "dag/task.h"
#include "dag/thread.h"

#define WHATIF_CANDIDATES 16
#define WHATIF_SCENARIOS 128
#define WHATIF_TERMS 512

struct whatif_term {
    uint32_t candidate, num, den;       /* the factor is num / den; den 0: the code costs nothing */
};

struct whatif_scenario {
    uint32_t first, terms;      /* its terms: whatif_term[first], ... */
    bool limit;                 /* not from the setting: one candidate costs nothing */
};

/* whatif_setup writes all these, before the first hook. */
extern uint32_t whatif_scenarios;       /* their number; 0: the settings ask for none */
extern uint32_t whatif_candidates;      /* their number */
extern uint32_t whatif_unit;            /* the weight of a cost that no scenario changes */
extern struct whatif_scenario whatif_scenario[WHATIF_SCENARIOS];
extern struct whatif_term whatif_term[WHATIF_TERMS];
extern uint32_t whatif_slots;           /* one for each scenario, and one for delays */
extern char *whatif_candidate[WHATIF_CANDIDATES];
/* What the run had of each candidate: starts of its regions, contexts of spawns below its code, and
 * the weights of the samples that its estimates rest on, of strands that were not inside of it as a
 * whole, and the squares of these weights. Any thread counts, without a lock. */
struct whatif_seen {
    uint64_t regions, contexts, weight, squares;
    bool code;                  /* PROF_WHATIF_CODE has addresses of it */
};
extern struct whatif_seen whatif_seen[WHATIF_CANDIDATES];

/* [any] The number of samples of weight 1 that have the information of samples with the sum of
 * weights WEIGHT and the sum of squares SQUARES: a late sample of weight W has that of one. */
static inline uint64_t whatif_equal(uint64_t weight, uint64_t squares)
{
    return squares > weight ? (unsigned __int128)weight * weight / squares : weight;
}

/* [init] Reads PROF_WHATIF, PROF_DELAY and the file of PROF_WHATIF_CODE. A bad one causes one line
 * of warning. */
void whatif_setup(const char *setting, const char *delay, const char *code);
/* [hook] Makes the struct whatif_thread of TH, the calling thread. If there is no memory, TH counts
 * a loss, and its costs count in no scenario. */
void whatif_thread_start(struct thread *th);
/* [hook] In the child of fork: forgets all costs so far, which are the parent's. */
void whatif_forked(void);

/* [hook] The inline functions below call these when there are scenarios. */
/* SAME: T has the context of the strand that IN is of. */
void whatif_born(struct thread *th, struct task *t, const uint64_t *scaled,
                 const struct whatif_inside *in, bool same);
/* A part of T's strand has cost COST. Adds it to T's scenarios. Returns the part's delay, which
 * this has spent and added to T's own lengths. */
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
        whatif_born(th, t, from ? from->scaled : 0, from ? from->inside : 0,
                    from && from->ctx == t->ctx);
}
/* T starts after messages with the lengths SCALED, which were put inside of IN. NULL: there are
 * none. */
static inline void whatif_birth_after(struct thread *th, struct task *t, const uint64_t *scaled,
                                      const struct whatif_inside *in)
{
    if (WHATIF_ON)
        whatif_born(th, t, scaled, in, false);
}
/* *INTO becomes the longer of the two, scenario by scenario. *INTO is NULL while it is empty. */
static inline void whatif_max(struct thread *th, uint64_t **into, const uint64_t *from)
{
    if (WHATIF_ON && from)
        whatif_maximum(th, into, from);
}
/* The same. *FROM becomes NULL. */
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

/* [hook] The candidates that are in both chains A and B, in an order that does not depend on which
 * of the two is A. */
const struct whatif_inside *whatif_common(const struct whatif_inside *a,
                                          const struct whatif_inside *b);
/* [hook] The number of the candidate NAME; -1: there is no such candidate. */
int whatif_index(const char *name);
/* [hook] The running strand of T, which has been cut, enters or leaves candidate INDEX at a
 * region's start or stop. False: T was inside of it already. */
bool whatif_enter(struct task *t, int index);
void whatif_leave(struct task *t, int index);
/* [any] Does TH spin now, for a delay? */
bool whatif_delaying(const struct thread *th);
/* [hook] Samples have hit T's strand at NODE. WEIGHT is the sum of their weights, SQUARES that of
 * the weights' squares. */
void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight,
                   uint32_t squares);

/* [writer] Sets WORK to the work of all threads so far, by scenario. */
void whatif_work(uint64_t *work);
/* [writer] Sets MIXED, by candidate, to the candidates, as bits, that were sampled in parts like
 * its own, but never in one part with it, where such parts cost more than LEAST together. Each of
 * these parts counts by the mean of all. */
void whatif_mixed(uint16_t mixed[WHATIF_CANDIDATES], uint64_t least);
/* [writer] LONGEST becomes the longer of itself and LENGTHS plus COST, at the weights of T's
 * strand. T NULL: COST lies outside of all candidates. LONGEST or LENGTHS NULL: does nothing. */
void whatif_longest(uint64_t *longest, const uint64_t *lengths, const struct task *t,
                    uint64_t cost);

#endif
