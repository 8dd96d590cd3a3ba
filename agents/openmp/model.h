/* model.h - OpenMP's constructs as a dag, for the agents of its runtimes (gomp.c, ompt.c), which say what happens
 * and know how to see it. OpenMP 5.2, chapters 10 (parallel), 12 (tasking), 15 (synchronisation).
 *
 * A parallel region is one invocation: a call that its encountering strand waits for. Its implicit tasks are
 * born where the region begins. A barrier ends all of them, with the tasks that they and their descendants
 * created, and bears new ones: an EPOCH lies between two barriers. So the path across a barrier is whichever
 * was longest, whole, with its provenance, and the split of the span stays exact.
 *
 *   explicit task   a child of the task that creates it; deferred in meaning whenever OpenMP lets it be, so that
 *                   work and span are the same on one thread. if(0), final's descendants and tasks outside every
 *                   region are calls
 *   taskwait        joins the children, not theirs (engine_end_loose)
 *   taskgroup       a scope of its own; joined with what its tasks left behind
 *   depend          depend.h; between tasks of one parent
 *   detach          the task ends with its body or with the fulfilment, whichever is later
 *   loop chunk      handed out one by one (dynamic, guided, runtime): a strand parallel to the thread's others.
 *                   What a static schedule gives to a thread is invisible, and part of the implicit task
 *   ordered         everybody goes on after the ordered blocks before; with sinks and sources: after the iterations waited for
 *   critical, atomic, locks: no edges; who waits for them, for the turn in an ordered loop, or for a source, is idle (wait.h)
 *
 * [hook] all; each finds the calling thread's state by itself, and does nothing where there is none. errno is kept by
 * what they call.
 */
#ifndef AGENTS_OPENMP_MODEL_H
#define AGENTS_OPENMP_MODEL_H

#include "engine/engine.h"
#include "hooks/site.h"

/* How OpenMP uses the flags that a task has for its agent. */
enum { TASK_AGENT_OMP = TASK_AGENT_0, TASK_AGENT_AWAY = TASK_AGENT_1, TASK_AGENT_UNTIED = TASK_AGENT_2, TASK_AGENT_OVER = TASK_AGENT_3 };

struct omp_data;
struct omp_group;
struct omp_share;
struct doacross;
struct doacross_seat;

/* What everybody who comes later goes on after, of those who were there before. */
enum omp_meet { OMP_MEET_SINGLE, OMP_MEETS };

/* A region that is executed; the agent's, zeroed, until omp_region_end. */
struct omp_region {
    struct task *invocation;    /* NULL: not recorded */
    struct task *strand;        /* encountered it, paused */
    struct scope *scope;        /* of the invocation alone */
    struct lock lock;           /* of epoch, and of joining one */
    uint32_t epoch;             /* barriers that all have left behind */
    struct edge meet[OMP_MEETS];
    uint32_t size;              /* threads */
    struct lock doacross_lock;  /* of the next; a leaf lock */
    struct doacross *doacross;  /* ordered and doacross loops that threads are in */
};

enum omp_task_flag {
    OMP_CALL = 1,               /* undeferred: its creator goes on when it has ended */
    OMP_FINAL = 2,              /* so are its descendants */
    OMP_DETACH = 4,
};

/* A barrier that the calling thread is in. */
struct omp_barrier {
    struct omp_data *data;      /* NULL: no implicit task arrived */
    struct region_instance *regions;
};

/* The region's encountering thread, before and after. CONSTRUCT: static string. */
void omp_region_begin(struct omp_region *r, const struct path_point *from, const struct site_style *style, const char *construct);
void omp_region_end(struct omp_region *r);
/* A thread's implicit task, the NUMth of SIZE. ENTRY: struct task; AT: it is TASK_ENTRY_AT's. */
void omp_implicit_begin(struct omp_region *r, uint32_t num, uint32_t size, uintptr_t entry, bool at);
void omp_implicit_end(void);
void omp_barrier_begin(struct omp_barrier *b);
void omp_barrier_end(struct omp_barrier *b);
void omp_barrier_abandon(struct omp_barrier *b);    /* it was the region's last: the thread has nothing behind it */

/* The running strand of a region comes to a meeting, goes on after it. */
void omp_meet_put(enum omp_meet which);
void omp_meet_get(enum omp_meet which);

/* The running task creates one. NULL: it goes unseen. */
struct task *omp_task_new(const struct path_point *from, const struct site_style *style, const char *construct, uint32_t flags);
/* Its body starts; what it depends on has ended. Returns the strand that it interrupts, or NULL. */
struct task *omp_task_begin(struct task *t, uintptr_t entry, bool at);
/* ... and ends; the interrupted strand goes on. */
void omp_task_end(struct task *interrupted);
/* It will never run. */
void omp_task_discard(struct task *t);
/* The running strand fulfils the event of T, which is detachable. Is the running task, whose event has not been fulfilled? It is, which
 * was not told before. */
void omp_task_fulfill(struct task *t);
bool omp_task_has_event(void);
void omp_task_detach(void);
/* Is the running task final: are those that it creates? */
bool omp_task_is_final(void);

/* The running task waits in the runtime: for its children, at the end of its innermost taskgroup, for others. */
struct task *omp_wait_begin(void);
void omp_wait_end(struct task *strand, bool joins);
void omp_wait_all_end(struct task *strand);     /* ... for all its descendants, outside of taskgroups */
void omp_group_begin(void);
void omp_group_end(struct task *strand);

/* The running strand asks to enter what only one may be in (omp_wait_begin), and is in; or it waits for what others do, without joining
 * them. Returns how long it waited, in ticks; not 0, of the former: tell from where and what for; FLAGS as of wait_count. */
uint64_t omp_entered(struct task *strand);
void omp_waited(uint64_t ticks, const struct path_point *from, const struct site_style *style, const char *construct, uint32_t flags);

/* The running implicit task begins a loop: its parts are as executed, or chunks. kind: it is in one. is_static: which of both is its
 * loop, the innermost of those that are nested? True: nothing is recorded either. in: has that been said of the loop that it is in? */
void omp_loop_begin(bool is_static);
void omp_loop_kind(bool is_static);
bool omp_loop_is_static(void);
bool omp_in_loop(void);
/* The running implicit task, or chunk, gets the next chunk of its loop, or none. */
void omp_chunk_next(struct task *strand, bool got);
/* A runtime call between chunks: the chunk has ended. Returns what omp_chunk_next wants. */
struct task *omp_chunk_end(void);
/* The loop is over for this thread. */
void omp_loop_end(void);

/* doacross.c: the running implicit task begins such a loop of N nested ones, from lower to upper, inclusive, by stride; and has
 * left it. Its iteration AT posts; STRAND, paused by omp_wait_begin, goes on after iteration AT, once the runtime has let it. doacross_leave,
 * doacross_free: model.c's; a thread's part of the region ends, the region does. */
enum { DOACROSS_DIMENSIONS = 32 };
struct doacross_dimension {
    int64_t lower, upper, stride;
};
void omp_doacross_begin(unsigned n, const struct doacross_dimension *dimensions);
void omp_doacross_end(void);
void omp_doacross_post(const int64_t *at);
void omp_doacross_after(struct task *strand, const int64_t *at);
/* Likewise of an ordered loop; its running iteration is let into its ordered block, is about to leave it. */
void omp_ordered_begin(void);
void omp_ordered_enter(void);
void omp_ordered_leave(void);
void doacross_leave(struct thread *th, struct omp_data *d);
void doacross_free(struct thread *th, struct omp_region *r);

/* cancel.c: a task was created, or a taskloop; it starts, have all its tasks (false: it was discarded); something was cancelled; those of a
 * team, within a taskgroup, or of a creator are about to be joined: they have all ended or were dropped. place: what the
 * running task creates. */
extern bool omp_cancellation;   /* set by an agent whose runtime may cancel, before the first task */
struct omp_pending {
    const struct omp_region *team; /* the innermost region and taskgroup around its creation */
    const void *within;         /* taskgroup: whatever stands for it */
    const struct task *creator;
    struct task *task;
    struct omp_share *share;    /* it is a taskloop */
    struct omp_pending *next, **at; /* at == NULL: it is not listed */
};
void omp_cancelled(void);
bool omp_pending_place(struct thread *th, struct omp_pending *p);
void omp_pending_add(struct omp_pending *p);
bool omp_pending_remove(struct omp_pending *p);
void omp_pending_discard(bool (*joined)(const struct omp_pending *p, const void *by), const void *by);
bool omp_pending_of_team(const struct omp_pending *p, const void *team);
bool omp_pending_within(const struct omp_pending *p, const void *group);
bool omp_pending_of_task(const struct omp_pending *p, const void *creator);

/* detach.c: an event of T, which is detachable. The runtime says the event's handle when T is created, and to its
 * body: whoever is first makes it known. Each of both comes once. AWAITED: T is undeferred, its creator goes on when the event is
 * fulfilled, by omp_event_awaited, before its omp_event_known; all-zero, there until then. NULL: it does not wait. */
struct omp_event *omp_event_new(struct task *t, struct edge *awaited);
void omp_event_known(struct omp_event *e, uintptr_t handle);
void omp_event_fulfill(uintptr_t handle);
void omp_event_awaited(struct omp_event *e);

/* taskloop.c: N iterations by STEP from FIRST, whose tasks the runtime makes while the creator calls it. GROUP: the call
 * waits for them. FINAL: the tasks are. NULL: not recorded. created: the call is over. begin, end: a task with [FIRST, LAST); as
 * omp_task_begin and omp_task_end. discard: those that have not started never will. */
struct omp_share *omp_share_new(const struct path_point *from, const struct site_style *style, uint64_t n, int64_t first,
                                int64_t step, bool group, bool final);
void omp_share_created(struct omp_share *s);
struct task *omp_share_begin(struct omp_share *s, int64_t first, int64_t last, uintptr_t entry);
void omp_share_end(struct omp_share *s, struct task *interrupted);
void omp_share_discard(struct omp_share *s);

/* ompt.c: omp_loop_kind of gcc's code on libomp; the thread fulfils an event, or has. Does libomp tell us what it does? */
void ompt_schedule(bool is_static, bool starts);
/* Of the same code: what follows waits, to begin a loop or for its turn in one, until a part is asked for or this is over: how many ticks. */
void ompt_loop_waits(void);
uint64_t ompt_loop_waited(void);
void ompt_fulfilling(bool begins);
bool ompt_is_told(void);

/* For depend.c and others of this folder: whose children are those that T creates; the data of T, made if needed; NULL: T is not OpenMP's, or no memory. */
struct depend_node;
struct task *omp_creator(struct task *t);
struct omp_data {
    uint32_t flags;
    uint32_t ends;              /* OMP_DETACH: of body and fulfilment, those still to come */
    struct depend_node *node;   /* who depends on it */
    struct depend_list *before; /* what it depends on */
    struct omp_group *groups;   /* that it has begun itself, innermost first */
    struct depend_table *table; /* of its children */
    struct doacross_seat *doacross; /* the loop that it is in */
    struct task *chunk_of;      /* the implicit task, paused, whose chunk this is */
    struct scope *loop;         /* of the chunks of this implicit task */
    struct omp_region *region;  /* of implicit tasks and chunks */
    uint32_t num, epoch;
    uintptr_t entry;            /* between two strands: where they are entered */
    uint32_t doacross_count;    /* such loops so far */
    bool in_loop, static_loop;  /* omp_loop_kind: one that has not ended; it, or the last one, is static */
    struct edge fulfilled;      /* OMP_DETACH: the fulfiller's path */
    struct omp_pending pending; /* with omp_cancellation alone */
};
struct omp_data *omp_data_of(struct thread *th, struct task *t);
struct scope *omp_scope(struct task *t);
void omp_scope_drop(struct thread *th, struct scope *s);

#endif
