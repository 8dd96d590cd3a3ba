/* snapshot.h - the sums of a run at one moment: output/snapshot.c fills them in, and
 * output/writer.c writes them. */
#ifndef PRELOAD_DAG_SNAPSHOT_H
#define PRELOAD_DAG_SNAPSHOT_H

#include "contexts/context.h"
#include "dag/thread.h"
#include "libprof_format.h"

/* The samples whose innermost frame is one node of the tree; see struct lpf_sample. */
struct node_samples {
    uint64_t weight, idleness, on_span, blocked;
    uint64_t squares, on_span_squares;      /* see struct lpf_squares */
    bool has_waits;
};

/* The off-CPU samples at a node, by kind: see struct lpf_wait. */
struct node_waits {
    uint64_t weight[LPF_WAIT_KINDS], idleness[LPF_WAIT_KINDS];
};

/* Figures of a context beside the sums of its metrics. */
struct spread {
    uint64_t blocked;               /* ticks off the CPU inside strands */
    uint64_t busiest_work, busiest_tasks, busiest_tid; /* of the thread that did most of its work */
    uint32_t threads;               /* that executed tasks of it */
    struct chunks chunks;
    struct teams_of_one teams;
};

/* Idle time of all threads. The intervals by context, sparse: those of context C and KIND are at
 * found[at[2 * C + KIND] - 1], and nowhere if `at` is 0. */
struct idle_snapshot {
    struct idle outside[IDLE_KINDS - IDLE_CONTEXTS];
    uint32_t *at;                   /* IDLE_CONTEXTS * context_count entries */
    struct idle *found;
    uint32_t count;
    uint64_t off_dispatch, own;     /* ticks: see struct lpf_idle_sum */
};

struct snapshot {
    uint64_t work, span, burden;
    struct lengths len;
    uint64_t root_work, root_span;
    uint64_t tasks, spawns, syncs, steals, events;
    uint64_t chunks, chunks_divided, chunks_unknown, iterations;    /* see struct thread */
    uint64_t idle_tsc, busy_tsc, burden_steals;
    uint32_t workers;               /* P */
    uint64_t search_tsc, sleep_tsc, dispatch_tsc, blocked_tsc, life_tsc;
    uint64_t own_tsc;
    uint32_t burden_source;
    uint32_t context_count;
    uint64_t lost[LOSSES];
    uint64_t approximate;
    uint64_t running;               /* strands of other threads that ran at the snapshot */
    struct metrics *metrics;        /* context_count entries, summed over threads */
    struct spread *spread;          /* context_count entries */
    struct on_span *on_span;        /* context_count entries */
    uint32_t node_count;
    struct node_samples *samples;   /* node_count entries */
    struct node_waits *waits;       /* the same; few are not 0, so few pages are touched */
    uint64_t sampled, sampled_outside, sampled_lost, sampled_cut; /* weights */
    uint64_t sampled_own;           /* of sampled_outside: in libprof's code */
    uint64_t sampled_own_others;    /* such hits, in strands too, times others without a strand */
    /* By scenario; the span is times whatif_unit. NULL: none are tried. */
    uint64_t *scaled_work, *scaled_span;
    struct idle_snapshot idle;
    bool final;
};

#endif
