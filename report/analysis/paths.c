/* paths.c - see paths.h. Order of the file: frames of an address, the logical tree, costs, flat views. */
#define _GNU_SOURCE
#include "analysis/paths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/model.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/symbols.h"

const char *const overhead_names[OVERHEAD_KINDS] = { "spawn", "sync", "schedule and steal", "memory", "lock", "other" };

/* ---- names, once each ---- */

struct name {
    UT_hash_handle hh;
    char text[];
};

/* A function of a file, by where the symbols' own words for them lie: many addresses are of the same. */
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
    size_t row;                 /* 1 + that of its line; 0: not asked for yet */
};
struct code {
    uint64_t address;
    const char *module;
    UT_hash_handle hh;
    bool runtime_module, libprof;
    bool nameless;              /* no symbol covers it */
    bool system;                /* of the C and C++ libraries, which a program and a runtime call alike */
    uint32_t count;
    struct code_frame frame[];
};

/* What stands where in an array, by a hash of its key: an entry is 1 + an index; 0: free. At most half of SIZE, a power of two, is
 * used. A tree has hundreds of thousands of nodes, and each is looked up by its key, which stands in the node itself. */
struct places {
    uint32_t *slots;
    size_t size;
};

struct paths_private {
    struct name *names;
    struct known *known;
    struct code *codes;
    struct code **code_of;      /* by node of the profile; NULL: not asked for yet */
    struct places children;             /* t->nodes, by parent, function and file */
    const char *const *patterns;
    size_t node_capacity;
    bool physical, folded;
    double idle_factor;         /* ns of idleness that one sampled is worth */
    struct path_cost *hit, *below;  /* by node of the profile, in the clock's unit: its own samples', and of all below it */
};

static const char *intern(struct paths *t, const char *text)
{
    struct name *n;
    if (!text)
        return 0;
    size_t length = strlen(text);
    HASH_FIND(hh, t->private->names, text, length, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n + length + 1));
        memcpy(n->text, text, length + 1);
        HASH_ADD(hh, t->private->names, text, length, n);
    }
    return n->text;
}

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static bool is_runtime(const char *plain, const char *file)
{
    static const char *const spaces[] = { "tbb::", "__pstl::", "pstl::", "oneapi::tbb::" };
    static const char *const places[] = { "/oneapi/tbb/", "/include/tbb/", "/pstl/" };
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (starts(plain, spaces[i]))
            return true;
    for (unsigned i = 0; file && i < sizeof places / sizeof places[0]; i++)
        if (strstr(file, places[i]))
            return true;
    return false;
}

static bool is_glue(const char *plain)
{
    static const char *const names[] = { "_start", "start_thread", "clone", "clone3", "__clone", "__clone3" };
    static const char *const prefixes[] = { "__libc_start_", "std::thread::", "std::__invoke", "std::invoke" };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(plain, names[i]))
            return true;
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (starts(plain, prefixes[i]))
            return true;
    return false;
}

static uint32_t module_flags(const struct paths *t, uint64_t address)
{
    const struct profile *p = t->model->profile;
    for (size_t i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].start && address < p->modules[i].end)
            return p->modules[i].flags;
    return 0;
}

bool path_is_system(const char *path)
{
    static const char *const libraries[] = { "libc.so", "libc-", "libm.so", "libpthread", "ld-linux", "libstdc++", "libgcc_s", "libc++", "libunwind" };
    const char *base = path ? strrchr(path, '/') : 0;
    for (unsigned i = 0; path && i < sizeof libraries / sizeof libraries[0]; i++)
        if (starts(base ? base + 1 : path, libraries[i]))
            return true;
    return false;
}

static const struct known *known_of(struct paths *t, const char *function, const char *file)
{
    struct known *k, like;
    memset(&like, 0, sizeof like);
    like.key.function = function;
    like.key.file = file;
    HASH_FIND(hh, t->private->known, &like.key, sizeof like.key, k);
    if (k)
        return k;
    char *plain = name_plain(function);
    k = format_memory(malloc(sizeof *k));
    *k = like;
    k->function = intern(t, plain);
    k->file = intern(t, file);
    k->runtime = is_runtime(plain, file);
    k->glue = is_glue(plain);
    HASH_ADD(hh, t->private->known, key, sizeof k->key, k);
    free(plain);
    return k;
}

static struct code *code_at(struct paths *t, uint64_t address)
{
    struct code *c;
    HASH_FIND(hh, t->private->codes, &address, sizeof address, c);
    if (c)
        return c;
    struct frame f[MODEL_FRAMES];
    size_t n = symbols_lookup(t->model->symbols, address, f, MODEL_FRAMES);
    c = format_memory(calloc(1, sizeof *c + n * sizeof c->frame[0]));
    c->address = address;
    c->module = symbols_module(t->model->symbols, address);
    c->count = n;
    uint32_t flags = module_flags(t, address);
    c->runtime_module = flags & LPF_MODULE_RUNTIME;
    c->libprof = flags & LPF_MODULE_LIBPROF;
    c->system = path_is_system(c->module);
    c->nameless = f[0].nameless;
    for (size_t i = 0; i < n; i++) {
        const struct frame *from = &f[n - 1 - i];
        const char *start = from->nameless ? symbols_function(t->model->symbols, address) : 0;
        const struct known *k = known_of(t, start ? start : from->function, from->file);
        c->frame[i] = (struct code_frame){ k->function, k->file, from->line, c->runtime_module || c->libprof || k->runtime, k->glue, 0 };
    }
    HASH_ADD(hh, t->private->codes, address, sizeof address, c);
    return c;
}

static struct code *code_of(struct paths *t, const struct lpf_node *n)
{
    struct code **known = &t->private->code_of[n - t->model->profile->nodes];
    if (!*known)
        *known = code_at(t, n->kind == LPF_NODE_LEAF ? n->address : n->address - 1);
    return *known;
}

/* ---- places ---- */

static size_t hash_of(uint64_t number, const char *function, const char *file)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = (number + (uintptr_t)function) * odd;
    h = ((h ^ h >> 29) + (uintptr_t)file) * odd;
    return h ^ h >> 32;
}

/* Room for one more than COUNT; HASH: of the element at an index. */
static void places_grow(struct places *p, size_t count, size_t (*hash)(const void *all, size_t i), const void *all)
{
    if (count < p->size / 2)
        return;
    free(p->slots);
    p->size = p->size ? p->size * 2 : 64;
    p->slots = format_memory(calloc(p->size, sizeof *p->slots));
    for (size_t i = 0; i < count; i++) {
        size_t at = hash(all, i) & (p->size - 1);
        while (p->slots[at])
            at = (at + 1) & (p->size - 1);
        p->slots[at] = i + 1;
    }
}

/* ---- the logical tree ---- */

static size_t hash_node(const void *nodes, size_t i)
{
    const struct path_node *n = (const struct path_node *)nodes + i;
    return hash_of(n->parent, n->function, n->file);
}

static uint32_t child_of(struct paths *t, uint32_t parent, const char *function, const char *file)
{
    struct places *p = &t->private->children;
    places_grow(p, t->node_count, hash_node, t->nodes);
    size_t at = hash_of(parent, function, file) & (p->size - 1);
    for (; p->slots[at]; at = (at + 1) & (p->size - 1)) {
        const struct path_node *n = &t->nodes[p->slots[at] - 1];
        if (n->parent == parent && n->function == function && n->file == file)
            return p->slots[at] - 1;
    }
    if (t->node_count == t->private->node_capacity) {
        t->private->node_capacity = t->private->node_capacity ? t->private->node_capacity * 2 : 16;
        t->nodes = format_memory(realloc(t->nodes, t->private->node_capacity * sizeof *t->nodes));
    }
    t->nodes[t->node_count] = (struct path_node){ .parent = parent, .function = function, .file = file };
    p->slots[at] = t->node_count + 1;
    return t->node_count++;
}

#define RECURSION_LEVELS 512    /* that one cycle of functions may have */

/* Recursion: the function stands on the path already; 0: it does not. */
static uint32_t ancestor_of(const struct paths *t, uint32_t at, const struct code_frame *f)
{
    for (unsigned level = 0; at && level < RECURSION_LEVELS; level++, at = t->nodes[at].parent)
        if (t->nodes[at].function == f->function && t->nodes[at].file == f->file)
            return at;
    return 0;
}

/* The node of raw node N, whose parent has node PARENT; WEIGHT decides which line a node shows. */
static uint32_t descend(struct paths *t, const struct lpf_node *n, uint32_t parent, uint64_t weight)
{
    if (n->kind == LPF_NODE_TASK || n->kind == LPF_NODE_ROOT)
        return parent;
    if (n->kind == LPF_NODE_CUT)
        return child_of(t, parent, intern(t, "[unknown]"), 0);
    const struct code *c = code_of(t, n);
    /* where a thread starts, in a library without symbols */
    bool start = c->system && c->nameless && t->model->profile->nodes[n->parent].kind == LPF_NODE_TASK;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct code_frame *f = &c->frame[i];
        if (!t->private->physical && (f->runtime || f->glue || start))
            continue;
        uint32_t again = t->private->folded ? ancestor_of(t, parent, f) : 0;
        parent = again ? again : child_of(t, parent, f->function, f->file);
        struct path_node *to = &t->nodes[parent];
        if (!to->module)
            to->module = c->module;
        if (!to->line || weight > to->line_weight) {
            to->line = f->line;
            to->line_weight = weight;
        }
    }
    return parent;
}

/* ---- overhead ---- */

static enum overhead_kind kind_of(const char *function)
{
    static const struct { const char *part; enum overhead_kind kind; } parts[] = {
        { "mutex", OVERHEAD_LOCK }, { "lock", OVERHEAD_LOCK }, { "futex", OVERHEAD_LOCK },
        { "GOMP_critical", OVERHEAD_LOCK }, { "GOMP_atomic", OVERHEAD_LOCK }, { "GOMP_ordered", OVERHEAD_LOCK },
        { "kmpc_critical", OVERHEAD_LOCK }, { "kmpc_end_critical", OVERHEAD_LOCK }, { "kmpc_ordered", OVERHEAD_LOCK }, { "kmpc_end_ordered", OVERHEAD_LOCK },
        { "alloc", OVERHEAD_MEMORY }, { "malloc", OVERHEAD_MEMORY }, { "free", OVERHEAD_MEMORY },
        { "operator new", OVERHEAD_MEMORY }, { "operator delete", OVERHEAD_MEMORY }, { "_pool", OVERHEAD_MEMORY },
        { "spawn", OVERHEAD_SPAWN }, { "submit", OVERHEAD_SPAWN }, { "enqueue", OVERHEAD_SPAWN }, { "run<", OVERHEAD_SPAWN },
        { "initialize", OVERHEAD_SPAWN }, { "::run", OVERHEAD_SPAWN },
        { "wait", OVERHEAD_SYNC }, { "notify", OVERHEAD_SYNC }, { "join", OVERHEAD_SYNC }, { "fold_tree", OVERHEAD_SYNC },
        { "finalize", OVERHEAD_SYNC }, { "destroy", OVERHEAD_SYNC }, { "release", OVERHEAD_SYNC },
        { "steal", OVERHEAD_SCHEDULE }, { "dispatch", OVERHEAD_SCHEDULE }, { "execute", OVERHEAD_SCHEDULE },
        { "partition", OVERHEAD_SCHEDULE }, { "split", OVERHEAD_SCHEDULE }, { "balance", OVERHEAD_SCHEDULE },
    };
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(function, parts[i].part))
            return parts[i].kind;
    return OVERHEAD_OTHER;
}

static bool matches(const char *const *patterns, const char *function)
{
    for (; patterns && *patterns; patterns++)
        if (strstr(function, *patterns))
            return true;
    return false;
}

/* Is a sample at raw node I overhead, and of which kind? From the innermost frame out to the first of the
 * program's: a runtime's frame among them makes it so. What stands innermost of the runtime's names the
 * kind; nameless frames of a stripped runtime: the entry point that the program called. */
static bool is_overhead(struct paths *t, uint32_t i, enum overhead_kind *kind)
{
    const struct profile *p = t->model->profile;
    bool overhead = false;
    *kind = OVERHEAD_OTHER;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF; i = p->nodes[i].parent) {
        const struct code *c = code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            const struct code_frame *f = &c->frame[k];
            bool pattern = matches(t->private->patterns, f->function);
            if (f->runtime || pattern) {
                overhead = true;
                if (*kind == OVERHEAD_OTHER)
                    *kind = kind_of(f->function);
            } else if (!c->runtime_module && !c->system && !f->glue && !starts(f->function, "std::")) {
                return overhead;        /* the program's */
            }
        }
    }
    return overhead;
}

/* Functions of libc that pass through libprof: what they do there is the program's doing. */
static bool passes_through(const char *function)
{
    static const char *const prefixes[] = { "pthread_", "exec", "fexec", "dlclose", "sig", "_exit", "_Exit", "abort", "quick_exit" };
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (starts(function, prefixes[i]))
            return true;
    return false;
}

/* Is a sample at raw node I libprof's own time? The innermost frame that is not of a library which
 * everybody calls says so. */
static bool hits_libprof(struct paths *t, uint32_t i)
{
    const struct profile *p = t->model->profile;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF; i = p->nodes[i].parent) {
        const struct code *c = code_of(t, &p->nodes[i]);
        if (c->libprof)
            return !passes_through(c->frame[0].function);
        if (!c->system)
            return false;
    }
    return false;
}

/* ---- costs ---- */

/* What has more than half of something is what to name. */
#define MOST 0.5
/* So much of its threads' parallelism, and a region is balanced. */
#define EVEN 0.95

/* What the contexts of the task boundaries at one logical path cost, and the weights that split it; then
 * what was given out so far. Boundaries that a person cannot tell apart are split together: a recursion has
 * many, each with few samples. */
struct owner {
    uint64_t work, span, weight, on_span;
    uint64_t weight_done, on_span_done;
    uint64_t blocked, looks, looks_done;    /* looks: that found a strand blocked, each for so much time; what is left of blocked is */
    uint64_t runnable;          /* time without a CPU, or errors of the looks */
    uint64_t tasks;
    const char *construct;
};

/* The strands below one task boundary of the profile's own tree: which limits are theirs. Not by logical path: two regions of one
 * function are one owner, and different in this. */
struct strands {
    double span, executed;      /* on span, in the clock's unit; the part that is regions as executed */
    double work, length;        /* of all their invocations: local T1 and T_inf */
    double idleness, waits;     /* of the samples; ns that strands waited here to get in where one may be */
};

/* The part of COST for WEIGHT more of ALL; *DONE was given out before. Parts add up to COST exactly, also in
 * a hostile file, whose weights may not add up. */
static uint64_t part(uint64_t cost, uint64_t all, uint64_t *done, uint64_t weight)
{
    if (!all)
        return 0;
    uint64_t before = *done;
    if (__builtin_add_overflow(before, weight, done) || *done > all)
        *done = all;
    return (uint64_t)((unsigned __int128)cost * *done / all) - (uint64_t)((unsigned __int128)cost * before / all);
}

static void add_cost(uint64_t *to, uint64_t v)
{
    if (__builtin_add_overflow(*to, v, to))
        *to = UINT64_MAX;
}

void path_add(struct path_cost *to, const struct path_cost *from)
{
    add_cost(&to->work, from->work);
    add_cost(&to->span, from->span);
    add_cost(&to->overhead, from->overhead);
    to->idleness += from->idleness;
    add_cost(&to->blocked, from->blocked);
    add_cost(&to->own, from->own);
    add_cost(&to->samples, from->samples);
    add_cost(&to->on_span, from->on_span);
    add_cost(&to->tasks, from->tasks);
    add_cost(&to->executed, from->executed);
    add_cost(&to->even, from->even);
    to->excluded += from->excluded;
}

/* Cost that no sample says anything about: a node of its own below the boundary's. */
static void keep_unsampled(struct paths *t, uint32_t node, const struct owner *o, uint64_t work, uint64_t span)
{
    char *name = format_text("[%s]", o->construct ? o->construct : "task");
    for (char *c = name; *c; c++)       /* a name like any other */
        if (strchr(" ()", *c))
            *c = '_';
    if (o->construct)
        node = child_of(t, node, intern(t, name), 0);
    free(name);
    add_cost(&t->nodes[node].self.work, work);
    add_cost(&t->nodes[node].self.span, span);
}

/* How much of O's time off the CPU the looks say where. */
static uint64_t found_blocked(struct owner *o)
{
    uint64_t found;
    if (__builtin_mul_overflow(o->looks, (uint64_t)LPF_LOOK_NS, &found) || found > o->blocked)
        found = o->blocked;
    o->runnable = o->blocked - found;
    return found;
}

static void distribute(struct paths *t, const uint32_t *owner_of, const uint32_t *logical, struct owner *owners, struct strands *strands)
{
    const struct profile *p = t->model->profile;
    bool *own = format_memory(calloc(p->sample_count + 1, sizeof *own));
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct owner *o = &owners[logical[owner_of[s->node]]];
        add_cost(&o->looks, s->blocked);
        own[i] = hits_libprof(t, s->node);
        if (own[i]) {
            add_cost(&t->own_samples, s->weight);
            continue;
        }
        add_cost(&o->weight, s->weight);
        add_cost(&o->on_span, s->on_span);
    }
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct owner *o = &owners[logical[owner_of[s->node]]];
        uint64_t blocked = part(found_blocked(o), o->looks, &o->looks_done, s->blocked);
        if (own[i]) {
            add_cost(&t->nodes[logical[s->node]].self.blocked, blocked);
            t->private->hit[s->node].blocked = t->private->below[s->node].blocked = blocked;
            continue;
        }
        struct path_cost c = { .work = part(o->work, o->weight, &o->weight_done, s->weight),
                               .span = part(o->span, o->on_span, &o->on_span_done, s->on_span),
                               .idleness = (double)s->idleness / 65536, .blocked = blocked, .samples = s->weight, .on_span = s->on_span };
        enum overhead_kind kind;
        struct strands *from = &strands[owner_of[s->node]];
        c.executed = from->executed > MOST * from->span ? c.span : 0;
        c.even = from->work > EVEN * t->model->profile->totals.workers * from->length ? c.executed : 0;
        from->idleness += c.idleness;
        if (is_overhead(t, s->node, &kind)) {
            c.overhead = c.work;
            add_cost(&t->overhead[kind], c.work);
        }
        path_add(&t->nodes[logical[s->node]].self, &c);
        t->private->hit[s->node] = t->private->below[s->node] = c;
    }
    free(own);
}

/* What contexts cost that samples do not split: of owners that none hit, and time that is nobody's code. */
static void add_unsampled(struct paths *t, const struct owner *owners)
{
    const struct lpf_totals *k = &t->model->profile->totals;
    uint64_t tasks = 0, tasks_done = 0;
    size_t n = t->node_count;
    for (size_t i = 0; i < n; i++)
        add_cost(&tasks, owners[i].tasks);
    for (size_t i = 0; i < n; i++) {
        const struct owner *o = &owners[i];
        uint64_t work = o->weight ? 0 : o->work, span = o->on_span ? 0 : o->span;
        if (work || span)
            keep_unsampled(t, i, o, work, span);
        uint64_t own = part(k->own_ns, tasks, &tasks_done, o->tasks);
        t->nodes[i].self.tasks = i ? o->tasks : o->tasks - 1;      /* nobody spawned the program */
        uint64_t blocked = o->looks ? o->runnable : o->blocked;
        if (blocked) {
            uint32_t to = child_of(t, i, intern(t, "[blocked]"), 0);    /* may move the nodes */
            add_cost(&t->nodes[to].self.blocked, blocked);
        }
        if (own) {
            uint32_t to = child_of(t, i, intern(t, "[libprof]"), 0);
            add_cost(&t->nodes[to].self.own, own);
        }
    }
}

/* Whose idleness is mostly that of strands which wait for each other; idleness can be ns by now. */
static void find_excluded(struct paths *t, const uint32_t *owner_of, const uint32_t *logical, const struct strands *strands)
{
    const struct profile *p = t->model->profile;
    for (size_t i = 0; i < p->sample_count; i++) {
        uint32_t node = p->samples[i].node;
        const struct strands *from = &strands[owner_of[node]];
        if (from->waits > MOST * from->idleness * t->private->idle_factor)
            t->nodes[logical[node]].self.excluded += t->private->hit[node].idleness * t->private->idle_factor;
    }
}

/* Worker slots without a task: threads that searched or slept, and slots that no thread was there for. */
static void scale_idleness(struct paths *t)
{
    const struct lpf_totals *k = &t->model->profile->totals;
    double sampled = 0, said = 0;       /* a look stands for more time than a sample, and says no more */
    t->idle_ns = profile_idle_rows_ns(t->model->profile);
    for (size_t i = 0; i < t->node_count; i++)
        sampled += t->nodes[i].self.idleness;
    t->idle_scaled = sampled > 0 && t->idle_ns > 0;
    for (size_t i = 0; i < t->model->profile->sample_count; i++) {
        const struct lpf_sample *s = &t->model->profile->samples[i];
        double here = t->private->hit[s->node].idleness;
        said += s->weight ? fmin(here, (double)s->weight * (k->workers - 1.0)) : here * fmin(1, (double)k->sample_period_ns / LPF_LOOK_NS);
        t->looks += s->blocked;
    }
    t->idle_samples = k->workers > 1 ? said / (k->workers - 1) : 0;
    t->private->idle_factor = t->idle_scaled ? t->idle_ns / sampled : 0;
    for (size_t i = 0; i < t->node_count; i++)
        t->nodes[i].self.idleness *= t->private->idle_factor;
}

/* *COST, in the clock's unit, becomes ns; *SUM is all before it. Rounding the sums makes the parts add up. */
static void to_ns(const struct profile *p, uint64_t *cost, uint64_t *sum)
{
    uint64_t before = profile_whole_ns(p, *sum);
    add_cost(sum, *cost);
    *cost = profile_whole_ns(p, *sum) - before;
}

/* What was rounded so far, of one sequence of costs. */
struct rounding {
    uint64_t work, span, overhead, executed, even;
    double idleness, whole;
};

static void round_cost(const struct profile *p, struct path_cost *c, struct rounding *r)
{
    to_ns(p, &c->work, &r->work);
    to_ns(p, &c->span, &r->span);
    to_ns(p, &c->overhead, &r->overhead);
    to_ns(p, &c->executed, &r->executed);
    to_ns(p, &c->even, &r->even);
    r->idleness += c->idleness;
    c->idleness = round(r->idleness) - r->whole;
    r->whole += c->idleness;
}

static void round_costs(struct paths *t)
{
    const struct profile *p = t->model->profile;
    struct rounding r = { 0 };
    uint64_t kinds = 0;
    for (size_t i = 0; i < t->node_count; i++)
        round_cost(p, &t->nodes[i].self, &r);
    for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
        to_ns(p, &t->overhead[i], &kinds);
}

/* What no sample splits, at the boundaries of the profile's own tree, as add_unsampled has it in the logical one. */
static void keep_below(struct paths *t, const uint32_t *logical, const struct owner *owners)
{
    const struct profile *p = t->model->profile;
    struct path_cost *below = t->private->below, *all = &t->unsampled;
    uint64_t tasks = 0, done = 0, blocked = p->totals.blocked_ns;
    for (size_t i = 0; i < p->context_count; i++)
        add_cost(&tasks, p->contexts[i].tasks);
    add_cost(&tasks, 1);
    for (size_t i = 0; i <= p->context_count; i++) {
        const struct lpf_context *c = i < p->context_count ? &p->contexts[i] : 0;
        uint32_t node = c && c->node < p->node_count ? c->node : 0;
        const struct owner *o = &owners[logical[node]];
        uint64_t work = c ? c->work_local_cost : p->totals.root_work_cost, span = c ? c->span_local_cost : p->totals.root_span_cost;
        uint64_t off = c ? c->blocked_ns : blocked;
        if (o->looks)
            off = o->blocked ? (unsigned __int128)off * o->runnable / o->blocked : 0;
        struct path_cost here = { .work = o->weight ? 0 : work, .span = o->on_span ? 0 : span,
                                  .own = part(p->totals.own_ns, tasks, &done, c ? c->tasks : 1),
                                  .blocked = off, .tasks = c ? c->tasks : 0 };
        if (c)
            blocked = c->blocked_ns < blocked ? blocked - c->blocked_ns : 0;
        path_add(&below[node], &here);
        path_add(all, &here);
    }
    for (size_t i = p->node_count; i-- > 1;)
        path_add(&below[p->nodes[i].parent], &below[i]);
}

/* By site: is it a region whose parallelism is that of the threads that executed it? model.h decides. */
static bool *sites_as_executed(const struct model *m)
{
    bool *executed = format_memory(calloc(m->profile->site_count + 1, sizeof *executed));
    for (size_t i = 0; i < m->row_count; i++)
        for (uint32_t site = m->rows[i].first; site != LPF_NONE; site = m->next_site[site])
            executed[site] = m->rows[i].as_executed;
    return executed;
}

/* A place where strands waited to get in where one at a time may be. */
static bool excludes(const struct lpf_site *s)
{
    return s->flags & LPF_SITE_WAIT && !(s->flags & LPF_SITE_IN_ORDER);
}

static void make_tree(struct paths *t)
{
    const struct profile *p = t->model->profile;
    size_t n = p->node_count ? p->node_count : 1;
    uint32_t *owner_of = format_memory(calloc(n, sizeof *owner_of)), *logical = format_memory(calloc(n, sizeof *logical));
    uint64_t *weight = format_memory(calloc(n, sizeof *weight));
    child_of(t, 0, intern(t, "(program)"), 0);
    for (size_t i = 0; i < p->sample_count; i++)
        weight[p->samples[i].node] = p->samples[i].weight;
    for (size_t i = p->node_count; i-- > 1;)
        add_cost(&weight[p->nodes[i].parent], weight[i]);
    for (size_t i = 1; i < p->node_count; i++) {
        owner_of[i] = p->nodes[i].kind == LPF_NODE_TASK ? i : owner_of[p->nodes[i].parent];
        logical[i] = descend(t, &p->nodes[i], logical[p->nodes[i].parent], weight[i]);
    }
    struct owner *owners = format_memory(calloc(t->node_count, sizeof *owners));    /* by logical node */
    owners[0].work = p->totals.root_work_cost;
    owners[0].span = p->totals.root_span_cost;
    struct strands *strands = format_memory(calloc(n, sizeof *strands));       /* by the profile's node */
    strands[0].span = p->totals.root_span_cost;
    bool *executed = sites_as_executed(t->model);
    uint64_t blocked = p->totals.blocked_ns;    /* the program's own strands': what no context has */
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        uint32_t node = c->node < p->node_count ? c->node : 0;
        struct owner *o = &owners[logical[node]];
        if (excludes(&p->sites[c->site]) && node)   /* nothing was spawned: the boundary above is that of those who waited */
            strands[owner_of[p->nodes[node].parent]].waits += profile_ns(p, c->top_work_cost);
        strands[node].span += c->span_local_cost;
        strands[node].work += c->work_local_cost;
        strands[node].length += c->span_local_cost_all;
        if (executed[c->site])
            strands[node].executed += c->span_local_cost;
        add_cost(&o->work, c->work_local_cost);
        add_cost(&o->span, c->span_local_cost);
        add_cost(&o->blocked, c->blocked_ns);
        add_cost(&o->tasks, c->tasks);
        blocked = c->blocked_ns < blocked ? blocked - c->blocked_ns : 0;
        if (!o->construct)
            o->construct = profile_string(p, p->sites[c->site].construct);
    }
    free(executed);
    add_cost(&owners[0].blocked, blocked);
    add_cost(&owners[0].tasks, 1);
    t->private->hit = format_memory(calloc(n, sizeof *t->private->hit));
    t->private->below = format_memory(calloc(n, sizeof *t->private->below));
    distribute(t, owner_of, logical, owners, strands);
    keep_below(t, logical, owners);
    add_unsampled(t, owners);
    scale_idleness(t);
    find_excluded(t, owner_of, logical, strands);
    round_costs(t);
    for (size_t i = t->node_count; i-- > 0;) {
        path_add(&t->nodes[i].all, &t->nodes[i].self);
        if (i)
            path_add(&t->nodes[t->nodes[i].parent].all, &t->nodes[i].all);
    }
    t->total = t->nodes[0].all;
    free(owner_of);
    free(logical);
    free(weight);
    free(owners);
    free(strands);
}

/* ---- flat views ---- */

static size_t hash_row(const void *rows, size_t i)
{
    const struct path_row *r = (const struct path_row *)rows + i;
    return hash_of(r->line, r->function, r->file);
}

/* The row of a line, or (0) of a function; there is one afterwards. */
static size_t row_of(struct places *p, struct path_row **rows, size_t *count, size_t *capacity, const char *function, const char *file, int line)
{
    places_grow(p, *count, hash_row, *rows);
    size_t at = hash_of(line, function, file) & (p->size - 1);
    for (; p->slots[at]; at = (at + 1) & (p->size - 1)) {
        const struct path_row *r = *rows + (p->slots[at] - 1);
        if (r->line == line && r->function == function && r->file == file)
            return p->slots[at] - 1;
    }
    if (*count == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 64;
        *rows = format_memory(realloc(*rows, *capacity * sizeof **rows));
    }
    (*rows)[*count] = (struct path_row){ .function = function, .file = file, .line = line };
    p->slots[at] = *count + 1;
    return (*count)++;
}

/* Inclusive costs of functions: a node counts for each function on its path once. Nodes are visited in
 * depth-first order, so that `active` says what is on the current path. */
static void make_functions(struct paths *t)
{
    struct places table = { 0 };
    size_t capacity = 0, n = t->node_count;
    size_t *row = format_memory(calloc(n, sizeof *row));
    uint32_t *first = format_memory(calloc(n, sizeof *first)), *next = format_memory(calloc(n, sizeof *next));
    uint32_t *stack = format_memory(calloc(n + 1, sizeof *stack));
    for (size_t i = 1; i < n; i++)
        row[i] = row_of(&table, &t->functions, &t->function_count, &capacity, t->nodes[i].function, t->nodes[i].file, 0);
    for (size_t i = n; i-- > 1;) {
        next[i] = first[t->nodes[i].parent];
        first[t->nodes[i].parent] = i;
    }
    if (t->nodes[0].self.work || t->nodes[0].self.span) {
        size_t own = row_of(&table, &t->functions, &t->function_count, &capacity, t->nodes[0].function, 0, 0);
        t->functions[own].self = t->nodes[0].self;
        t->functions[own].all = t->nodes[0].all;
    }
    size_t depth = 0;
    for (uint32_t at = n > 1 ? first[0] : 0; at;) {
        struct path_row *r = &t->functions[row[at]];
        const struct path_node *node = &t->nodes[at];
        if (!r->module)
            r->module = node->module;
        path_add(&r->self, &node->self);
        if (!r->active++)
            path_add(&r->all, &node->all);
        if (first[at]) {
            stack[depth++] = at;
            at = first[at];
            continue;
        }
        for (;;) {
            t->functions[row[at]].active--;
            if (next[at]) {
                at = next[at];
                break;
            }
            if (!depth) {
                at = 0;
                break;
            }
            at = stack[--depth];
        }
    }
    free(table.slots);
    free(row);
    free(first);
    free(next);
    free(stack);
}

/* ---- lines ---- */

struct line_table {
    struct places lines, places;
    size_t capacity, place_capacity;
};

/* Is F shown, and has it a line? */
static bool has_line(const struct paths *t, const struct code_frame *f)
{
    return f->file && (t->private->physical || !(f->runtime || f->glue));
}

/* The row of a frame's line; -1: it has none that is shown. */
static ptrdiff_t line_row(struct paths *t, struct line_table *l, struct code_frame *f, const char *module)
{
    if (!has_line(t, f))
        return -1;
    if (f->row)
        return f->row - 1;
    size_t row = row_of(&l->lines, &t->lines, &t->call_line_count, &l->capacity, f->function, f->file, f->line);
    if (!t->lines[row].module) {
        t->lines[row].module = module;
        t->lines[row].place = row_of(&l->places, &t->places, &t->place_count, &l->place_capacity, 0, f->file, f->line);
    }
    f->row = row + 1;
    return row;
}

static bool is_frame(const struct lpf_node *n)
{
    return n->kind == LPF_NODE_LEAF || n->kind == LPF_NODE_FRAME;
}

/* Of each node, the nearest frame of its task, at or above it, that is shown with a line; 0: none. */
static uint32_t *nearest_lines(struct paths *t)
{
    const struct profile *p = t->model->profile;
    uint32_t *nearest = format_memory(calloc(p->node_count + 1, sizeof *nearest));
    for (size_t i = 1; i < p->node_count; i++) {
        if (!is_frame(&p->nodes[i]))
            continue;
        const struct code *c = code_of(t, &p->nodes[i]);
        bool found = false;
        for (uint32_t k = 0; k < c->count; k++)
            found |= has_line(t, &c->frame[k]);
        nearest[i] = found ? i : nearest[p->nodes[i].parent];
    }
    return nearest;
}

/* The row of the innermost line at node AT; -1: none. */
static ptrdiff_t line_at(struct paths *t, struct line_table *l, uint32_t at)
{
    struct code *c = at ? code_of(t, &t->model->profile->nodes[at]) : 0;
    for (uint32_t k = c ? c->count : 0; k-- > 0;) {
        ptrdiff_t row = line_row(t, l, &c->frame[k], c->module);
        if (row >= 0)
            return row;
    }
    return -1;
}

/* With its callees: a line counts each path that leads through it once. */
static void pass_lines(struct paths *t, struct line_table *l, uint32_t at, bool enter)
{
    const struct lpf_node *n = &t->model->profile->nodes[at];
    if (!is_frame(n))
        return;
    struct code *c = code_of(t, n);
    for (uint32_t k = 0; k < c->count; k++) {
        ptrdiff_t row = line_row(t, l, &c->frame[k], c->module);
        struct path_row *place = row >= 0 ? &t->places[t->lines[row].place] : 0;
        if (place && !enter)
            place->active--;
        else if (place && !place->active++)
            path_add(&place->all, &t->private->below[at]);
    }
}

static void add_callees(struct paths *t, struct line_table *l)
{
    const struct profile *p = t->model->profile;
    size_t n = p->node_count, depth = 0;
    uint32_t *first = format_memory(calloc(n + 1, sizeof *first)), *next = format_memory(calloc(n + 1, sizeof *next));
    uint32_t *stack = format_memory(calloc(n + 1, sizeof *stack));
    for (size_t i = n; i-- > 1;) {
        next[i] = first[p->nodes[i].parent];
        first[p->nodes[i].parent] = i;
    }
    for (uint32_t at = n ? first[0] : 0; at;) {
        pass_lines(t, l, at, true);
        if (first[at]) {
            stack[depth++] = at;
            at = first[at];
            continue;
        }
        for (;;) {
            pass_lines(t, l, at, false);
            uint32_t done = at;
            at = next[done] ? next[done] : depth ? stack[--depth] : 0;
            if (next[done] || !at)
                break;
        }
    }
    free(first);
    free(next);
    free(stack);
}

static void line_ns(struct paths *t, struct path_cost *c)
{
    const struct profile *p = t->model->profile;
    c->work = profile_whole_ns(p, c->work);
    c->span = profile_whole_ns(p, c->span);
    c->overhead = profile_whole_ns(p, c->overhead);
    c->idleness = round(c->idleness * t->private->idle_factor);
}

/* Lines of the program, by samples alone; what no sample hit has no line. */
static void make_lines(struct paths *t)
{
    const struct profile *p = t->model->profile;
    struct line_table l = { 0 };
    struct rounding r = { 0 };
    uint32_t *nearest = nearest_lines(t);
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct path_cost *c = &t->private->hit[p->samples[i].node];
        ptrdiff_t row = c->samples ? line_at(t, &l, nearest[p->samples[i].node]) : -1;
        path_add(row >= 0 ? &t->lines[row].self : &t->no_line, c);
    }
    t->line_count = t->call_line_count;
    add_callees(t, &l);
    for (size_t i = 0; i < t->call_line_count; i++) {
        struct path_row *row = &t->lines[i];
        row->self.idleness *= t->private->idle_factor;
        round_cost(p, &row->self, &r);
    }
    for (size_t i = 0; i < t->place_count; i++)
        line_ns(t, &t->places[i].all);
    t->no_line.idleness *= t->private->idle_factor;
    round_cost(p, &t->no_line, &r);
    round_cost(p, &t->unsampled, &r);
    free(nearest);
    free(l.lines.slots);
    free(l.places.slots);
    free(t->private->hit);
    free(t->private->below);
}

void paths_new(struct paths *t, const struct model *m, bool physical, bool folded, const char *const *patterns)
{
    memset(t, 0, sizeof *t);
    t->model = m;
    t->private = format_memory(calloc(1, sizeof *t->private));
    t->private->physical = physical;
    t->private->folded = folded;
    t->private->patterns = patterns;
    t->private->code_of = format_memory(calloc(m->profile->node_count + 1, sizeof *t->private->code_of));
    make_tree(t);
    make_functions(t);
    make_lines(t);
    paths_sort(t, "span");
}

void paths_free(struct paths *t)
{
    struct name *n, *n2;
    struct known *k, *k2;
    struct code *c, *c2;
    HASH_ITER(hh, t->private->names, n, n2) {
        HASH_DEL(t->private->names, n);
        free(n);
    }
    HASH_ITER(hh, t->private->known, k, k2) {
        HASH_DEL(t->private->known, k);
        free(k);
    }
    HASH_ITER(hh, t->private->codes, c, c2) {
        HASH_DEL(t->private->codes, c);
        free(c);
    }
    free(t->private->children.slots);
    free(t->private->code_of);
    free(t->private);
    free(t->nodes);
    free(t->functions);
    free(t->lines);
    free(t->places);
    memset(t, 0, sizeof *t);
}

const char *const path_metrics[] = { "span", "work", "idleness", "overhead", "blocked", "own", 0 };

double path_metric(const struct path_cost *c, const char *metric)
{
    return !strcmp(metric, "work") ? c->work : !strcmp(metric, "idleness") ? c->idleness :
           !strcmp(metric, "overhead") ? c->overhead : !strcmp(metric, "blocked") ? c->blocked :
           !strcmp(metric, "own") ? c->own : c->span;
}

static int compare_rows(const void *a, const void *b, void *metric)
{
    const struct path_row *x = a, *y = b;
    double u = path_metric(&x->self, metric), v = path_metric(&y->self, metric);
    if (u == v) {
        u = x->self.on_span + x->self.samples / 1e9;
        v = y->self.on_span + y->self.samples / 1e9;
    }
    if (u != v)
        return u < v ? 1 : -1;
    int c = strcmp(x->function, y->function);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

bool paths_sort(struct paths *t, const char *metric)
{
    bool known = false;
    for (unsigned i = 0; path_metrics[i]; i++)
        known |= !strcmp(metric, path_metrics[i]);
    if (!known)
        return false;
    if (t->function_count)
        qsort_r(t->functions, t->function_count, sizeof t->functions[0], compare_rows, (void *)metric);
    if (t->line_count)
        qsort_r(t->lines, t->line_count, sizeof t->lines[0], compare_rows, (void *)metric);
    return true;
}

/* ---- verdicts ---- */

/* A tenth of a whole is what a person would act on first; below it, measurements of idleness by some
 * hundred samples do not tell zero from something. Overhead is judged against the function's own effort:
 * more than a fifth of it, and tasks are too small for what each costs. */
#define HIGH_SHARE 0.10
#define HIGH_OVERHEAD 0.20
#define IDLE_SAMPLES 4
/* So much more work than span, and a function still is serial: the two are split by different samples. */
#define SERIAL 1.05
/* Parallelism that is enough for a worker, as the first words of the report say of the program's. */
#define AMPLE 10

/* Work W and span S: do workers idle because it is serial, and not for want of something else to run? */
static bool is_serial(const struct paths *t, double w, double s, bool high)
{
    unsigned p = t->model->profile->totals.workers;
    return high ? w < AMPLE * p * s : w < p * s;
}

const char *path_verdict(const struct paths *t, const struct path_cost *c)
{
    double span = ratio(c->span, t->total.span), work = ratio(c->work, t->total.work);
    double idle = t->idle_scaled ? ratio(c->idleness, t->idle_ns) : 0;
    /* idleness matters when the workers idle at all; a sample or two are none */
    bool idles = t->idle_scaled && t->idle_ns > 0.05 * profile_slots_ns(t->model->profile) && idle >= HIGH_SHARE &&
                 idle * t->idle_samples >= IDLE_SAMPLES;
    bool fine = ratio(c->overhead, c->work) >= HIGH_OVERHEAD && (work >= HIGH_SHARE || span >= HIGH_SHARE);
    if (idles && fine)
        return "idleness and overhead both high: change the decomposition";
    if (fine)
        return "fine-grained: coarsen";
    if (idles && c->blocked > profile_ns(t->model->profile, c->work))
        return "off the CPU while others idle: shorten or overlap the wait";
    if (idles && c->excluded > MOST * c->idleness)
        return "runs while others wait for a critical section or lock: shorten it";
    bool region = c->executed > MOST * c->span, even = region && c->even > MOST * c->executed;
    if (idles && span >= HIGH_SHARE && region && !even)
        return "one thread's share of a region on the critical path: balance it";
    if (idles && !region && is_serial(t, c->work, c->span, span >= HIGH_SHARE))
        return "serial on the critical path: parallelise";
    if (idles && !region && span >= HIGH_SHARE)
        return "idle here though parallel enough: too coarse for P";
    if (idles && !even)
        return "idle here though off the critical path: too coarse for P";
    if (span >= HIGH_SHARE && span > 2 * work)
        return "on the critical path: limits larger machines";
    if (span >= HIGH_SHARE && !region && c->work <= SERIAL * c->span)   /* too few workers, or none beside it, to see any idle */
        return "serial on the critical path: parallelise";
    if (work >= HIGH_SHARE)
        return "scales: optimise serially";
    return "";
}

double path_margin(uint64_t hits, uint64_t all)
{
    const double z = 1.96;
    if (!all)
        return 1;
    double p = (double)hits / all;
    return z / (1 + z * z / all) * sqrt(p * (1 - p) / all + z * z / (4.0 * all * all));
}
