/* model_data.h - the model's record of each OpenMP strand. From the record the model finds whose
 * children a strand creates, and the scope in which they are joined. The lowest layer of the model
 * (model.h lists the layers).
 *
 * Only the strand that a record belongs to reads and writes the record, unless a field's comment
 * states otherwise.
 */
#ifndef AGENTS_OPENMP_MODEL_DATA_H
#define AGENTS_OPENMP_MODEL_DATA_H

#include "dag/slab.h"
#include "engine/engine.h"

struct depend_table;
struct doacross;
struct doacross_seat;

/* How OpenMP uses the flags that a task has for its agent. */
enum omp_agent_flag {
    /* a task of OpenMP: constructs of other agents nest in it */
    OMP_TASK = TASK_AGENT_0,
    OMP_TASK_AWAY = TASK_AGENT_1,       /* see ompt.h */
    OMP_TASK_UNTIED = TASK_AGENT_2,
    OMP_TASK_OVER = TASK_AGENT_3,
    OMP_TASK_FINAL = TASK_AGENT_4,      /* the task's descendants are undeferred, too */
};

/* Meetings: a strand that leaves a meeting goes on after all strands that came before. */
enum omp_meet { OMP_MEET_SINGLE, OMP_MEETS };

/* A parallel region while it runs. The agent owns it, zeroed at first, until omp_region_end. */
struct omp_region {
    struct task *invocation;    /* of the region; NULL: the region is not recorded */
    struct task *strand;        /* the strand that encountered the region; paused */
    struct scope *scope;        /* holds the invocation alone */
    struct lock lock;           /* protects `epoch`, and the join at its end */
    uint32_t epoch;             /* barriers that all threads have left */
    struct edge meet[OMP_MEETS];
    uint32_t size;              /* threads of the team */
    uint64_t forked;            /* tsc when the encountering strand was paused */
    uint64_t before;            /* work of the regions that ended on its thread before it began */
    int64_t step;               /* the step of a region that is a loop; 0: not known */
    uint64_t chunk;             /* its chunk size, as in struct omp_data */
    struct lock doacross_lock;  /* protects `doacross`; a leaf lock */
    struct doacross *doacross;  /* the ordered and doacross loops that threads are in */
};

/* A taskgroup that is open. */
struct omp_group {
    struct omp_group *outer;
    struct scope *scope;
};

/* A task, or a taskloop, that a cancellation may drop before it starts: see cancel.h. */
struct omp_pending {
    const struct omp_region *team;  /* the innermost region around the creation */
    const void *within; /* an address that identifies the innermost taskgroup around the creation */
    const struct task *creator;
    struct task *task;          /* NULL: it is a taskloop */
    void (*discard)(struct omp_pending *p); /* called when P is dropped */
    struct omp_pending *next, **at; /* at == NULL: it is not listed */
};

/* What few strands need of their record, so most records do without it. */
struct omp_data_more {
    /* For a static loop whose parts the runtime hands out. In the divided dag (engine/divide.h) all
     * parts of a thread begin at parts_from. The longest ends at parts_best. */
    uint64_t parts_from, parts_best;
    int64_t step;               /* of its loop; 0: not known */
    uint64_t chunk; /* of its loop: the size of chunks that the program chose; 0: it did not */
    struct edge fulfilled;      /* OMP_DETACH: the path of the strand that fulfils the event */
    struct omp_pending pending; /* used with omp_cancellation alone */
};

/* A task's agent word points to this. */
struct omp_data {
    uint32_t flags;             /* enum omp_task_flag */
    uint32_t ends; /* OMP_DETACH: how many of {body, fulfilment} have not ended; atomic */
    struct omp_group *groups;   /* taskgroups that the strand itself has begun, innermost first */
    struct depend_table *table; /* dependences of its children */
    struct doacross_seat *doacross; /* its place in the ordered or doacross loop that it is in */
    struct scope *loop;         /* an implicit task's: holds the chunks of its loop */
    struct omp_region *region;  /* of implicit tasks */
    /* an implicit task's: its thread's number; the barriers that it has left */
    uint32_t num, epoch;
    uintptr_t entry;            /* an implicit task's, between two strands: where its frames end */
    struct omp_data_more *more; /* NULL: none of it is set */
    uint32_t doacross_count;    /* ordered and doacross loops so far */
    bool in_loop;               /* omp_loop_kind was called for a loop that has not ended */
    bool in_parts;              /* more->parts_from is set */
    bool static_loop;           /* the loop it is in, or the last one, is static */
};
_Static_assert(sizeof(struct omp_data) + sizeof(struct block) <= 128, "two cache lines");

enum omp_task_flag {
    OMP_CALL = 1,               /* undeferred: the creator goes on when the task has ended */
    OMP_FINAL = 2,              /* the task's descendants are undeferred, too */
    /* the task ends with its body or with the fulfilment of its event: the later one */
    OMP_DETACH = 4,
    /* the task is a call, depends on no other, and its body starts next on this thread */
    OMP_AT_ONCE = 8,
    /* the running task creates it in the name of its own creator: both are that one's children */
    OMP_SIBLING = 16,
};

/* [hook] More of D, made and zeroed if there is none. NULL: there is no memory. */
struct omp_data_more *omp_more_of(struct thread *th, struct omp_data *d);

/* [hook] S has been joined, and nobody will use it again. */
void omp_scope_drop(struct thread *th, struct scope *s);

static inline bool is_omp(const struct task *t)
{
    return t && t->flags & OMP_TASK;
}

/* [hook] The record of T, an OpenMP task that has none. NULL: there is no memory. */
struct omp_data *omp_data_new(struct thread *th, struct task *t);
/* [hook] The record of T, made if there is none. NULL: T is not OpenMP's, or there is no memory. */
static inline struct omp_data *omp_data_of(struct thread *th, struct task *t)
{
    if (!is_omp(t))
        return 0;
    return t->agent ? t->agent : omp_data_new(th, t);
}

/* [hook] The record of T; NULL: T has none. */
static inline struct omp_data *omp_data_if_any(const struct task *t)
{
    return is_omp(t) ? t->agent : 0;
}

/* [hook] The paused implicit task whose chunk T is; NULL: T is no chunk of a loop. A chunk needs no
 * record of its own, unless the program begins a taskgroup in it. */
static inline struct task *omp_chunk_of(const struct task *t)
{
    return t && t->flags & TASK_CHUNK ? t->chunk_of : 0;
}

/* [hook] The strand whose children T creates: for a chunk of a loop the implicit task, else T
 * itself. */
static inline struct task *omp_creator(struct task *t)
{
    struct task *strand = omp_chunk_of(t);
    return strand ? strand : t;
}

/* [hook] The innermost taskgroup around T. A chunk is inside the groups of its implicit task. But a
 * group that a chunk begins is the chunk's own, and the chunk also ends it. */
static inline struct omp_group *omp_group_of(struct task *t)
{
    struct omp_data *d = omp_data_if_any(t);
    if (d && d->groups)
        return d->groups;
    d = omp_data_if_any(omp_chunk_of(t));
    return d ? d->groups : 0;
}

/* [hook] The scope into which T spawns. NULL: no memory. */
static inline struct scope *omp_scope(struct thread *th, struct task *t)
{
    struct omp_group *g = omp_group_of(t);
    return g ? g->scope : scope_own(th, omp_creator(t));
}

#endif
