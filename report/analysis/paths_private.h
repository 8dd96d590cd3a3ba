/* paths_private.h - what the files that make call paths share: paths.c, frame_owner.c, path_cost.c,
 * path_tree.c, path_groups.c, path_split.c, path_own_share.c, path_timed.c,
 * path_service.c, path_views.c, cause_cells.h. */
#ifndef REPORT_ANALYSIS_PATHS_PRIVATE_H
#define REPORT_ANALYSIS_PATHS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "analysis/services.h"
#include "profile/profile.h"

struct name {
    UT_hash_handle hh;
    char text[];
};

/* A function of a file. Many addresses have the same one. The key is the place of the two strings
 * in the symbols' memory. */
struct known {
    struct { const char *function, *file; } key;
    const char *function, *file;        /* interned */
    bool runtime, element, question, glue, library, shared;
    enum service service;
    UT_hash_handle hh;
};

/* A frame at an address. */
struct code_frame {
    const char *function, *file;        /* interned: equal names have equal pointers */
    int line, declared;         /* declared: 0: not known */
    int apart;                  /* DECLARED, where it alone distinguishes code of one name, such as
                                 * lambdas of one function (name_is_shared); else 0 */
    bool runtime;               /* code of a task runtime or of its headers */
    /* header code that compares or moves the program's elements: the program's work */
    bool element;
    bool question;              /* the program asks its runtime for a number: the program's work */
    bool glue;                  /* code that starts a program or a thread */
    bool folded;                /* header code, inlined into a function of the program or of a
                                 * runtime's headers */
    bool inner;                 /* folded, and the runtime's: its caller is */
    bool library;               /* of the C++ library, or of a runtime's headers */
    enum service service;
    size_t row;                 /* 1 + the index of its line's row; 0: not looked up yet */
};
/* The code at an address. */
struct code {
    uint64_t address;
    const char *module;
    UT_hash_handle hh;
    bool runtime_module, libprof;
    bool nameless;              /* no symbol covers it */
    bool spins;                 /* a leaf in a loop that waits on the CPU: symbols_spins */
    bool filter;                /* in the body of a serial filter: LPF_SITE_SERIAL */
    bool system;                /* in a system library, which programs and runtimes call alike */
    uint32_t count;
    struct code_frame frame[];  /* outermost inlined frame first */
};

/* A hash table of the indexes of an array whose elements hold their own keys. A slot is 1 + an
 * index; 0: it is free. At most half of SIZE, a power of two, is used. It is smaller than uthash's,
 * because a tree has hundreds of thousands of nodes. */
struct places {
    uint32_t *slots;
    size_t size;
};

/* The tasks of a group (path_groups.c), and where they waited for each other. */
struct path_grain {
    uint64_t work, span;        /* their own, exact, in the clock's unit */
    double in_regions;          /* the part of span in regions as executed */
    double blocks;              /* ns that they waited for their turn at an ordered block */
    bool unfollowed;            /* ... is so much that samples do not split its span */
};

/* What the frames below a node are, in the same task. */
enum leads {
    LEADS_TO_START = 1,         /* libc's code that starts the program */
    LEADS_TO_PROGRAM = 2        /* code of the program's own */
};

struct paths_private {
    struct name *names;
    struct known *known;
    struct code *codes;
    struct code **path_code_of;      /* by node of the profile; NULL: not looked up yet */
    struct places children;             /* t->nodes, by parent, function, file, apart */
    const char *const *patterns;
    struct path_grain *grain;   /* by group */
    size_t node_capacity;
    bool physical, folded, program;
    bool *within;               /* by node of the profile: a frame of its task has a logical node */
    unsigned char *leads;       /* by node of the profile: what it leads to, enum leads */
    int *line_in;               /* by node of the profile: the line in its logical node; 0: none */
    const struct row **site_of; /* by node of the profile, of a task boundary: the row of its site,
                                 * if that is one */
    double idle_factor;         /* ns for one unit of the samples' idleness */
    /* by node of the profile, in the clock's unit: costs of its own samples, and of all below it */
    struct path_cost *hit, *below;
    uint32_t *logical;          /* by node of the profile: its logical node */
    /* by node of the profile that samples with their times have hit: 1 + the `made` of the row of
     * its innermost line, 0: it has none; is it libprof's own code? NULL: there are no such
     * samples */
    uint32_t *line_of;
    bool *own_code;
    struct own_share *own;      /* by site; the last one is that of the program's own strands */
};

/* The sums so far of one sequence of costs: of idleness, exact and rounded. */
struct rounding {
    uint64_t work, span, overhead;
    double idleness, whole;
};

/* More than this share is most of something. */
#define MOST 0.5

/* frame_owner.c: whose a frame is, and whether a sample is overhead. */
/* TEXT's interned copy, which lives as long as T. NULL stays NULL. */
const char *path_intern(struct paths *t, const char *text);
/* The code at N, a frame or a leaf of the profile. */
struct code *path_code_of(struct paths *t, const struct lpf_node *n);
/* Is F, a frame of C, the program's own code, which is in its source? */
bool path_is_program(const struct code *c, const struct code_frame *f);
bool path_is_overhead(struct paths *t, uint32_t i, enum overhead_kind *kind);
bool path_hits_libprof(struct paths *t, uint32_t i);

/* path_cost.c: sums and rounding of costs. */
void path_to_ns(const struct profile *p, uint64_t *cost, uint64_t *sum);
void path_round(const struct profile *p, struct path_cost *c, struct rounding *r);

/* path_tree.c: the logical tree, and tables of places. */
size_t places_hash(uint64_t number, const char *function, const char *file);
/* Makes room in P for one more than COUNT elements. HASH is the hash of element I of ALL. */
void places_grow(struct places *p, size_t count, size_t (*hash)(const void *all, size_t i),
                 const void *all);
/* The child of PARENT with interned FUNCTION and FILE. It is made if it is new, which may move the
 * nodes. */
uint32_t path_child(struct paths *t, uint32_t parent, const char *function, const char *file,
                    int apart);
/* Finds what the profile's nodes lead to. */
void path_find_leads(struct paths *t);
/* The logical node of the profile's node N, whose parent has the logical node PARENT. The N with
 * the largest WEIGHT decides which line the logical node shows. */
uint32_t path_descend(struct paths *t, const struct lpf_node *n, uint32_t parent, uint64_t weight);

/* path_own_share.c: counts each site's samples. OWNER_OF: by NODES nodes of the profile, their task
 * boundary. */
void path_share_sites(struct paths *t, const uint32_t *owner_of, size_t nodes);

/* path_groups.c: the groups of the task boundaries. */
/* Which group each task boundary has. The boundaries of one site at one logical path are a group. A
 * boundary without a frame of the program above it, as that of a flow graph's node, has a group of
 * its own. */
struct groups {
    uint32_t *node;             /* by node of the profile, for task boundaries and the root */
    uint32_t *at;               /* by group: its logical node; 0: the program */
    uint32_t count;
};
/* OWNER_OF, LOGICAL: by node of the profile, its boundary (0: none) and its logical node. Sets the
 * owners of the logical nodes. */
struct groups path_groups_of(struct paths *t, const uint32_t *owner_of, const uint32_t *logical);
void path_groups_free(struct groups *of);

/* path_split.c: the tree and the costs of its nodes. */
void paths_make_tree(struct paths *t);
/* path_views.c: functions and lines. */
void paths_make_functions(struct paths *t);
void paths_make_lines(struct paths *t);

#endif
