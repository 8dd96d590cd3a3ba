/* thread.h - the state of a thread, and the list of all threads.
 *
 * A thread's state is made at its first event (process/thread.c) and never freed: a later thread
 * takes the slot. Its own thread writes it. The writer reads it while the thread runs; each word
 * that it reads is one aligned 64-bit load.
 */
#ifndef PRELOAD_DAG_THREAD_H
#define PRELOAD_DAG_THREAD_H

#include <stddef.h>
#include "base/memory.h"
#include "clock/clock.h"
#include "context/context.h"
#include "dag/lengths.h"
#include "dag/slab.h"

struct hit;
struct path_deep;
struct sampling;
struct task;
struct whatif_thread;

/* Why something could not be recorded; the report names each. */
enum loss { LOSS_MEMORY, LOSS_CONTEXTS, LOSS_LATE_JOIN, LOSS_REGION, LOSS_UNBALANCED, LOSS_PREFIX,
            LOSS_NODES, LOSS_PATHS, LOSS_SAMPLES, LOSS_FS_BASE, LOSSES };

/* What an off-CPU sample of a thread found (sampling/blocked.c). */
struct thread_watch {
    uint64_t cpu, delay;        /* ns of CPU time then, and of waiting for a CPU */
    uint32_t tid, node;         /* tid 0: there was no strand */
    bool blocked;               /* in NODE */
    uint32_t of;                /* the thread, whose strands have waited for a CPU for */
    uint64_t delayed;           /* ns */
};

struct thread {
    struct task *cur;       /* strand that runs now; NULL: none (idle, in the runtime) */
    uint64_t t0;            /* clock at the start of the strand's current part */
    struct hit *sampled;    /* sampling/sampler.c: first node hit since the last reading; or NULL */
    struct clock_thread clock;
    uint32_t kind;          /* enum lpf_thread_kind */
    uint32_t tid;
    uint32_t live;
    struct task *root;      /* its own strand, if the program or nobody created the thread */
    uintptr_t stack_top;    /* above every frame of the thread's own stack */
    uint64_t idle_since;    /* tsc when the last strand paused or ended */
    uint64_t busy_tsc;      /* wall ticks inside strands */
    uint64_t strand_tsc;    /* tsc when the current strand part began */
    /* Gaps between strands that were idle, wall and clock, summed. What the last gap before a
     * resume was is known at the join only: until then resume_gap is its clock part. */
    uint64_t idle_gap_tsc, idle_gap_cost, resume_gap;
    /* wall and clock of this thread and the slot's earlier ones */
    uint64_t life_since, life_tsc, life_cost;
    uint64_t spawns, syncs, steals;
    uint64_t lost[LOSSES];
    /* chunks of loops; of these divided, and with an unknown number of iterations
     * (engine/divide.h) */
    uint64_t chunks, chunks_divided, chunks_unknown, iterations;
    uint64_t approximate;   /* joins whose on-span split is approximate */
    uint64_t steal_histogram[128]; /* steal latency, 4 buckets an octave of ticks */
    uint64_t steal_samples;
    struct task *detached;  /* longest detached task that ended here; kept */
    struct lengths detached_len; /* of all of them */
    uint64_t *detached_scaled;
    struct block *free_blocks[BLOCK_CLASSES]; /* slab.h: mine */
    struct block *returned; /* what others freed: lock-free stack, anyone pushes, owner takes all */
    char *slab, *slab_end;
    size_t slab_bytes;      /* of the next one; 0: the first */
    struct thread *next;    /* all threads, newest first; never removed */
    struct sampling *sampling; /* sampling/sampler.c */
    char *signal_stack;     /* signals/sigstack.c */
    uintptr_t fs_base;      /* where its thread-local storage is (signals/fsbase.h) */
    struct path_deep *deep_spawns;  /* unwind/path_deep.c */
    struct whatif_thread *whatif; /* whatif/whatif.c */
    int64_t dag_nodes;      /* made less freed here, not yet reported (dagrec/dagrec.c) */
    uint64_t measured_tsc;  /* profiler overhead that was measured (dag/own.h) */
    struct task *open_task; /* output/snapshot.c: the strand that ran at the snapshot, */
    uint64_t open, open_blocked; /* what it had cost and been off the CPU since its last reading */
    /* sampling/blocked.c's thread writes it */
    struct thread_watch watch __attribute__((aligned(64)));
    /* By context id: pieces of METRICS_PIECE contexts, mapped when the first of them is measured
     * here, then for ever; the first piece is always there. Own thread writes, writer reads. */
    struct metrics_piece *metrics[] __attribute__((aligned(64)));
};

#define METRICS_PIECE 64u       /* contexts; a page of metrics */

struct metrics_piece {
    struct metrics of[METRICS_PIECE];
    /* ticks off the CPU inside strands; touched where there are some, so the page often is not */
    uint64_t blocked[METRICS_PIECE];
};

extern __thread struct thread *thread_self_ __attribute__((tls_model("initial-exec")));
extern struct thread *engine_threads;   /* newest first, push-only */
extern struct thread *engine_main;      /* the thread whose root strand starts the program */

/* [any] TH's metrics of context ID; NULL: nothing was measured there yet. */
static inline struct metrics *thread_metrics(const struct thread *th, uint32_t id)
{
    struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                  __ATOMIC_ACQUIRE);
    return __builtin_expect(piece != 0, 1) ? &piece->of[id % METRICS_PIECE] : 0;
}
/* [hook] The same, made if needed. Without memory: the root's, and that is counted. */
struct metrics *thread_metrics_made(struct thread *th, uint32_t id);
/* [any] Its ticks off the CPU; 0 where nothing was measured. */
static inline uint64_t thread_blocked(const struct thread *th, uint32_t id)
{
    const struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                        __ATOMIC_ACQUIRE);
    return piece ? piece->blocked[id % METRICS_PIECE] : 0;
}
/* [hook] TICKS more of them. Without memory they are the root's. */
void thread_blocked_add(struct thread *th, uint32_t id, uint64_t ticks);
/* [any] Pieces that the metrics of all contexts may need. */
uint32_t thread_metrics_pieces(void);

#endif
