/* cause_cells.c - see cause_cells.h. */
#define _GNU_SOURCE
#include "analysis/cause_cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/idle_intervals.h"
#include "analysis/processors.h"
#include "analysis/stats.h"
#include "base/format.h"

/* Idle intervals below this are the cost of starts and ends, not of missing work. */
#define SHORT_NS 50e3

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

static struct cell *add(struct cells *to, enum cause cause, const struct place *at,
                        const struct row *site, double ns, double weight, double squares)
{
    struct cell *c = cell_of(to, cause, at, site);
    ns = fmax(ns, 0);
    c->ns += ns;
    c->sampled += weight > 0 ? ns : 0;
    c->weight += weight;
    c->squares += squares;
    if (ns > c->line_ns && at->line) {
        c->line_ns = ns;
        c->place.line = at->line;
    }
    return c;
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
        if (!r->root && place_is(&here, at) && (!best || best == site || r->tasks > best->tasks))
            best = r;
    }
    return best;
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

/* The part of IDLENESS, the sum over WEIGHT samples of (P - w) / w, for which there are processors:
 * the same sum with their number for P. */
static double with_processor(const struct cells *of, double idleness, double weight)
{
    double least = (idleness + weight) * of->slots / of->m->profile->totals.workers - weight;
    return !of->crowd ? fmax(idleness, 0) : idleness > 0 ? fmax(least, 0) : 0;
}

static double wait_idleness(const struct cells *of, const struct lpf_wait *w)
{
    const struct lpf_totals *k = &of->m->profile->totals;
    return with_processor(of, w->idleness / 65536.0,
                          w->weight * ratio(k->off_cpu_ns, k->sample_period_ns));
}

/* Of the samples on the CPU at S, whose waits are the profile's from WAIT on. */
static double sample_idleness(const struct cells *of, const struct lpf_sample *s, size_t wait)
{
    const struct profile *p = of->m->profile;
    double idleness = of->t->private->hit[s->node].idleness;
    for (; wait < p->wait_count && p->waits[wait].node == s->node; wait++)
        idleness -= p->waits[wait].idleness / 65536.0;
    return with_processor(of, idleness, s->weight);
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
               idle = wait_idleness(to, w) * to->idle_factor;
        if (w->kind == LPF_WAIT_CPU) {
            to->without_cpu += idle;
            continue;
        }
        const struct row *site = to->site_of[w->node];
        enum cause cause = cause_of_service(path_service_of(to->t, w->node), w->kind);
        if (cause == CAUSE_WAIT && site && site->first < p->site_count && wait[site->first])
            continue;
        struct cell *cell = add(to, cause, &place, site, ns + idle, w->weight, w->weight);
        cell->for_others += cause == CAUSE_WAIT || cause == CAUSE_CONTENTION ? ns : 0;
    }
    free(wait);
}

/* Where more threads want to run than can, somebody has to wait for others. That costs nothing
 * while the processors are busy: the idle time that nothing else explains is left. */
static void limit_waits(struct cells *to)
{
    double left = to->idle_most, waits = 0;
    for (size_t i = 0; i < to->count; i++) {
        enum cause c = to->cell[i].cause;
        left -= cause_is_idle(c) || c == CAUSE_IO || c == CAUSE_SLEEP ? to->cell[i].ns : 0;
        waits += to->cell[i].for_others;
    }
    double more = waits - fmax(left, 0);
    for (size_t i = 0; i < to->count && to->crowd && more > 0; i++)
        to->cell[i].ns -= more * to->cell[i].for_others / waits;
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
        while (wait < p->wait_count && p->waits[wait].node < s->node)
            wait++;
        double work = profile_ns(p, c->work), over = profile_ns(p, c->overhead),
               idle = sample_idleness(to, s, wait) * to->idle_factor;
        enum service service = path_service_of(t, s->node);
        enum cause cause = cause_of_service(service, LPF_WAIT_CPU);
        over = service == SERVICE_THREAD ? work : over;
        if (cause != CAUSES) {
            struct cell *cell = add(to, cause, &place, site, work + idle, s->weight, q.weight);
            cell->on_cpu += work;
            cell->next_to_cpu += idle;
            cell->spins |= service == SERVICE_SPIN;
        } else if (over > 0 && (site = worked_for(to, &place, site))) {
            struct place where = place_of_site(site);
            add(to, cause_of_runtime(to, site), &where, site, over + idle, s->weight, q.weight);
        } else {
            cause = cause_of_idleness(to, s->node, around);
            add(to, cause, &place, around, idle, s->weight, q.weight);
        }
    }
}

/* Is idle time of CAUSE next to tasks? */
static bool is_next_to(enum cause c)
{
    return cause_is_idle(c) || c == CAUSE_ORDERED;
}

/* A thread finds its next task within this time, if there is one. */
#define DISPATCH_NS 5e3

/* Adds NS, in which threads looked for a task of R between two others, to the idle time next to
 * these tasks. */
static void add_search(struct cells *to, const struct row *r, double ns)
{
    double all = 0;
    struct place place = place_of_site(r);
    for (size_t i = 0; i < to->count; i++)
        all += to->cell[i].site == r && is_next_to(to->cell[i].cause) ? to->cell[i].ns : 0;
    if (!(all > 0))
        add(to, cause_of_idleness(to, 0, r), &place, r, ns, 0, 0);
    for (size_t i = 0; i < to->count && all > 0; i++)
        if (to->cell[i].site == r && is_next_to(to->cell[i].cause))
            to->cell[i].ns += ns * to->cell[i].ns / all;
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
        double ns = l->between * r->tasks / all,
               dispatch = cause_site_has_tasks(r) ? fmin(ns, r->tasks * DISPATCH_NS) : ns;
        if (r->root)
            continue;
        add(to, cause_of_runtime(to, r), &place, r, dispatch, 0, 0);
        if (ns > dispatch)
            add_search(to, r, ns - dispatch);
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

/* Idle time that samples found next to no strand: threads of the program's own started or ended
 * meanwhile. ALONE ns, divided by the number of threads. */
static void add_alone(struct cells *to, double alone)
{
    const struct summary *m = to->m;
    double threads = 0;
    for (size_t i = 0; i < m->row_count; i++)
        threads += !m->rows[i].root && cause_site_is_thread(&m->rows[i]) ? m->rows[i].tasks : 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        struct place place = place_of_site(r);
        if (!r->root && cause_site_is_thread(r))
            add(to, cause_of_idleness(to, 0, r), &place, r, alone * ratio(r->tasks, threads), 0, 0);
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
            if (!cause_is_idle(c->cause) || near != (c->site == r || place_is(&c->place, &place)))
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
    double alone = fmin(to->t->idle_scaled ? to->t->idle_alone : to->t->idle_ns, to->idle_most);
    for (size_t i = 0; x.known && i < to->m->row_count; i++) {
        const struct row *r = &to->m->rows[i];
        const struct idle_of_site *s = &x.rows[i];
        bool tasks = cause_site_has_tasks(r),
             made = tasks && r->tasks >= AMPLE * to->slots &&
                    s->count - s->ends >= MOST * r->tasks &&
                    s->ns - s->wait_ns - s->start_ns > MOST * s->ns;
        double ns = made ? s->ns - s->wait_ns : s->short_ns;
        ns -= ratio(x.own_ns * s->count, x.all.count);  /* idle time is without it already */
        if (tasks && !made)     /* before that there was no task to start */
            ns = fmin(ns, s->start_ns + s->end_ns);
        if (r->root || !(ns > 0) || (to->crowd && r->threads > to->slots))
            continue;
        double taken = fmin(ns, alone);
        alone -= taken;
        taken += take_idle(to, r, true, ns - taken);
        taken += take_idle(to, r, false, ns - taken);
        struct place place = place_of_site(r);
        add(to, made ? CAUSE_SPAWNING : cause_of_runtime(to, r), &place, r, taken, 0, 0);
    }
    add_alone(to, alone);
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
        all += to->cell[i].cause == CAUSE_MEMORY ? to->cell[i].on_cpu : 0;
        others += to->cell[i].cause == CAUSE_CONTENTION ? to->cell[i].on_cpu : 0;
    }
    double kernel = fmax(x.system_ns - others, 0);
    bool faults = x.faults * FAULT_NS > kernel;
    for (size_t i = 0; i < to->count && x.known && all > 0 && (all > kernel || faults); i++)
        if (to->cell[i].cause == CAUSE_MEMORY)
            to->cell[i].ns += (to->cell[i].on_cpu + to->cell[i].next_to_cpu) * (kernel / all - 1);
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
        { CAUSE_AFFINITY, to->crowd || !x.bound ? 0 : x.idle_allowed_ns },
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
        if (!r->root && cause_site_is_thread(r) && r->tasks > 1 &&
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

/* In a crowd, only the processors' idle time counts. */
static void set_idle(struct cells *of, const struct ledger *l)
{
    const struct profile *p = of->m->profile;
    double sampled = 0;
    of->idle_most = l->idle;
    of->idle_factor = of->t->private->idle_factor;
    if (!of->crowd)
        return;
    for (size_t i = 0, wait = 0; i < p->sample_count; i++) {
        while (wait < p->wait_count && p->waits[wait].node < p->samples[i].node)
            wait++;
        sampled += sample_idleness(of, &p->samples[i], wait);
    }
    for (size_t i = 0; i < p->wait_count; i++)
        sampled += wait_idleness(of, &p->waits[i]);
    of->idle_most = fmax(of->slots * p->totals.elapsed_ns -
                             (of->m->work + l->between + l->own + l->search), 0);
    of->idle_factor = fmin(of->idle_factor, ratio(of->idle_most, sampled));
}

void cells_new(struct cells *to, const struct summary *m, struct paths *t, const struct ledger *l)
{
    const struct profile *p = m->profile;
    struct lpf_switches switches = { 0 };
    unsigned may = profile_processors(p);
    *to = (struct cells){ .m = m, .t = t, .slots = fmax(p->totals.workers, 1) };
    to->site_of = format_memory(calloc(p->node_count + 1, sizeof *to->site_of));
    for (size_t i = 1; i < p->node_count; i++)
        to->site_of[i] = p->nodes[i].kind == LPF_NODE_TASK ? t->private->site_of[i]
                                                           : to->site_of[p->nodes[i].parent];
    to->crowd = may && to->slots > may;
    if (to->crowd)
        to->slots = may;
    profile_switches(p, &switches);
    set_idle(to, l);
    add_samples(to);
    add_waits_off_cpu(to, &switches);
    limit_waits(to);
    add_short(to);
    add_between(to, l);
    add_waits(to);
    add_mpi(to, l);
    add_crowd(to, l);
    add_without_cpu(to, &switches);
    add_one_at_a_time(to);
    scale_memory(to);
}

void cells_free(struct cells *c)
{
    free(c->cell);
    free(c->places.slots);
    free(c->site_of);
    *c = (struct cells){ 0 };
}
