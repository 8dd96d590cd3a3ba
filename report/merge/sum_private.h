/* sum_private.h - what the files of a sum share: sum_list.c, sum_contexts.c, sum_named.c, sum.c. */
#ifndef REPORT_MERGE_SUM_PRIVATE_H
#define REPORT_MERGE_SUM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "merge/keys.h"
#include "profile/profile.h"

/* Where the places of modules begin: above all addresses that a process can have. */
#define FIRST_PLACE ((uint64_t)1 << 62)

struct list {
    void *data;
    size_t count, capacity, size;   /* items; items; bytes of an item */
    struct keys keys;               /* of the items that are found by a key */
};

struct sum {
    uint32_t mode;
    uint64_t next_place;        /* the address at which the next module will lie */
    struct list strings;        /* bytes */
    struct list settings, modules, sites, contexts, regions, notes, threads, nodes, samples, inputs;
    struct list ranks, rank_samples;
    /* struct lpf_awaited by context and rank; ascending */
    struct list awaited_of, awaited;
    /* a struct lpf_region_rank for each region; sum_view copies those with ranks */
    struct list region_ranks_of, region_ranks;
    struct list candidates, scenarios, terms;   /* those of all inputs; empty if they differ */
    /* a struct lpf_sample for each node; weight 0: the node has none */
    struct list weights;
    /* a struct lpf_squares for each node; sum_view copies those that differ from the weights */
    struct list squares_of, squares;
    /* struct lpf_wait in the order in which they were found, by node and kind; ascending */
    struct list waits_of, waits;
    struct list switches;
    bool switches_unsaid;       /* an input with threads does not have their switches */
    /* a struct lpf_spread for each context; sum_view copies those with threads */
    struct list spread_of, spreads;
    /* a struct lpf_outliers for each context; sum_view copies those with outliers */
    struct list outliers_of, outliers;
    /* struct lpf_chunks of the program's own strands, then of each context; those that have some */
    struct list chunks_of, chunks;
    /* a struct lpf_team_of_one for each context; sum_view copies those with executions */
    struct list teams_of_one_of, teams_of_one;
    /* a struct lpf_handed for each context; sum_view copies those with chunks */
    struct list handed_of, handed;
    /* struct lpf_idle by all that is no sum, struct lpf_phases by context; sum_view sorts them */
    struct list idle_of, idle, phases_of, phases;
    struct lpf_idle_sum idle_sum;
    bool idle_unsaid;           /* an input does not have intervals of idle time */
    bool chunks_unsaid;         /* an input with chunks does not state that */
    struct lpf_totals totals;
    struct lpf_loops loops;
    struct lpf_typical typical;
    bool has_typical;           /* at least one input has a typical span */
    /* LPF_MERGE_JOB, in ns: where the ranks came to MPI_Finalize; what the one that did most did
     * after that, when all go on side by side */
    uint64_t job_span, after_job;
    uint32_t after_rank;        /* index in `ranks` of that one; LPF_NONE: not known */
    uint64_t job_cost;          /* job_span in the unit of the ranks' own files; 0: of none yet */
    bool several_jobs;          /* the ranks do not agree on it, or one is here twice */
    uint32_t elsewhere;         /* the context of paths in other ranks; LPF_NONE: there is none */
    uint32_t flags;             /* LPF_F_* of all inputs */
    bool any;                   /* the sum has an input */
    bool unmerged;              /* some inputs have scenarios, but not all have the same */
    double burden, burden_steals;   /* measured burdens times their steals, in ns; those steals */
};

/* Maps one profile's indexes and addresses to the sum's. */
struct mapping {
    const struct profile *p;
    struct sum *m;
    uint32_t *sites, *contexts, *nodes;
    struct { uint64_t start, end, shift; } *modules;    /* ascending by start */
    size_t module_count;
    uint64_t elsewhere;         /* LPF_MERGE_JOB: what of its path is in other ranks, in ns */
    bool on_span;               /* the profile's critical path is part of the sum's */
};

static inline void largest(uint64_t *to, uint64_t v)
{
    if (v > *to)
        *to = v;
}

/* Runs follow each other, processes run beside each other. */
static inline void add_span(const struct sum *m, uint64_t *to, uint64_t span)
{
    if (m->mode == LPF_MERGE_RUNS)
        add_capped(to, span);
    else
        largest(to, span);
}

/* sum_list.c. Appends the COUNT items at ITEM; returns the place of the first. */
void *list_append(struct list *l, const void *item, size_t count);
/* The index of the entry with KEY, which has SIZE bytes. *FRESH: the entry is new, and the caller
 * must append it. */
uint32_t list_index(struct list *l, const void *key, size_t size, bool *fresh);
void list_free(struct list *l);
/* The offset of TEXT, or of the profile's string at OFFSET, among the sum's strings. */
uint32_t sum_string(struct sum *m, const char *text);
uint32_t sum_string_from(struct mapping *x, uint32_t offset);

/* sum_contexts.c: the tables with addresses. Each function fills the map of its kind. Call them in
 * this order. */
void sum_modules(struct mapping *x);
void sum_sites(struct mapping *x);
void sum_nodes(struct mapping *x);
void sum_contexts(struct mapping *x);
/* Removes the sum's critical path: a longer one is about to replace it. */
void sum_forget_on_span(struct sum *m);

/* sum_named.c: the tables without addresses. */
void sum_regions(struct mapping *x);
void sum_notes(struct mapping *x);
void sum_settings(struct mapping *x);
void sum_inputs(struct mapping *x);
void sum_scenarios(struct mapping *x, bool first);
/* Adds the notes that need all inputs. */
void sum_finish_notes(struct sum *m);

#endif
