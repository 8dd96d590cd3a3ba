/* causes.c - see causes.h. */
#define _GNU_SOURCE
#include "analysis/causes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/idle_intervals.h"
#include "analysis/path_wait.h"
#include "analysis/paths_private.h"
#include "analysis/processors.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "profile/profile.h"

const char *const cause_names[CAUSES] = {
#define CAUSE(id, name, sentence, remedy, cells, place) [CAUSE_##id] = name,
#include "analysis/causes.def"
#undef CAUSE
};

/* Idle intervals below this are the cost of starts and ends, not of missing work. */
#define SHORT_NS 50e3
/* However busy the machine was, some of the time was the program's. */
#define MOST_LOST 0.95
#define IN_TURN 0.9
/* To start a thread and to end it takes a good part of this. */
#define THREAD_NS 100e3
/* Parts at a time, for each worker, that even out what is unequal. */
#define AMPLE 4

static bool is_idle(enum cause c)
{
    return c == CAUSE_SERIAL || c == CAUSE_IMBALANCE || c == CAUSE_FEW_TASKS ||
           c == CAUSE_SPAWNING || c == CAUSE_NESTED;
}

/* Worker time of one cause at one place. */
struct cell {
    enum cause cause;
    struct place place;
    const struct row *site;
    double ns;
    double weight, squares;     /* of the samples that split it; 0: it is exact */
    double line_ns;             /* of place.line */
    double on_cpu;              /* the part of NS on the CPU */
    bool spins;                 /* waits on the CPU */
};

struct cells {
    const struct summary *m;
    struct paths *t;
    double slots;               /* workers that can run at one time */
    bool crowd;                 /* there are more workers than that */
    double idle_factor;         /* ns for one unit of the samples' idleness */
    double without_cpu;         /* ns of idle time next to strands that had no CPU */
    const struct row **site_of; /* by node of the profile: of its innermost task boundary */
    struct cell *cell;
    size_t count, room;
    struct places places;       /* of the cells */
    double *sampled;            /* by row of the summary: weight of the samples in its tasks */
};

/* The program's innermost code at node I of the profile or around it; where a task has none, that
 * which spawned it. */
static struct place place_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    for (; i && i != LPF_NONE; i = p->nodes[i].parent) {
        if (p->nodes[i].kind != LPF_NODE_FRAME && p->nodes[i].kind != LPF_NODE_LEAF)
            continue;
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;)
            if (path_is_program(c, &c->frame[k]))
                return (struct place){ c->frame[k].function, c->frame[k].file, c->frame[k].line };
    }
    return (struct place){ 0 };
}

static struct place place_of_site(const struct row *r)
{
    return (struct place){ r->function, r->file, r->line };
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->function == b->function ||
           (a->function && b->function && !strcmp(a->function, b->function) &&
            (!a->file || !b->file || !strcmp(a->file, b->file)));
}

static size_t hash_of(enum cause cause, const struct place *at, const struct row *site)
{
    return places_hash((uintptr_t)site ^ (uint64_t)cause << 56, at->function, at->file);
}

static size_t hash_cell(const void *cells, size_t i)
{
    const struct cell *c = (const struct cell *)cells + i;
    return hash_of(c->cause, &c->place, c->site);
}

/* Equal names have equal pointers, but for the places of sites: then a finding sums two cells. */
static struct cell *cell_of(struct cells *to, enum cause cause, const struct place *at,
                            const struct row *site)
{
    struct places *p = &to->places;
    places_grow(p, to->count, hash_cell, to->cell);
    size_t slot = hash_of(cause, at, site) & (p->size - 1);
    for (; p->slots[slot]; slot = (slot + 1) & (p->size - 1)) {
        struct cell *c = &to->cell[p->slots[slot] - 1];
        if (c->cause == cause && c->site == site && c->place.function == at->function &&
            c->place.file == at->file)
            return c;
    }
    if (to->count == to->room) {
        to->room = to->room ? 2 * to->room : 64;
        to->cell = format_memory(realloc(to->cell, to->room * sizeof *to->cell));
    }
    to->cell[to->count] = (struct cell){ .cause = cause, .place = *at, .site = site };
    p->slots[slot] = to->count + 1;
    return &to->cell[to->count++];
}

static void add(struct cells *to, enum cause cause, const struct place *at, const struct row *site,
                double ns, double weight, double squares)
{
    if (!(ns > 0))
        return;
    struct cell *c = cell_of(to, cause, at, site);
    c->ns += ns;
    c->weight += weight;
    c->squares += squares;
    if (ns > c->line_ns && at->line) {
        c->line_ns = ns;
        c->place.line = at->line;
    }
}

/* Is R a region or a loop, of which each execution is an invocation with parts? */
static bool is_region(const struct row *r)
{
    return r && !strncmp(r->construct, "parallel", 8);
}

static bool is_thread(const struct row *r)
{
    return !strcmp(r->construct, "pthread_create");
}

/* How many parts R has at a time. */
static double at_a_time(const struct row *r)
{
    double parts = r->parts ? r->parts : r->tasks;
    return is_region(r) && r->invocations ? parts / r->invocations : parts;
}

/* Does the runtime's time at R, a spawn site, go into many short executions of the construct, or
 * into its many tasks? */
static enum cause of_runtime(const struct cells *of, const struct row *r)
{
    bool openmp = !strcmp(r->runtime, "openmp");
    double parts = openmp ? r->handed.chunks : r->tasks;
    return is_region(r) && parts < AMPLE * (double)r->invocations * of->slots
               ? CAUSE_SHORT_REGIONS
               : CAUSE_SMALL_TASKS;
}

/* The site that runtime code at place AT, in tasks of SITE, works for: one that AT spawns at, or
 * SITE itself. */
static const struct row *worked_for(const struct cells *of, const struct place *at,
                                    const struct row *site)
{
    const struct row *best = site;
    for (size_t i = 0; i < of->m->row_count; i++) {
        const struct row *r = &of->m->rows[i];
        struct place here = place_of_site(r);
        if (!r->root && same_place(&here, at) && (!best || best == site || r->tasks > best->tasks))
            best = r;
    }
    return best;
}

/* Is node I of the profile in the body of a serial filter? */
static bool in_filter(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    for (; i < p->node_count &&
           (p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF);
         i = p->nodes[i].parent)
        if (path_code_of(t, &p->nodes[i])->filter)
            return true;
    return false;
}

/* Why do workers idle next to the code at node I, in tasks of SITE (NULL: outside every task)? */
static enum cause of_idleness(const struct cells *of, uint32_t i, const struct row *site)
{
    if (in_filter(of->t, i))
        return CAUSE_ORDERED;
    if (!site || site->root)
        return CAUSE_SERIAL;
    if (summary_is_of_one(site))
        return CAUSE_NESTED;
    if (is_thread(site) && profile_ns(of->m->profile, row_mean(site)) < THREAD_NS)
        return CAUSE_SMALL_TASKS;
    /* nearly all of its work is on the critical path: its parts come one after the other */
    if (at_a_time(site) <= 1 || site->on_local.span > IN_TURN * site->local.work)
        return CAUSE_SERIAL;
    if (!strcmp(site->runtime, "openmp") && is_region(site))
        return CAUSE_IMBALANCE;
    /* a recursion has few parts at its start, and where it joins them */
    bool few = at_a_time(site) < AMPLE * of->slots || site->recursive;
    return few && !is_thread(site) ? CAUSE_FEW_TASKS : CAUSE_IMBALANCE;
}

static bool has(const char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(text, *parts))
            return true;
    return false;
}

/* What the code below the program's innermost frame at node I does there, on the CPU or off it, in
 * the system call of KIND: a cause, or CAUSES if it is the program's own code. */
static enum cause of_leaf(struct paths *t, uint32_t i, bool off_cpu, enum lpf_wait_kind kind)
{
    static const char *const memory[] = { "memset", "munmap", "brk", "madvise", "sysmalloc",
                                          "systrim", "mmap", "mremap", NULL },
                      *const lock[] = { "lll_lock", "mutex", "lll_unlock", "GOMP_critical",
                                        "kmpc_critical", "kmpc_end_critical", "omp_set_lock",
                                        "omp_unset_lock", "GOMP_atomic", "spin_lock", NULL },
                      *const order[] = { "GOMP_ordered", "kmpc_ordered", "kmpc_doacross",
                                         "GOMP_doacross", NULL },
                      *const threads[] = { "cond_", "condition_variable", "sem_wait", "barrier",
                                           "pthread_join", "future", NULL };
    const struct profile *p = t->summary->profile;
    bool is_lock = false, is_threads = false, is_order = false, is_memory = false;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            const struct code_frame *f = &c->frame[k];
            if (path_is_program(c, f))
                goto end;
            is_memory |= c->system && has(f->function, memory);
            is_threads |= (c->system || f->library) && has(f->function, threads);
            is_lock |= has(f->function, lock);
            is_order |= has(f->function, order);
        }
    }
end:
    if (is_order)
        return CAUSE_ORDERED;
    if (!off_cpu)
        return is_lock ? CAUSE_CONTENTION : is_memory ? CAUSE_MEMORY : CAUSES;
    switch (kind) {
    case LPF_WAIT_SLEEP:
        return CAUSE_SLEEP;
    case LPF_WAIT_IO:
    case LPF_WAIT_POLL:
    case LPF_WAIT_CHILD:
        return CAUSE_IO;
    case LPF_WAIT_MEMORY:
    case LPF_WAIT_FAULT:
        return CAUSE_MEMORY;
    default:
        return is_threads ? CAUSE_WAIT : is_lock ? CAUSE_CONTENTION : CAUSE_WAIT;
    }
}

/* ns that one off-CPU sample stands for, so that those of waits add up to the time off the CPU
 * without preemption. */
static double wait_unit(const struct profile *p, double preempted)
{
    double found = 0;
    for (size_t i = 0; i < p->wait_count; i++)
        found += p->waits[i].kind == LPF_WAIT_CPU ? 0 : (double)p->waits[i].weight;
    return found > 0 ? fmax(p->totals.blocked_ns - preempted, 0) / found : 0;
}

/* A thread of the program's that has hardly worked is no worker, as those of a pool that nobody
 * uses: its waits keep nobody from work. */
#define WORKED 0.01

/* By site: is it of such threads? */
static bool *sites_that_wait(const struct cells *of)
{
    const struct profile *p = of->m->profile;
    bool *wait = format_memory(calloc(p->site_count + 1, sizeof *wait));
    double *work = format_memory(calloc(p->site_count + 1, sizeof *work)),
           *off = format_memory(calloc(p->site_count + 1, sizeof *off));
    for (size_t i = 0; i < p->context_count; i++) {
        work[p->contexts[i].site] += profile_ns(p, p->contexts[i].work_local_cost);
        off[p->contexts[i].site] += p->contexts[i].blocked_ns;
    }
    for (size_t i = 0; i < p->site_count; i++)
        wait[i] = off[i] > 0 && work[i] < WORKED * off[i] &&
                  !strcmp(profile_string(p, p->sites[i].construct), "pthread_create");
    free(work);
    free(off);
    return wait;
}

static void add_waits_off_cpu(struct cells *to, const struct lpf_switches *switches)
{
    bool *wait = sites_that_wait(to);
    const struct profile *p = to->m->profile;
    double unit = wait_unit(p, switches->preempted_ns);
    for (size_t i = 0; i < p->wait_count; i++) {
        const struct lpf_wait *w = &p->waits[i];
        struct place place = place_of(to->t, w->node);
        double ns = w->weight * unit,
               idle = w->idleness / 65536.0 * to->idle_factor;
        if (w->kind == LPF_WAIT_CPU) {
            to->without_cpu += idle;
            continue;
        }
        const struct row *site = to->site_of[w->node];
        enum cause cause = of_leaf(to->t, w->node, true, w->kind);
        if (cause == CAUSE_WAIT && site && site->first < p->site_count && wait[site->first])
            continue;
        add(to, cause, &place, site, ns + idle, w->weight, w->weight);
    }
    free(wait);
}

static void add_samples(struct cells *to)
{
    const struct profile *p = to->m->profile;
    struct paths *t = to->t;
    for (size_t i = 0, at = 0, wait = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct lpf_squares q = profile_squares(p, i, &at);
        const struct path_cost *c = &t->private->hit[s->node];
        struct place place = place_of(t, s->node);
        const struct row *around = to->site_of[s->node], *site = around;
        if (around)
            to->sampled[around - to->m->rows] += s->weight;
        double idleness = c->idleness, work = profile_ns(p, c->work),
               over = profile_ns(p, c->overhead);
        while (wait < p->wait_count && p->waits[wait].node < s->node)
            wait++;
        for (size_t k = wait; k < p->wait_count && p->waits[k].node == s->node; k++)
            idleness -= p->waits[k].idleness / 65536.0;
        double idle = fmax(idleness, 0) * to->idle_factor;
        enum cause leaf = s->weight ? of_leaf(t, s->node, false, 0) : CAUSES;
        bool spins = leaf == CAUSES && path_wait_of(t, s->node) >= WAIT_SPIN;
        if (spins)
            leaf = CAUSE_CONTENTION;
        if (leaf != CAUSES) {
            add(to, leaf, &place, site, work, s->weight, q.weight);
            struct cell *cell = cell_of(to, leaf, &place, site);
            cell->on_cpu += work;
            cell->spins |= spins;
        } else if (over > 0 && (site = worked_for(to, &place, site))) {
            struct place where = place_of_site(site);
            add(to, of_runtime(to, site), &where, site, over, s->weight, q.weight);
        }
        add(to, of_idleness(to, s->node, around), &place, around, idle, s->weight, q.weight);
    }
}

/* The runtime's time between strands goes to the sites by their tasks, and to what threads waited
 * for by the number of waits: each ends a strand. */
static void add_between(struct cells *to, const struct ledger *l)
{
    const struct summary *m = to->m;
    double all = 0;
    for (size_t i = 0; i < m->row_count; i++)
        all += m->rows[i].root ? 0 : m->rows[i].tasks;
    for (size_t i = 0; i < m->wait_count; i++)
        all += m->waits[i].top.count;
    for (size_t i = 0; i < m->row_count && all > 0; i++) {
        const struct row *r = &m->rows[i];
        struct place place = place_of_site(r);
        if (!r->root)
            add(to, of_runtime(to, r), &place, r, l->between * r->tasks / all, 0, 0);
    }
    for (size_t i = 0; i < m->wait_count && all > 0; i++) {
        const struct row *r = &m->waits[i];
        struct place place = place_of_site(r);
        add(to, r->in_order ? CAUSE_ORDERED : CAUSE_CONTENTION, &place, NULL,
            l->between * r->top.count / all, 0, 0);
    }
}

/* Waits that the runtime's entry points measured. They are part of the idle time. */
static void add_waits(struct cells *to)
{
    const struct summary *m = to->m;
    for (size_t i = 0; i < m->wait_count; i++) {
        const struct row *r = &m->waits[i];
        struct place place = place_of_site(r);
        add(to, r->in_order ? CAUSE_ORDERED : CAUSE_CONTENTION, &place, NULL,
            profile_ns(m->profile, r->top.work), 0, 0);
    }
}

/* Idle time that samples found next to no strand may have been next to short threads, which no
 * sample hit: ALONE ns, divided by their work. */
static void add_unsampled(struct cells *to, double alone)
{
    const struct summary *m = to->m;
    double work = profile_ns(m->profile, m->profile->totals.work_cost);
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        struct place place = place_of_site(r);
        if (!r->root && is_thread(r) && !to->sampled[i])
            add(to, of_idleness(to, 0, r), &place, r,
                alone * ratio(profile_ns(m->profile, r->local.work), work), 0, 0);
    }
}

/* Takes up to NS from the idle cells that are NEAR R or not. Returns how much. */
static double take_idle(struct cells *from, const struct row *r, bool near, double ns)
{
    struct place place = place_of_site(r);
    double all = 0, taken = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < from->count; k++) {
            struct cell *c = &from->cell[k];
            if (!is_idle(c->cause) || near != (c->site == r || same_place(&c->place, &place)))
                continue;
            if (!pass) {
                all += c->ns;
                continue;
            }
            double part = fmin(ns * c->ns / all, c->ns);
            c->ns -= part;
            taken += part;
        }
    return taken;
}

/* Short intervals of idle time are the cost of the starts and ends of what the threads then
 * execute, so they are no part of the idle time next to other code. Where tasks are executed as
 * soon as they are made, the threads wait for who makes them, whatever the intervals' length. */
static void add_short(struct cells *to)
{
    struct idle_intervals x = idle_intervals_of(to->m, SHORT_NS);
    double alone = to->t->idle_scaled ? to->t->idle_alone : to->t->idle_ns;
    for (size_t i = 0; x.known && i < to->m->row_count; i++) {
        const struct row *r = &to->m->rows[i];
        const struct idle_of_site *s = &x.rows[i];
        bool made = !is_region(r) && !is_thread(r) && r->tasks >= AMPLE * to->slots &&
                    s->count - s->ends >= MOST * r->tasks &&
                    s->ns - s->wait_ns - s->start_ns > MOST * s->ns;
        double ns = made ? s->ns - s->wait_ns : s->short_ns;
        if (r->root || !(ns > 0) || (to->crowd && r->threads > to->slots))
            continue;
        double taken = fmin(ns, alone);
        alone -= taken;
        taken += take_idle(to, r, true, ns - taken);
        taken += take_idle(to, r, false, ns - taken);
        struct place place = place_of_site(r);
        add(to, made ? CAUSE_SPAWNING : of_runtime(to, r), &place, r, taken, 0, 0);
    }
    add_unsampled(to, alone);
    idle_intervals_free(&x);
}

/* The time of strands in MPI, without its start and end, which each rank has once. */
static void add_mpi(struct cells *to, const struct ledger *l)
{
    const struct summary *m = to->m;
    struct place none = { 0 };
    double rest = l->mpi_waits + l->mpi_transfer - summary_mpi(m).start_end;
    for (size_t i = 0; i < m->call_count; i++) {
        const struct row *r = &m->calls[i];
        struct place place = place_of_site(r);
        double ns = profile_ns(m->profile, r->top.work);
        if (summary_starts_or_ends_mpi(r))
            continue;
        take_idle(to, r, false, ns);    /* samples count a strand that waits in MPI as idle */
        add(to, CAUSE_MPI, &place, NULL, ns, 0, 0);
        rest -= ns;
    }
    add(to, CAUSE_MPI, &none, NULL, rest, 0, 0);
}

/* The site with the largest team; NULL: none has more threads than can run. */
static const struct row *crowded_site(const struct cells *of)
{
    const struct row *best = NULL;
    for (size_t i = 0; i < of->m->row_count; i++) {
        const struct row *r = &of->m->rows[i];
        if (!r->root && r->threads > of->slots && (!best || r->threads > best->threads))
            best = r;
    }
    return best;
}

/* Where more threads want to run than can, those that wait on the CPU keep others from it. */
static void add_crowd(struct cells *to, const struct ledger *l)
{
    const struct row *r = crowded_site(to);
    struct place place = r ? place_of_site(r) : (struct place){ 0 };
    double ns = l->search;
    if (!to->crowd)
        return;
    for (size_t i = 0; i < to->count; i++)
        if (to->cell[i].spins && (!r || to->cell[i].site == r)) {
            ns += to->cell[i].ns;
            to->cell[i].ns = 0;
        }
    add(to, CAUSE_OVERSUBSCRIPTION, &place, r, ns, 0, 0);
}

/* A page fault takes less than this. More of the kernel's time for each is for something else. */
#define FAULT_NS 4e3

/* Page faults strike anywhere in the code that uses the memory, so the cells of memory stand for
 * all of the kernel's time, if that is mostly faults. Code that only touches memory may also
 * find it there: then the kernel's time is the most that memory can cost. */
static void scale_memory(struct cells *to)
{
    struct processors x;
    double all = 0, others = 0;
    processors_of(&x, to->m->profile);
    for (size_t i = 0; i < to->count; i++) {
        all += to->cell[i].cause == CAUSE_MEMORY ? to->cell[i].ns : 0;
        others += to->cell[i].cause == CAUSE_CONTENTION ? to->cell[i].on_cpu : 0;
    }
    double kernel = fmax(x.system_ns - others, 0);
    bool faults = x.faults * FAULT_NS > kernel;
    for (size_t i = 0; i < to->count && x.known && (all > kernel || faults); i++)
        if (to->cell[i].cause == CAUSE_MEMORY)
            to->cell[i].ns *= kernel / all;
}

/* Threads that were ready and had no CPU: by whose fault. In a crowd, somebody has to wait. */
static void add_without_cpu(struct cells *to, const struct lpf_switches *s)
{
    struct processors x;
    struct place none = { 0 };
    processors_of(&x, to->m->profile);
    double left = (double)s->preempted_ns + s->idle_preempted_ns + to->without_cpu;
    struct { enum cause cause; double most; } by[] = {
        { CAUSE_QUOTA, x.throttled_ns },
        { CAUSE_OTHER_PROGRAMS, x.others_ns },
        { CAUSE_AFFINITY, to->crowd ? 0 : x.idle_allowed_ns },
    };
    for (unsigned i = 0; i < sizeof by / sizeof by[0] && x.known; i++) {
        double ns = fmin(left, by[i].most);
        add(to, by[i].cause, &none, NULL, ns, 0, 0);
        left -= ns;
    }
    add(to, CAUSE_STOLEN, &none, NULL, x.steal_ns, 0, 0);
}

/* A program of threads that never work at the same time has one worker, which never idles. The
 * processors that it might use do. */
static void add_one_at_a_time(struct cells *to)
{
    const struct profile *p = to->m->profile;
    const struct row *best = NULL;
    unsigned may = profile_processors(p);
    for (size_t i = 0; i < to->m->row_count; i++) {
        const struct row *r = &to->m->rows[i];
        if (!r->root && is_thread(r) && r->tasks > 1 &&
            (!best || r->local.work > best->local.work))
            best = r;
    }
    if (p->totals.workers != 1 || may < 2 || !best)
        return;
    struct place place = place_of_site(best);
    to->slots = may;
    add(to, CAUSE_SERIAL, &place, best,
        (may - 1) * fmin(profile_ns(p, best->local.work), p->totals.elapsed_ns), 0, 0);
}

static int by_gain(const void *a, const void *b)
{
    const struct cause_finding *x = a, *y = b;
    return x->gain < y->gain ? 1 : x->gain > y->gain ? -1 : (int)x->id - (int)y->id;
}

/* Sets what F counts, and how long one of it takes. */
static void count(struct cause_finding *f, const struct profile *p)
{
    const struct row *r = f->site;
    if (!r)
        return;
    f->count = f->id == CAUSE_SHORT_REGIONS ? r->invocations : r->parts ? r->parts : r->tasks;
    f->mean = ratio(profile_ns(p, r->local.work), f->count);
}

static int by_cause(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    const char *f = x->place.function, *g = y->place.function;
    int c = f && g ? strcmp(f, g) : (f != 0) - (g != 0);
    return c || !x->place.file || !y->place.file ? c : strcmp(x->place.file, y->place.file);
}

/* Is X, which comes after all cells of C's last finding, a part of it? */
static bool continues(const struct causes *c, const struct cell *x)
{
    const struct cause_finding *last = c->count ? &c->found[c->count - 1] : NULL;
    return last && last->id == x->cause && same_place(&last->place, &x->place);
}

/* A gain may be off by the samples that split its cells, and where these are exact, by the costs
 * that the removal brings with it. */
#define EXACT_MARGIN 0.1

static void find(struct causes *c, struct cells *from)
{
    const struct profile *p = from->m->profile;
    if (from->count)
        qsort(from->cell, from->count, sizeof *from->cell, by_cause);
    c->found = format_memory(calloc(from->count + 1, sizeof *c->found));
    double *samples = format_memory(calloc(from->count + 1, sizeof *samples)),
           *largest = format_memory(calloc(from->count + 1, sizeof *largest));
    for (size_t i = 0; i < from->count; i++) {
        const struct cell *x = &from->cell[i];
        if (!continues(c, x))
            c->found[c->count++] = (struct cause_finding){ .id = x->cause, .place = x->place };
        size_t k = c->count - 1;
        struct cause_finding *f = &c->found[k];
        if (x->ns > largest[k]) {
            largest[k] = x->ns;
            f->site = x->site;
            f->place = x->place;
        }
        f->ns += x->ns;
        f->gain += x->ns / from->slots;
        samples[k] += x->weight > 0 ? stats_equal(x->weight, x->squares) : 0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct cause_finding *f = &c->found[i];
        double margin = f->gain * fmax(EXACT_MARGIN, samples[i] > 0 ? Z95 / sqrt(samples[i]) : 0);
        f->gain = fmin(f->gain, c->elapsed);
        f->low = fmax(f->gain - margin, 0);
        f->high = fmin(f->gain + margin, c->elapsed);
        count(f, p);
        if (f->gain >= CAUSE_WORTH * c->available && f->low > 0)
            c->found[kept++] = *f;
    }
    free(samples);
    free(largest);
    c->count = kept;
    qsort(c->found, c->count, sizeof *c->found, by_gain);
}

/* ns for one unit of the samples' idleness. In a crowd, only what the processors idle. */
static double idle_factor_of(const struct cells *of, const struct ledger *l)
{
    const struct profile *p = of->m->profile;
    double sampled = 0, factor = of->t->private->idle_factor;
    for (size_t i = 0; i < p->sample_count; i++)
        sampled += p->samples[i].idleness / 65536.0;
    double idle = of->slots * p->totals.elapsed_ns -
                  (of->m->work + l->between + l->own + l->search);
    return of->crowd ? fmin(factor, ratio(fmax(idle, 0), sampled)) : factor;
}

/* A function's verdict is its largest cause. */
static void name_verdicts(const struct causes *c, struct paths *t)
{
    for (size_t i = 0; i < t->function_count; i++) {
        struct path_row *r = &t->functions[i];
        struct place at = { .function = r->function, .file = r->file };
        r->verdict = "";
        for (size_t k = c->count; k-- > 0;)
            if (same_place(&c->found[k].place, &at))
                r->verdict = cause_names[c->found[k].id];
    }
}

void causes_new(struct causes *c, const struct summary *m, struct paths *t)
{
    const struct profile *p = m->profile;
    struct ledger l = ledger_of(m, t);
    *c = (struct causes){ .elapsed = p->totals.elapsed_ns, .available = p->totals.elapsed_ns };
    if (!l.known || !t) {
        for (size_t i = 0; t && i < t->function_count; i++)
            t->functions[i].verdict = "";
        return;
    }
    c->known = true;
    struct cells cells = { .m = m, .t = t };
    cells.site_of = format_memory(calloc(p->node_count + 1, sizeof *cells.site_of));
    for (size_t i = 1; i < p->node_count; i++)
        cells.site_of[i] = p->nodes[i].kind == LPF_NODE_TASK ? t->private->site_of[i]
                                                             : cells.site_of[p->nodes[i].parent];
    struct lpf_switches switches = { 0 };
    struct processors x;
    profile_switches(p, &switches);
    processors_of(&x, p);
    unsigned may = profile_processors(p);
    cells.slots = fmax(p->totals.workers, 1);
    cells.crowd = may && cells.slots > may;
    if (cells.crowd)
        cells.slots = may;
    cells.idle_factor = idle_factor_of(&cells, &l);
    cells.sampled = format_memory(calloc(m->row_count + 1, sizeof *cells.sampled));
    add_samples(&cells);
    add_waits_off_cpu(&cells, &switches);
    add_short(&cells);
    add_between(&cells, &l);
    add_waits(&cells);
    add_mpi(&cells, &l);
    add_crowd(&cells, &l);
    add_without_cpu(&cells, &switches);
    add_one_at_a_time(&cells);
    scale_memory(&cells);
    /* what the program could not use is no part of its time */
    double lost = cells.crowd ? x.others_ns / cells.slots
                              : (double)(switches.preempted_ns + switches.idle_preempted_ns) /
                                    cells.slots;
    c->available -= fmin(fmin(lost, x.others_ns), MOST_LOST * c->available);
    find(c, &cells);
    name_verdicts(c, t);
    free(cells.cell);
    free(cells.sampled);
    free(cells.places.slots);
    free(cells.site_of);
}

void causes_free(struct causes *c)
{
    free(c->found);
    *c = (struct causes){ 0 };
}
