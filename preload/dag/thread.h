/* thread.h - the state of a thread, and the list of all threads.
 *
 * A thread's state is made at its first event (lifecycle/thread.c) and never freed: a later thread
 * takes the slot. Its own thread writes it. The writer reads it while the thread runs; each word
 * that it reads is one aligned 64-bit load.
 */
#ifndef PRELOAD_DAG_THREAD_H
#define PRELOAD_DAG_THREAD_H

#include "arch/thread_pointer.h"
#include <signal.h>
#include <stddef.h>
#include "base/memory.h"
#include "clock/clock.h"
#include "contexts/context.h"
#include "dag/idle.h"
#include "dag/lengths.h"
#include "dag/loss.h"
#include "dag/slab.h"

struct hit;
struct logical_path;
struct path_deep;
struct sampling;
struct tally;
struct task;
struct typical;
struct whatif_thread;

/* How often a thread left its CPU: to wait, and because another was to have it. The ns for which it
 * then was ready and had no CPU, after either (sampling/switches.h). */
struct switches {
    uint64_t voluntary, involuntary;
    uint64_t wakeup, preempted;
};

/* In strands, and between them. */
struct thread_switches {
    struct switches inside, between;
};

/* What the last off-CPU sample of a thread found (sampling/off_cpu.c). */
struct thread_watch {
    uint64_t cpu, delay;        /* ns until then: on the CPU; waiting for a CPU */
    uint32_t tid;               /* 0: no strand ran */
    uint32_t of;                /* the thread that all but `tid` is of */
    bool blocked;               /* the strand was blocked, in `node` */
    uint32_t node, kind;        /* where a strand was last found blocked; enum lpf_wait_kind */
    const struct logical_path *path;    /* of that strand; NULL: none was yet */
    uint64_t charged;           /* ns for which off-CPU samples of that thread stand */
    uint64_t delayed;           /* ns that the strands of that thread have waited for a CPU */
    uint64_t unsplit;           /* of these, ns of which the cause was not asked yet */
    /* The switches that were found in strands. All switches at the last reading, and those between
     * that and the one before: without ns. */
    struct switches inside, read, latest;
    uint64_t owed_wakeup, owed_cpu;     /* ns of `inside` that no sample stands for yet */
    uint64_t strand_tsc;        /* thread.strand_tsc then: which strand ran */
};

/* Files of /proc that the sampling thread keeps open, plus 1; 0: not open (thread_facts.h). */
struct thread_files {
    uint32_t tid;
    int fd[3];
};

struct thread {
    struct task *cur;       /* strand that runs now; NULL: none (idle, in the runtime) */
    uint64_t t0;            /* when the strand's current part began; see dag/strand.h */
    struct hit *sampled;    /* sampling/sampler.c: first node hit since the last reading; or NULL */
    struct clock_thread clock;
    uint32_t part_goes_on;  /* the strand's part began where one before it was cut */
    uint32_t kind;          /* enum lpf_thread_kind */
    uint32_t tid;
    uint32_t live;
    struct task *root;      /* its own strand, if the program or nobody created the thread */
    uintptr_t stack_top;    /* above every frame of the thread's own stack */
    uint64_t idle_since;    /* tsc when the last strand paused or ended */
    uint64_t busy_tsc;      /* wall ticks inside strands */
    uint64_t strand_tsc;    /* tsc when the current strand part began */
    /* The idle time between strands, summed: in ticks, and in cost. Only the join shows whether
     * the time before the last resume was idle. Until then between_cost is its cost. */
    uint64_t idle_between_tsc, idle_between_cost, between_cost;
    struct idle_sum *idle_last; /* where the last interval of it counts; NULL: nowhere */
    struct idle *idle_outside[IDLE_KINDS - IDLE_CONTEXTS]; /* of no context; NULL: none */
    /* Tasks that began here, less calls and tasks of never_ready. Of all threads, spawns less
     * never_ready less begun are the tasks that are ready (sampling/ready.h). */
    uint64_t begun;
    /* start of this thread; ticks and cost of the slot's earlier threads */
    uint64_t life_since, life_tsc, life_cost;
    uint64_t spawns, syncs, steals;
    /* spawns that never count as ready; of them: since when they could begin is not known */
    uint64_t never_ready, ready_unknown;
    uint64_t lost[LOSSES];
    /* chunks of loops; those that were divided; those with an unknown number of iterations
     * (engine/divide.h) */
    uint64_t chunks, chunks_divided, chunks_unknown, iterations;
    uint64_t approximate;   /* joins whose on-span split is approximate */
    uint64_t steal_histogram[128]; /* steal latency, 4 buckets an octave of ticks */
    uint64_t steal_samples;
    struct task *detached;  /* the longest detached task that ended here */
    struct lengths detached_len; /* of all of them */
    uint64_t *detached_scaled;
    struct block *free_blocks[BLOCK_CLASSES]; /* slab.h; its own thread alone uses them */
    struct block *returned; /* blocks that others freed; anyone pushes, the owner takes all */
    char *slab, *slab_end, *slab_limit; /* what is free; its pages are made; not yet */
    size_t slab_bytes;      /* of the next one; 0: the first */
    size_t slab_sum;        /* of all */
    struct thread *next;    /* all threads of this process, newest first; never removed */
    struct thread *next_dead; /* lifecycle/thread.c: the list of those that are not `live` */
    struct sampling *sampling; /* sampling/sampler.c */
    char *signal_stack;     /* signals/sigstack.c */
    size_t signal_stack_bytes;
    stack_t program_stack; /* the alternate stack that the program registered; ss_size 0: none */
    uintptr_t thread_pointer;      /* where its thread-local storage is (signals/tls.h) */
    struct path_deep *deep_spawns;  /* unwind/path_deep.c */
    struct whatif_thread *whatif; /* whatif/whatif.c */
    uint32_t aside;         /* in a library that is no task runtime (MPI): threads that it creates
                             * are its own, and are not recorded */
    uint32_t part_event;    /* strand_slow: the event that ends the part; 0: profiler work does */
    int64_t dag_nodes;      /* made less freed here, not yet reported (dagrec/dagrec.c) */
    struct tally *typical_tally;    /* dag/typical.c: a judge's; NULL: not needed yet */
    char *typical_room;     /* for histograms that will be made, */
    size_t typical_left;    /* bytes of it */
    size_t typical_bytes;   /* of all histograms */
    uint64_t measured_tsc;  /* profiler overhead that was measured (dag/own_overhead.h) */
    uint64_t own_off_tsc;   /* the part of it that was off the CPU, between strands */
    struct task *open_task; /* output/snapshot_open.c: the strand that ran at the snapshot */
    uint64_t open, open_blocked; /* its cost, and its time off the CPU, since its last reading */
    uint64_t created_tsc;   /* tsc when it last created a thread of the program; by agents/thread */
    struct thread_switches ended;       /* of the slot's earlier threads; sampling/off_cpu.c */
    /* written by the sampling thread */
    struct thread_watch watch __attribute__((aligned(64)));
    struct thread_files files;
    /* By context id, in pieces of METRICS_PIECE contexts. A piece is mapped when one of its
     * contexts is first measured here, and never unmapped. The first piece is always there. The
     * thread itself writes, the writer reads. */
    struct metrics_piece *metrics[] __attribute__((aligned(64)));
};

#define METRICS_PIECE 64u       /* contexts; a page of metrics */

/* Chunks of loops of more than one iteration, or of an unknown number: struct lpf_chunks. `sized`
 * of by_runtime have a size that the program chose. */
struct chunks {
    uint64_t by_runtime, by_program, sized;
    uint64_t tasks, work, longest;      /* of TASK_CHUNK: struct lpf_handed */
};

/* Executions of a region in a team of one thread, and their work: struct lpf_team_of_one. */
struct teams_of_one {
    uint64_t executions, work;
};

struct metrics_piece {
    struct metrics of[METRICS_PIECE];
    /* ticks off the CPU inside strands; apart, because most contexts have none */
    uint64_t blocked[METRICS_PIECE];
    /* histograms of parts (dag/typical.h); NULL: no part was long enough */
    struct typical_set *typical[METRICS_PIECE];
    struct idle *idle[IDLE_CONTEXTS][METRICS_PIECE];  /* NULL: no interval has ended */
    struct metrics_rare *rare;  /* NULL: none of its contexts has such */
};

/* A page of what few contexts have. */
struct metrics_rare {
    struct chunks chunks[METRICS_PIECE];
    struct teams_of_one teams[METRICS_PIECE];
};

extern __thread struct thread *thread_self_ __attribute__((tls_model("initial-exec")));
/* A task may go on in another thread after it was suspended. */
#define thread_self_ THREAD_LOCAL(thread_self_)
extern struct thread *engine_threads;   /* newest first, push-only */
extern struct thread *engine_main;      /* the thread whose root strand starts the program */

/* [any] TH's metrics of context ID; NULL: nothing was measured there yet. */
static inline struct metrics *thread_metrics(const struct thread *th, uint32_t id)
{
    struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                  __ATOMIC_ACQUIRE);
    return __builtin_expect(piece != 0, 1) ? &piece->of[id % METRICS_PIECE] : 0;
}
/* [hook] The same, made if needed. Without memory: the root's, and counts LOSS_MEMORY. */
struct metrics *thread_metrics_new(struct thread *th, uint32_t id);
static inline struct metrics *thread_metrics_made(struct thread *th, uint32_t id)
{
    struct metrics *m = thread_metrics(th, id);
    return __builtin_expect(m != 0, 1) ? m : thread_metrics_new(th, id);
}
/* [any] TH's ticks off the CPU in context ID. */
static inline uint64_t thread_blocked(const struct thread *th, uint32_t id)
{
    const struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                        __ATOMIC_ACQUIRE);
    return piece ? piece->blocked[id % METRICS_PIECE] : 0;
}
/* [any] TH's histograms of parts of context ID. NULL: there are none. */
static inline struct typical_set *thread_typical(const struct thread *th, uint32_t id)
{
    const struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                        __ATOMIC_ACQUIRE);
    return piece ? __atomic_load_n(&piece->typical[id % METRICS_PIECE], __ATOMIC_ACQUIRE) : 0;
}
/* [any] Does TH, whose strand began at SINCE, only create and join threads? So it is if no sample
 * has SEEN it at work since it created one, or joined one. It may come to the next join late, if
 * others have the CPUs: until then it is no worker. */
static inline bool thread_only_creates(const struct thread *th, uint64_t since, uint64_t seen)
{
    uint64_t created = __atomic_load_n(&th->created_tsc, __ATOMIC_RELAXED);
    return created && seen < (created > since ? created : since);
}
/* [hook] Adds TICKS off the CPU in context ID. Without memory, they go to the root's. */
void thread_blocked_add(struct thread *th, uint32_t id, uint64_t ticks);
/* [hook] TH's chunks of context ID. NULL: no memory. */
struct chunks *thread_chunks(struct thread *th, uint32_t id);
/* [hook] An execution of context ID in a team of one has ended. Without memory it is lost. */
void thread_team_of_one(struct thread *th, uint32_t id, uint64_t work);
/* [any] Pieces that the metrics of all contexts may need. */
uint32_t thread_metrics_pieces(void);

#endif
