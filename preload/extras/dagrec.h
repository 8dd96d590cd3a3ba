/* dagrec.h - the dag of a run, contracted, for prof predict to schedule on any number of workers.
 *
 * A task that is recorded has a NODE, which stands in its parent's list of what the parent did, in order: tasks spawned
 * into a scope, joins of a scope, each with what the parent's own strand cost since the one before. Memory is bounded by
 * three contractions of what is over, each of which keeps work and longest path exactly (max-plus algebra):
 *   - a task whose subtree's work is below the GRAIN is a pair (work, span);
 *   - a run of such tasks spawned into one scope is a BUNDLE: the parent's cost C along the run, the longest path M from the
 *     run's start through one of them, their work. (C1,M1)(C2,M2) = (C1 + C2, max(M1, C1 + M2));
 *   - a stretch of a list that joins all that it spawns, with less work than the grain, is a BLOCK in series.
 * The grain doubles as the nodes get near the budget, and what is older is contracted again with it.
 *
 * What is not fork-join (an edge, a path handed on, a message, a dependence) is an arc. Who is waited for PUTS an event, a number
 * that whatever carries its path carries along; BOTH of two events is an event; who waits GETS one. Puts and gets are operations in
 * their tasks' lists (kind WAIT), and nothing of it is contracted while there is room: a subtree that has some of them is TIED.
 * If all arcs of a subtree lie within it, it is contracted like any other. Once half of the budget is used up, lists are
 * contracted without regard to that, and forget old events: those arcs are lost. Whoever got one still does not
 * go on before its S, from the program's start; so work and span stay those of the engine, but when the wait is over on few workers
 * is not known. The same holds for what has no event: somebody else's join. The profile names both.
 *
 * A node's list is under its lock, also for the task's own thread: the invocation of a dag inside one invocation is spawned
 * from by many. A node is finished when its body is over and all in its list is (`pending`, as the loose ends of OpenMP are
 * nobody's join); who finishes it publishes it with `done` (release), and the parent contracts what it finds done
 * (acquire). Own cost: the running strand's clock is set on by what a hook took.
 *
 * All of this is off, at the price of a predicted branch at spawn, join and end, unless PROF_DAG is set.
 */
#ifndef PRELOAD_DAGREC_H
#define PRELOAD_DAGREC_H

#include "model/slab.h"
#include "model/task.h"
#include "model/thread.h"

struct lpf_dag;
struct lpf_dag_arc;
struct lpf_dag_op;

struct dag_node {
    struct dag_node *next, *parent;
    struct dag_node *first, *last;      /* TASK: its list */
    struct task *task;          /* TASK that has not ended */
    uint64_t before, work, span, not_before, tasks;     /* as in struct lpf_dag_op */
    uint64_t birth;             /* TASK: S there */
    uint64_t mark;              /* TASK: its own cost at its last operation; ended: since then. BUNDLE: longest_work */
    uint64_t children;          /* BUNDLE: tasks spawned; TASK: 1, and 0 if it does not count as one */
    union {
        struct { uint64_t spans, longest_at; };         /* BUNDLE */
        struct { uint32_t event, after[2]; };           /* WAIT: what is put here; what is got */
        uint64_t balance;       /* TASK: sum of what was put in its subtree, less what was got: 0 if both are the same */
    };
    uint64_t grain;             /* TASK: its list was contracted with this */
    uint16_t kind;
    bool tied;                  /* TASK: there are events in its subtree */
    bool timed;                 /* TASK: somebody in its subtree waits for what is no arc */
    bool ready;                 /* TASK: no strand spawned it: it starts when its events have happened */
    uint32_t scope;
    uint32_t count, limit;      /* operations in its list; contracted when there are so many */
    uint32_t unfinished;        /* tasks in its list that were not finished when it was contracted, or are newer */
    uint32_t pending;           /* its body, and tasks in its list that are not finished */
    struct lock lock;           /* of its list; a leaf lock */
    uint32_t done;              /* release: all below it is as it stays */
};
_Static_assert(sizeof(struct dag_node) <= BLOCK_NODE_BYTES, "a node has a block of its class");

/* Why the dag is an approximation. */
enum dagrec_hidden { DAGREC_EDGE, DAGREC_PIPELINE, DAGREC_DEPEND, DAGREC_JOIN, DAGREC_SCOPE, DAGREC_LOOSE, DAGREC_SCOPES,
                     DAGREC_MEMORY, DAGREC_LOST, DAGREC_HIDDEN };

extern bool dagrec_on;
#define DAGREC_ON __builtin_expect(dagrec_on, 0)

/* [init] SETTING: PROF_DAG. A bad one gets one line. Then, when the engine is calibrated, recording starts with the program's
 * root strand. */
void dagrec_setup(const char *setting);
void dagrec_start(struct thread *th, struct task *root);
/* [hook] child of fork: ROOT, NULL: none, is all there is. */
void dagrec_forked(struct thread *th, struct task *root);

/* [hook] With DAGREC_ON. FROM, whose strand was cut, spawns T into SCOPE; NULL: no strand does. */
void dagrec_spawn(struct thread *th, struct task *from, struct task *t, struct scope *scope);
/* [hook] T, a task of OWNER's SCOPE, is made ready by events, wherever OWNER is. */
void dagrec_ready(struct thread *th, struct task *owner, struct task *t, struct scope *scope);
/* [hook] T, which was cut, is about to join S. */
void dagrec_join(struct thread *th, struct task *t, struct scope *s);
/* [hook] Where T, which was cut or is paused, is now: an event. What happens when A and B have. 0: none. */
uint32_t dagrec_put(struct thread *th, const struct task *t);
uint32_t dagrec_both(struct thread *th, uint32_t a, uint32_t b);
/* [hook] T goes on after EVENT; LATER: the engine has set T's S on for it. */
void dagrec_get(struct thread *th, struct task *t, uint32_t event, bool later, enum dagrec_hidden why);
/* [hook] The engine has set T's S on, for what is no event and no join of a scope of its own. */
void dagrec_wait(struct thread *th, struct task *t, enum dagrec_hidden why);
/* [hook] T is about to go on after a task that it spawned, which had CHILD for its node and ended with EVENT: if it was the last, as one
 * that is not deferred is, a join. S: as long as its path is, if that is longer than T's; else 0. */
void dagrec_join_kept(struct thread *th, struct task *t, struct dag_node *child, uint32_t event, uint64_t S);
/* [hook] T, all of whose children were spawned, will do nothing more. */
void dagrec_end(struct thread *th, struct task *t);
/* [any] */
void dagrec_note(enum dagrec_hidden why);

/* [writer] Final snapshots only: the operations, parents' before their children's; the arcs. False: there is no dag. */
struct dagrec_emit {
    void (*op)(void *closure, const struct lpf_dag_op *op);
    void (*arc)(void *closure, const struct lpf_dag_arc *arc);
};
bool dagrec_emit(struct lpf_dag *head, const struct dagrec_emit *emit, void *closure);
/* [writer] How often, by reason; and what to call it. */
uint64_t dagrec_hidden_count(enum dagrec_hidden why);
const char *dagrec_hidden_name(enum dagrec_hidden why);

#endif
