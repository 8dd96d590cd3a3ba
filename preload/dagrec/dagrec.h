/* dagrec.h - records the dag of a run, contracted. prof predict schedules it on any number of
 * workers.
 *
 * A recorded task has a NODE. The node has a list of the task's OPERATIONS in their order: spawns
 * into a scope and joins of a scope. Each operation has the task's own cost since the operation
 * before it. Three contractions of finished subtrees bound the memory. Each keeps work and longest
 * path exactly (max-plus algebra):
 *   - A task whose subtree has less work than the GRAIN becomes a pair (work, span).
 *   - Neighbouring tasks of this kind that were spawned into one scope become a BUNDLE: the
 *     parent's cost C along the run, the longest path M from the run's start through one of them,
 *     and their work. (C1,M1)(C2,M2) = (C1 + C2, max(M1, C1 + M2)).
 *   - A stretch of a list that joins all its spawns and has less work than the grain becomes a
 *     BLOCK, in series with the rest.
 * The grain doubles as the number of nodes nears the budget. Older lists are then contracted again.
 *
 * A dependence that is no spawn and no join (an edge, a path handed on, a message, an OpenMP
 * dependence) is an arc. The strand that others wait for PUTS an event: a number that travels with
 * its path. The strand that waits GETS the event. BOTH of two events is an event, too. Puts and
 * gets are operations of kind WAIT in their tasks' lists. A subtree with such operations is TIED:
 * while there is room it is contracted only if all its arcs lie within it. Once half of the budget
 * is used up, lists are contracted regardless and forget old events: those arcs are lost. A strand
 * that got such an event still does not go on before its S, counted from the program's start. So
 * work and span stay those of the engine, but the end of the wait on few workers is unknown. The
 * same holds for a wait without an event: a strand's join of what another strand spawned. The
 * profile names both.
 *
 * A node's lock protects its list, also from the task's own thread: many strands spawn from the
 * invocation of a dag inside one invocation. A node is finished when its body is over and all tasks
 * in its list are finished. `pending` counts these, because no strand joins the loose ends of
 * OpenMP. The thread that finishes a node publishes it with `done` (release). The parent contracts
 * what it finds done (acquire). A hook does not charge its time to the running strand.
 *
 * Without PROF_DAG all of this is off. It then costs a predicted branch at spawn, join and end.
 */
#ifndef PRELOAD_DAGREC_DAGREC_H
#define PRELOAD_DAGREC_DAGREC_H

#include "dag/slab.h"
#include "dag/task.h"
#include "dag/thread.h"

struct lpf_dag;
struct lpf_dag_arc;
struct lpf_dag_op;

struct dag_node {
    struct dag_node *next, *parent;
    struct dag_node *first, *last;      /* TASK: its list */
    struct task *task;          /* TASK: the task until it ends, then NULL */
    uint64_t before, work, span, not_before, tasks;     /* as in struct lpf_dag_op */
    uint64_t birth;             /* TASK: its S at birth */
    uint64_t mark;              /* TASK: its own cost at its last operation; once it has ended,
                                 * its own cost since then. BUNDLE: work of the task that its
                                 * longest path runs through */
    uint64_t children;          /* BUNDLE: tasks spawned; TASK: 1, or 0 if it is not counted */
    union {
        struct { uint64_t spans, longest_at; };         /* BUNDLE */
        struct { uint32_t event, after[2]; };           /* WAIT: the event put; the events got */
        uint64_t balance;       /* TASK: the weights of the events put in its subtree, less those
                                 * of the events got; 0: the same events were put and got */
    };
    uint64_t grain;             /* TASK: pressure when its list was last contracted */
    uint16_t kind;
    bool tied;                  /* TASK: there are events in its subtree */
    bool timed;                 /* TASK: a wait in its subtree has no arc */
    bool ready;                 /* TASK: no strand spawned it; it starts after its events */
    uint32_t scope;
    uint32_t count, limit;      /* TASK: length of its list; the length that makes it contract */
    uint32_t unfinished;        /* TASK: tasks in its list that the last contraction found
                                 * unfinished, and newer ones */
    uint32_t pending;           /* TASK: 1 for its body, and the unfinished tasks in its list */
    struct lock lock;           /* protects the list; a leaf */
    uint32_t done;              /* release: from now on only the parent changes this subtree */
};
_Static_assert(sizeof(struct dag_node) <= BLOCK_NODE_BYTES, "a node has a block of its class");

/* Why the dag is an approximation. */
enum dagrec_hidden { DAGREC_EDGE, DAGREC_PIPELINE, DAGREC_DEPEND, DAGREC_JOIN, DAGREC_SCOPE,
                     DAGREC_LOOSE, DAGREC_SCOPES, DAGREC_MEMORY, DAGREC_LOST, DAGREC_HIDDEN };

extern bool dagrec_on;
#define DAGREC_ON __builtin_expect(dagrec_on, 0)

/* [init] Reads SETTING, the value of PROF_DAG. A bad value causes one line of warning. */
void dagrec_setup(const char *setting);
/* [any] Is the dag to be recorded? */
bool dagrec_wanted(void);
/* [init] Starts recording with the program's root strand, once the engine is calibrated. */
void dagrec_start(struct thread *th, struct task *root);
/* [hook] In the child of fork. ROOT is the only task; NULL: there is none. */
void dagrec_forked(struct thread *th, struct task *root);

/* Call the hooks below only if DAGREC_ON. A strand is cut if the engine has just added its cost up
 * to now. */
/* [hook] FROM, whose strand was cut, spawns T into SCOPE. FROM NULL: no strand spawns T. */
void dagrec_spawn(struct thread *th, struct task *from, struct task *t, struct scope *scope);
/* [hook] Events make T ready, a task of SCOPE. The scope's owner may run or end on another
 * thread. */
void dagrec_ready(struct thread *th, struct task *t, struct scope *scope);
/* [hook] T, which was cut, is about to join S. */
void dagrec_join(struct thread *th, struct task *t, struct scope *s);
/* [hook] An event for the present position of T, which was cut or is paused. 0: there is none. */
uint32_t dagrec_put(struct thread *th, const struct task *t);
/* [hook] The event that happens when both A and B have happened. 0: there is none. */
uint32_t dagrec_both(struct thread *th, uint32_t a, uint32_t b);
/* [hook] T goes on after EVENT. LATER: the engine has raised T's S for it. */
void dagrec_get(struct thread *th, struct task *t, uint32_t event, bool later,
                enum dagrec_hidden why);
/* [hook] The engine has raised T's S, for a wait that is no event and no join of T's own scope. */
void dagrec_wait(struct thread *th, struct task *t, enum dagrec_hidden why);
/* [hook] T is about to go on after a task that it spawned. CHILD is that task's node, EVENT its
 * end. If CHILD is T's last operation, as an undeferred task is, this is a join. S: the length of
 * the task's path if that is longer than T's; else 0. */
void dagrec_join_kept(struct thread *th, struct task *t, struct dag_node *child, uint32_t event,
                      uint64_t S);
/* [hook] T has ended: it spawns nothing more. */
void dagrec_end(struct thread *th, struct task *t);
/* [any] Counts one occurrence of WHY. */
void dagrec_note(enum dagrec_hidden why);

struct dagrec_emit {
    void (*op)(void *closure, const struct lpf_dag_op *op);
    void (*arc)(void *closure, const struct lpf_dag_arc *arc);
};
/* [writer] For final snapshots only. Emits the operations, those of a parent before those of its
 * children, and then the arcs. False: no dag was recorded, or there is no memory. */
bool dagrec_emit(struct lpf_dag *head, const struct dagrec_emit *emit, void *closure);
/* [writer] The number of occurrences of WHY, and its name in the report. */
uint64_t dagrec_hidden_count(enum dagrec_hidden why);
const char *dagrec_hidden_name(enum dagrec_hidden why);

#endif
