/* paths_private.h - what the files that make call paths share: path_code.c, path_cost.c,
 * path_tree.c, path_split.c, path_views.c. */
#ifndef REPORT_ANALYSIS_PATHS_PRIVATE_H
#define REPORT_ANALYSIS_PATHS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "profile/profile.h"

struct name {
    UT_hash_handle hh;
    char text[];
};

/* A function of a file, by where the symbols' own words for them lie: many addresses are of the
 * same. */
struct known {
    struct { const char *function, *file; } key;
    const char *function, *file;        /* names */
    bool runtime, glue;
    UT_hash_handle hh;
};

/* What an address stands for, outermost inlined frame first. */
struct code_frame {
    const char *function, *file;        /* names: equal ones are one pointer */
    int line;
    bool runtime;               /* a task runtime's, or its headers' */
    bool glue;                  /* how the C library starts a program or a thread */
    bool folded;                /* header code, inlined into the program's */
    size_t row;                 /* 1 + that of its line; 0: not asked for yet */
};
struct code {
    uint64_t address;
    const char *module;
    UT_hash_handle hh;
    bool runtime_module, libprof;
    bool nameless;              /* no symbol covers it */
    /* of the C and C++ libraries, which a program and a runtime call alike */
    bool system;
    uint32_t count;
    struct code_frame frame[];
};

/* What stands where in an array, by a hash of its key: an entry is 1 + an index; 0: free. At most
 * half of SIZE, a power of two, is used. A tree has hundreds of thousands of nodes, and each is
 * looked up by its key, which stands in the node itself. */
struct places {
    uint32_t *slots;
    size_t size;
};

struct paths_private {
    struct name *names;
    struct known *known;
    struct code *codes;
    struct code **path_code_of;      /* by node of the profile; NULL: not asked for yet */
    struct places children;             /* t->nodes, by parent, function and file */
    const char *const *patterns;
    /* by node, of those that are task boundaries' */
    struct path_grain *grain;
    size_t node_capacity;
    bool physical, folded;
    double idle_factor;         /* ns of idleness that one sampled is worth */
    /* by node of the profile, in the clock's unit: its own samples', and of all below it */
    struct path_cost *hit, *below;
    struct own_share *own;      /* by site; behind them, the program's own strands' */
};

/* What was rounded so far, of one sequence of costs. */
struct rounding {
    uint64_t work, span, overhead, executed, even;
    double idleness, whole;
};

/* What has more than half of something is what to name. */
#define MOST 0.5

/* path_code.c */
const char *path_intern(struct paths *t, const char *text);
struct code *path_code_of(struct paths *t, const struct lpf_node *n);
bool path_is_overhead(struct paths *t, uint32_t i, enum overhead_kind *kind);
bool path_hits_libprof(struct paths *t, uint32_t i);

/* path_cost.c: sums and roundings of costs. */
void path_add_up(uint64_t *to, uint64_t v);
void path_to_ns(const struct profile *p, uint64_t *cost, uint64_t *sum);
void path_round(const struct profile *p, struct path_cost *c, struct rounding *r);

/* path_tree.c: the logical tree, and tables of places. */
size_t places_hash(uint64_t number, const char *function, const char *file);
/* Room for one more than COUNT; HASH: of the element at an index. */
void places_grow(struct places *p, size_t count, size_t (*hash)(const void *all, size_t i),
                 const void *all);
uint32_t path_child(struct paths *t, uint32_t parent, const char *function, const char *file);
/* The node of raw node N, whose parent has node PARENT; WEIGHT decides which line a node shows. */
uint32_t path_descend(struct paths *t, const struct lpf_node *n, uint32_t parent, uint64_t weight);

/* path_split.c: the tree and what its nodes cost. */
void paths_make_tree(struct paths *t);
/* path_verdict.c: in words, what to do about each function. */
void paths_make_verdicts(struct paths *t);
/* path_views.c: functions and lines. */
void paths_make_functions(struct paths *t);
void paths_make_lines(struct paths *t);

#endif
