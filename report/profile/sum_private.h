/* sum_private.h - what the files of a sum share: sum_tables.c, sum_trees.c, sum_flat.c, sum.c. */
#ifndef REPORT_PROFILE_SUM_PRIVATE_H
#define REPORT_PROFILE_SUM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>
#include "profile/profile.h"

/* Where the places of modules begin: above all addresses that a process can have. */
#define FIRST_PLACE ((uint64_t)1 << 62)

/* An index of a table, by its key. */
struct entry {
    UT_hash_handle hh;
    uint32_t index;
    char key[];
};

struct list {
    void *data;
    size_t count, capacity, size;   /* of one */
    struct entry *by_key;
};

struct sum {
    uint32_t mode;
    uint64_t next_place;
    struct list strings;        /* bytes */
    struct list settings, modules, sites, contexts, regions, notes, threads, nodes, samples, inputs;
    struct list candidates, scenarios, terms;   /* of all; none where they differ */
    /* struct lpf_sample of each node, of weight 0 where there was none */
    struct list weights;
    /* struct lpf_squares of each node; those that say more than the weights */
    struct list squares_of, squares;
    /* struct lpf_spread of each context, of no threads where there is none; those that are */
    struct list spread_of, spreads;
    struct lpf_totals totals;
    struct lpf_loops loops;
    uint32_t flags;
    bool any;
    bool unmerged;              /* some had what-if scenarios, but not all the same */
    double burden, burden_steals;   /* sum of burdens times steals, of those that were measured */
};

/* What one profile's indexes and addresses are here. */
struct mapping {
    const struct profile *p;
    struct sum *m;
    uint32_t *sites, *contexts, *nodes;
    struct { uint64_t start, end, shift; } *modules;    /* by start */
    size_t module_count;
    bool on_span;               /* its critical path is the whole's */
};

static inline void add(uint64_t *to, uint64_t v)
{
    if (__builtin_add_overflow(*to, v, to))
        *to = UINT64_MAX;
}

static inline void largest(uint64_t *to, uint64_t v)
{
    if (v > *to)
        *to = v;
}

/* sum_tables.c. An append of COUNT items at ITEM; where the first is. */
void *list_append(struct list *l, const void *item, size_t count);
/* The index of the entry with KEY. *FRESH: the entry is new, and the caller appends it. */
uint32_t list_index(struct list *l, const void *key, size_t size, bool *fresh);
void list_free(struct list *l);
/* The offset of TEXT among the sum's strings; of the profile's string at OFFSET. */
uint32_t sum_string(struct sum *m, const char *text);
uint32_t sum_string_from(struct mapping *x, uint32_t offset);

/* sum_trees.c: what has addresses. Each fills the map of its kind, in this order. */
void sum_modules(struct mapping *x);
void sum_sites(struct mapping *x);
void sum_nodes(struct mapping *x);
void sum_contexts(struct mapping *x);
/* The critical path of another profile becomes the sum's. */
void sum_forget_on_span(struct sum *m);

/* sum_flat.c: what has none. */
void sum_regions(struct mapping *x);
void sum_notes(struct mapping *x);
void sum_settings(struct mapping *x);
void sum_inputs(struct mapping *x);
void sum_scenarios(struct mapping *x, bool first);
/* Adds the notes that need all inputs. */
void sum_finish_notes(struct sum *m);

#endif
