/* dagrec_private.h - what the files of the dag's recorder share. No other file includes it.
 *
 * The files stand in layers; each uses only those above it in this list:
 *   dagrec_grain.c      the budget of nodes, and the grain, which follows from their number
 *   dagrec_node.c       nodes, and the counts of what the dag does not show
 *   dagrec_length.c     a walk along a list: work, longest path, tasks
 *   dagrec_contract.c   contraction of finished subtrees; the end of a task; how a list grows
 *   dagrec.c            the setting, start and fork; the hooks for spawns, joins, waits and ends
 *   dagrec_event.c      the hooks for events
 *   dagrec_emit.c       the writer's view
 *
 * Invariants of a node N of kind TASK, under N's lock:
 *   N.count       = length of its list;  N.first = NULL  <=>  N.last = NULL  <=>  N.count = 0
 *   X.parent      = N for every TASK X of the list
 *   N.pending     = (the body runs ? 1 : 0) + number of TASKs in the list that are not done
 *   N.done        =>  N.pending = 0, and only N's parent changes N's subtree, under its own lock
 *   N.grain      <= pressure when its list was last contracted; the list is contracted again
 *                   once pressure > N.grain or N.count >= N.limit
 * A done TASK without a list, for its whole subtree:
 *   span       = max(own cost on the strand with its joins, ends of what it did not join)
 *   not_before = the absolute end where that is later than birth + span; else 0
 * Of the process:
 *   live nodes    = dag_shared.nodes + sum over all threads of th->dag_nodes
 *   tied grain   <= grain <= UINT64_MAX; both are UINT64_MAX once the live nodes reach the budget
 *
 * Locks: N.lock protects N's list and N's own fields. It is a leaf. The list of a done task is
 * contracted under the lock of the parent's list, without a lock of its own. dag_shared.grain_lock
 * protects the rule that sets the grain. A thread tries it and never waits for it, also under a
 * node's lock.
 *
 * Atomic pairs: `done` is stored with release in dag_finish and loaded with acquire in dag_is_done.
 * `pending` is lowered with acquire and release, so that the thread that lowers it to 0 sees the
 * list whole.
 */
#ifndef PRELOAD_DAGREC_DAGREC_PRIVATE_H
#define PRELOAD_DAGREC_DAGREC_PRIVATE_H

#include "base/debug.h"
#include "base/lock.h"
#include "base/memory.h"
#include "clock/clock.h"
#include "dagrec/dagrec.h"
#include "libprof_format.h"
#include "dag/own_overhead.h"
#include "dag/task.h"
#include "dag/thread.h"

enum {
    DAG_FIRST_LIMIT = 32,       /* operations in a list before its first contraction */
    DAG_DEPTH = 32,             /* lists below lists that are contracted again at once */
    DAG_OPEN = 64               /* scopes of a task with unjoined spawns that are kept apart */
};

/* ---- dagrec_grain.c ---- */

/* From PROF_DAG; written by dagrec_setup, before the first hook. */
struct dag_limits {
    uint64_t nodes;             /* the budget */
    uint64_t bytes;             /* the budget as the setting gives it; 0: no dag is recorded */
    uint64_t first_grain;       /* clock units of work */
};
extern struct dag_limits dag_limits;

struct dag_shared {
    uint64_t hidden[DAGREC_HIDDEN];     /* occurrences by reason; relaxed */
    int64_t nodes;              /* live nodes that threads have added up so far; relaxed */
    uint64_t finite_grain;      /* the grain until the budget is used up; under grain_lock */
    uint64_t next_at;           /* live nodes at which that grain doubles; under grain_lock */
    bool full;                  /* half of the budget has been used up; under grain_lock */
    struct lock grain_lock;     /* tried, never waited for */
    uint32_t scope_ids, events; /* the next numbers of scopes and of events; relaxed */
} CACHE_LINE;
extern struct dag_shared dag_shared;

/* The grains in force, in clock units of work; written seldom, under grain_lock, and read
 * relaxed. */
extern uint64_t dag_grain;      /* UINT64_MAX: the budget is used up */
extern uint64_t dag_tied_grain; /* the grain of tied subtrees; 0 while there is room */

static inline uint64_t dag_grain_now(void)
{
    return __atomic_load_n(&dag_grain, __ATOMIC_RELAXED);
}

static inline uint64_t dag_tied_grain_now(void)
{
    return __atomic_load_n(&dag_tied_grain, __ATOMIC_RELAXED);
}

/* The saturated sum of both. It grows when more can be contracted than before. */
static inline uint64_t dag_pressure_now(void)
{
    uint64_t untied = dag_grain_now(), tied = dag_tied_grain_now();
    return untied + tied < untied ? UINT64_MAX : untied + tied;
}

/* [hook] Adds TH's count of nodes to the common one, and sets the grain by the sum. */
void dag_nodes_flush(struct thread *th);
/* [init] Also in the child of fork: the grain is first_grain. */
void dag_grain_reset(void);

/* ---- dagrec_node.c ---- */

extern struct dag_node dag_top; /* parent of tasks that no strand spawned; it never finishes */
/* [hook] A new node of KIND, all else 0. NULL: there is no memory, which is counted. */
struct dag_node *dag_node_new(struct thread *th, uint32_t kind);
void dag_node_free(struct thread *th, struct dag_node *n);
/* [hook] Frees N's list and all lists below it. */
void dag_list_free(struct thread *th, struct dag_node *n);
/* [init] Also in the child of fork: no node is live, and the grain is first_grain. */
void dag_nodes_reset(void);
#if LIBPROF_DEBUG
bool dag_list_is_valid(const struct dag_node *n);
#endif

static inline bool dag_is_done(const struct dag_node *n)
{
    return __atomic_load_n(&n->done, __ATOMIC_ACQUIRE);
}

static inline bool dag_has_events(const struct dag_node *n)
{
    return n->kind == LPF_DAG_WAIT && (n->event || n->after[0]);
}

/* A hash of EVENT. Different sets of events hardly ever have the same sum of weights. */
static inline uint64_t dag_event_weight(uint32_t event)
{
    uint64_t x = event * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
    return x ^ (x >> 32);
}

static inline uint64_t dag_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- dagrec_length.c ---- */

/* A position of a walk along a task's list. REL is a length from the task's start, ABS one from the
 * program's start, which includes waits. */
struct dag_course {
    uint64_t rel, abs;          /* longest path to the strand's position */
    uint64_t work, tasks;       /* so far */
    uint64_t all_rel, all_abs;  /* the latest end of any spawned task */
    uint32_t open_count;
    bool crowded;               /* open[DAG_OPEN] stands for several scopes */
    /* Scopes with unjoined tasks, and the latest end of one of these. */
    struct { uint32_t scope; uint64_t rel, abs; } open[DAG_OPEN + 1];
};

/* [hook] Starts a walk at a position where the task's S was BIRTH. */
void dag_course_start(struct dag_course *c, uint64_t birth);
/* Records that a task of SCOPE ends at REL and ABS. */
void dag_course_end_at(struct dag_course *c, uint32_t scope, uint64_t rel, uint64_t abs);
/* Joins SCOPE. False: nothing of SCOPE is open. */
bool dag_course_join(struct dag_course *c, uint32_t scope);
/* Walks past N. False: N is a task that is not finished, or a join of nothing that is open. */
bool dag_course_pass(struct dag_course *c, const struct dag_node *n);
/* Sets work, span, tasks and events of T, whose subtree is finished. */
void dag_sum_up(struct dag_node *t);

/* ---- dagrec_contract.c ---- */

/* [hook, writer] Contracts T's list: tasks of less work than BELOW become bundles, closed stretches
 * of less work than BELOW become blocks. The caller holds the list's lock, or T is done and the
 * caller holds the lock of the parent's list. DEPTH: levels of lists below T's that are contracted
 * with it. */
void dag_contract(struct thread *th, struct dag_node *t, uint64_t below, int depth);
/* [hook] Puts N at the end of T's list, which is locked. */
void dag_append(struct thread *th, struct dag_node *t, struct dag_node *n);
/* [hook] N.pending is 0: finishes N, and its ancestors for which N was the last pending task. */
void dag_finish(struct thread *th, struct dag_node *n);

/* ---- dagrec.c ---- */

/* The part of a hook's time that lies outside its two clock readings, calibrated at start. */
extern uint64_t dag_own_rest;           /* ticks */
extern uint64_t dag_own_rest_cost;      /* units of the clock */

static inline struct own dag_own_start(struct thread *th)
{
    return own_from(th);
}

static inline void dag_own_stop(struct thread *th, struct own from)
{
    own_until_now(th, from, dag_own_rest, dag_own_rest_cost);
}

/* T's own cost since its last operation. Makes now the last operation. T's node N is locked. */
static inline uint64_t dag_since_mark(const struct task *t, struct dag_node *n)
{
    uint64_t cost = t->own - n->mark;
    n->mark = t->own;
    return cost;
}

/* The numbers that a thread has taken and not used yet: next..end-1. It takes many at a time. If it
 * took one at a time, all threads of a program of small tasks would wait for one counter. */
struct dag_numbers {
    uint32_t next, end;
};

/* The next number of MINE, which takes more from *COUNTER when it is empty. Never 0: 0 stands for
 * no number. */
static inline uint32_t dag_number_next(struct dag_numbers *mine, uint32_t *counter)
{
    enum { EACH = 1024 };
    do {
        if (mine->next == mine->end) {
            mine->next = __atomic_fetch_add(counter, EACH, __ATOMIC_RELAXED);
            mine->end = mine->next + EACH;
        }
    } while (!mine->next++);
    return mine->next - 1;
}

/* [hook] S's number. If S has none, it gets one now. */
uint32_t dag_scope_id(struct scope *s);
/* [hook] Records that T does not go on before S, for WHY. */
void dag_wait_until(struct thread *th, struct task *t, uint64_t S, enum dagrec_hidden why);

#endif
