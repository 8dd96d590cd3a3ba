/* context.h - the keys of all measurements: spawn sites and contexts.
 *
 * A SITE is a place in the program that spawns. It is a return address, and where the innermost
 * frames are the runtime's own header code, callers' return addresses, too. A CONTEXT is a site and
 * the part of its history that decides whether an invocation is recursive:
 *
 *   top        no invocation of the same site is an ancestor         (Cilkprof 6, top-call-site)
 *   topcaller  no ancestor invocation was made from the same function (top-caller)
 *
 * Contexts are interned by (logical call path, set of sites among the ancestors, site, top,
 * topcaller).
 *
 * The LOGICAL CALL PATH of a task has three parts: its spawner's path; the frames between the
 * spawner's entry and the spawn (a segment, see unwind/path.h); a task boundary. It is a node of
 * the calling context tree. Recursion through tasks folds: a path has at most two segments of one
 * function, the one that entered it and the one that recurred. fib with one spawn has two contexts
 * at any depth.
 *
 * Contexts and sites are never freed. A budget bounds their number. Beyond it, new histories share
 * one overflow context for each site, and the profile records how many did.
 */
#ifndef PRELOAD_CONTEXTS_CONTEXT_H
#define PRELOAD_CONTEXTS_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "unwind/path.h"

#define SITE_ADDRESSES 4
#define CONTEXT_MEMO 6

struct site {
    uintptr_t address[SITE_ADDRESSES];
    uintptr_t function;         /* start of the function that spawns, 0 unknown */
    /* start of the program's own function, where `function` is header code; else the same */
    uintptr_t caller;
    const char *runtime;        /* static strings */
    const char *construct;
    uint32_t id;
    uint32_t flags;             /* LPF_SITE_* */
    bool took_others;           /* LPF_SITE_TOOK_OTHERS */
    struct site *next;          /* all sites, newest first */
};

struct ancestors;               /* interned set of sites */

/* The key of an object in context.c's table. */
struct known {
    const void *a, *b;
};

/* A program with thousands of contexts waits for their cache lines. So the fields are sorted by
 * use: a spawn needs the child's first line, the parent's second, and no other. */
struct context {
    struct known known;         /* the path, and the step to the set */
    uintptr_t key;              /* the way by which it was first reached; memos compare it */
    struct site *site;          /* NULL: the program's own strands (context 0) */
    const struct ancestors *set;
    const struct logical_path *path;
    uint32_t id;
    bool top, topcaller, overflow;
    struct context *memo[CONTEXT_MEMO] __attribute__((aligned(64))); /* children */
    uint16_t tag[CONTEXT_MEMO]; /* of their keys; 0: none yet */
    struct context *parent __attribute__((aligned(64)));    /* first that reached it */
    struct context *next;       /* all contexts, newest first */
};

/* The measurements of one context on one thread, which alone writes them. Costs are in clock units.
 * One cache line, because the end of each task writes here. */
struct metrics {
    uint64_t tasks, invocations, steals;
    uint64_t work_local, span_local;
    /* with the subtrees of all invocations; the context's top and topcaller apply */
    uint64_t work, span;
    uint64_t longest;           /* the most own work of one task */
};

/* What a context contributes to the critical path. In bags, and in the profile. */
struct on_span {
    uint64_t count;
    uint64_t work_local, span_local;
    uint64_t work, span;
};

/* [init] BUDGET contexts at most. cct_setup comes first. */
void context_setup(uint32_t budget);
extern struct context *context_root;    /* id 0 */
extern uint32_t context_budget;
/* [any] The number of contexts so far; all ids are below it. */
uint32_t context_count(void);
/* Losses for lack of room: written under context.c's lock, read by the writer. context_forked
 * resets them in the child of fork. */
extern uint64_t context_lost_nodes, context_lost_paths, context_lost_contexts;
void context_forked(void);
extern struct context *context_list;
extern struct site *site_list;

/* What identifies a site. */
struct site_key {
    uintptr_t address[SITE_ADDRESSES];  /* 0-terminated */
    const char *runtime, *construct;
    uint32_t flags;
};

/* What the program does at the end of a segment. A segment alone does not show that, because tail
 * calls from one place may reach several entry points of the runtimes. context_way adds the value
 * to the segment's address: it lies within the segment, so no other segment has the same ways. */
enum context_end {
    END_TASK, END_OPENMP, END_THREAD, END_FOREIGN, END_REGION, END_WAIT, END_SENT, END_TRANSFER,
    END_LATE_RECEIVER
};
_Static_assert(END_LATE_RECEIVER < sizeof(struct segment), "context_way stays in the segment");
static inline const void *context_way(const struct segment *segment, unsigned end)
{
    return (const char *)segment + end;
}

/* [hook] The context of a spawn at SITE over SEGMENT in context PARENT, where context_child has
 * none. BASE: the path that the spawner's frames continue, if it is not PARENT's; else NULL. */
struct context *context_child_slow(struct context *parent, const struct logical_path *base,
                                   const struct segment *segment, unsigned end,
                                   const struct site_key *site);
/* [hook] The context that context_child_slow made for (PARENT, WAY) before, without BASE. NULL:
 * none. */
struct context *context_find(struct context *parent, const void *way) __attribute__((noinline));
/* [hook] The path UP + SEGMENT; NULL: no memory. */
const struct logical_path *context_path_child(const struct logical_path *up,
                                              const struct segment *segment);

/* [hook] A task of context JOINER joins, or will join, an invocation of context OF, or what is
 * INSIDE of one. Marks the sites that JOINER is inside of, and the joined work is not: a site's
 * work may have this work twice, because one of its invocations may be among what is joined. If
 * JOINER is an ancestor, there are none. */
void context_takes(const struct context *joiner, const struct context *of, bool inside);

static inline uint16_t context_tag(const void *way)
{
    return (uintptr_t)way >> 5 | 1;
}

/* [hook] The quick look-up: the child of PARENT for what is done at the END of SEGMENT, if it was
 * made before. NULL: call context_child_slow. */
static inline struct context *context_child(struct context *parent, const struct segment *segment,
                                            unsigned end)
{
    const void *way = context_way(segment, end);
    struct context *first = __atomic_load_n(&parent->memo[0], __ATOMIC_ACQUIRE);
    if (__builtin_expect(first && first->key == (uintptr_t)way, 1))
        return first;
    uint16_t tag = context_tag(way), at;
    for (unsigned i = 1;
         i < CONTEXT_MEMO && (at = __atomic_load_n(&parent->tag[i], __ATOMIC_ACQUIRE)); i++)
        if (at == tag && __builtin_expect(parent->memo[i]->key == (uintptr_t)way, 1))
            return parent->memo[i];
    return context_find(parent, way);
}

#endif
