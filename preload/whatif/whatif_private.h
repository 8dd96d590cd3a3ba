/* whatif_private.h - what the files of the what-if scenarios share. Only these and a fuzz target of
 * the tests include it.
 *
 * The files stand in layers; each uses only those above it in this list:
 *   whatif_setting.c   PROF_WHATIF and PROF_DELAY: candidates, scenarios, delays
 *   whatif_code.c      PROF_WHATIF_CODE: the candidates of an address, a node, a context
 *   whatif_chain.c     chains of candidates, and their weights
 *   whatif_samples.c   estimates of weights, from samples
 *   whatif_delay.c     PROF_DELAY: a thread spins
 *   whatif.c           the hooks that lengths go through; start, fork, the writer's view
 *
 * Invariants:
 *   whatif_slots      = whatif_scenarios + 1; the last slot is for delays
 *   weight[j]         = whatif_unit / factor of the outermost candidate of scenario j in the chain;
 *                       whatif_unit if there is none
 *   weight[last]      = WHATIF_DELAY_UNIT * (factor - 1) of the outermost delayed candidate; else 0
 *   task.scaled[last]  = the event that began the part of its strand (dag/strand.c); 0: its birth.
 *                       The last slot of other lengths is of no use
 *   a candidate stands in a chain at most once
 *   estimate.weight[j] = estimate.sums[j] / estimate.samples, rounded
 *   thread.part_sum[j] = sum over the samples of the strand part of their weight * weight[j]
 *
 * Chains and estimates are interned in tables that only grow. Each table grows under a lock of its
 * own. Readers take no lock: an entry is complete before it is published (store-release of `inner`
 * and of `context`; the readers load with acquire). The locks are leaves, but base/memory.c's nests
 * in them. The weights of an estimate change under the lock. A reader may see some old and some
 * new ones: each of them is an estimate. Only the thread itself writes its struct whatif_thread.
 */
#ifndef PRELOAD_WHATIF_WHATIF_PRIVATE_H
#define PRELOAD_WHATIF_WHATIF_PRIVATE_H

#include "base/lock.h"
#include "base/memory.h"
#include "whatif/whatif.h"
#include "dag/task.h"
#include "dag/thread.h"

/* ---- whatif_setting.c; each returns what is wrong with TEXT, or NULL ---- */

/* By candidate: (factor of PROF_DELAY - 1) * WHATIF_DELAY_UNIT. */
#define WHATIF_DELAY_UNIT 64u
extern uint32_t whatif_delay[WHATIF_CANDIDATES];
extern bool whatif_delays;      /* PROF_DELAY names a candidate */

/* [init] TEXT is ITEM;ITEM..., and an ITEM is NAME=F[,F...] or NAME=F&NAME=F.... An item of one
 * name is one scenario for each factor. An item of several names is one scenario of all of them. If
 * each item has one name, there are combined scenarios, too: one of all first factors, one of all
 * second factors, and so on. In these, a shorter list repeats its last factor. */
const char *whatif_parse(const char *text);
/* [init] TEXT is NAME=FACTOR;...: each NAME costs FACTOR times as much. */
const char *whatif_parse_delays(const char *text);
/* [init] Adds for each candidate the scenario in which it costs nothing. Sets unit and slots. */
const char *whatif_parse_end(void);

/* ---- whatif_code.c ---- */

extern uint32_t whatif_ranges;  /* the number of address ranges; 0: only regions are candidates */
extern uint8_t whatif_by_size[WHATIF_CANDIDATES];       /* candidates, the most code first */

/* [init] False: there is no memory. */
bool whatif_code_start(void);
/* [init] Reads the file PATH. Returns what is wrong with it, or NULL. */
const char *whatif_code_load(const char *path);
/* [hook] The candidates, as bits, whose code is at ADDRESS; at NODE of the calling context tree; at
 * the frames from the spawner's entry to the spawn of CTX. CALL: ADDRESS lies in a call
 * instruction, so a candidate that excludes what it calls does not count. */
uint32_t whatif_code_at(uintptr_t address, bool call);
uint32_t whatif_code_of_node(uint32_t node);
uint32_t whatif_code_of_context(const struct context *ctx);

/* ---- whatif_chain.c ---- */

/* The candidates that a strand is inside of: a chain, outermost first. Interned, never freed. */
struct whatif_inside {
    const struct whatif_inside *outer;  /* NULL: this is the empty chain */
    uint32_t candidate, id;
    struct whatif_inside *inner[WHATIF_CANDIDATES];     /* release; NULL: not made yet */
    uint32_t weight[];          /* by slot */
};
extern struct whatif_inside *whatif_outside;    /* the empty chain */

/* [init] Makes the empty chain. False: there is no memory. */
bool whatif_chain_start(void);
/* [hook] Is CANDIDATE in the chain IN? */
bool whatif_chain_has(const struct whatif_inside *in, uint32_t candidate);
/* [hook] The chain IN, and then every candidate of BITS that it lacks, in the order of
 * whatif_by_size. If there is no room, some are missing. */
const struct whatif_inside *whatif_chain_enter_all(const struct whatif_inside *in, uint32_t bits);

/* ---- whatif_samples.c ---- */

struct whatif_thread {
    const struct task *sampled; /* the task whose strand part the samples hit */
    uint64_t part, part_squares;    /* the sum of these samples' weights, and of their squares */
    uint16_t part_inside;       /* the candidates, as bits, that these found it inside of */
    uint32_t delaying;          /* 1: the thread spins now, for a delay */
    uint64_t *part_sum;         /* by slot */
    /* by scenario: cost times weight; work_high counts overflows of work */
    uint64_t *work, *work_high;
};

/* [init] False: there is no memory. */
bool whatif_samples_start(void);
/* [hook, writer] The weights of a part of T's strand, by slot: the estimate of its like if there is
 * one, else those of T's chain. END: the event that ended the part; 0: none has. T->inside is
 * set. */
const uint32_t *whatif_weights(const struct task *t, uint32_t end);
/* [hook] The same of a part that has cost COST and whose own samples are too few. */
const uint32_t *whatif_weights_of(const struct task *t, uint32_t end, uint64_t cost);
/* [hook] Forgets W's samples: their strand part is over. */
void whatif_part_end(struct whatif_thread *w);

/* ---- whatif_delay.c ---- */

/* [hook] A part of T's strand costs COST more: spends that on TH, the calling thread, and adds it
 * to T's own lengths. */
void whatif_delay_spend(struct thread *th, struct task *t, uint64_t cost);

#endif
