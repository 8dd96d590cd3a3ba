/* sum.c - see sum.h. Every kind of entry has a table with a key. Entries with equal keys are one:
 * strings with the same bytes; modules with the same build id (or path) and place in their file;
 * sites and nodes with the same code; contexts with the same site, node and parent; regions and
 * notes with the same name.
 */
#define _GNU_SOURCE
#include "merge/sum.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "merge/sum_private.h"
#include "profile/profile.h"

struct sum *sum_new(uint32_t mode)
{
    struct sum *m = format_memory(calloc(1, sizeof *m));
    m->mode = mode;
    m->next_place = FIRST_PLACE;
    m->strings.size = 1;
    m->settings.size = sizeof(struct lpf_setting);
    m->modules.size = sizeof(struct lpf_module);
    m->sites.size = sizeof(struct lpf_site);
    m->contexts.size = sizeof(struct lpf_context);
    m->regions.size = sizeof(struct lpf_region);
    m->notes.size = sizeof(struct lpf_note);
    m->threads.size = sizeof(struct lpf_thread);
    m->nodes.size = sizeof(struct lpf_node);
    m->samples.size = m->weights.size = sizeof(struct lpf_sample);
    m->squares.size = m->squares_of.size = sizeof(struct lpf_squares);
    m->waits.size = m->waits_of.size = sizeof(struct lpf_wait);
    m->switches.size = sizeof(struct lpf_switches);
    m->inputs.size = sizeof(struct lpf_input);
    m->ranks.size = sizeof(struct lpf_rank);
    m->after_rank = LPF_NONE;
    m->rank_samples.size = sizeof(struct lpf_rank_sample);
    m->region_ranks_of.size = m->region_ranks.size = sizeof(struct lpf_region_rank);
    m->awaited_of.size = m->awaited.size = sizeof(struct lpf_awaited);
    m->elsewhere = LPF_NONE;
    m->spread_of.size = m->spreads.size = sizeof(struct lpf_spread);
    m->outliers_of.size = m->outliers.size = sizeof(struct lpf_outliers);
    m->teams_of_one_of.size = m->teams_of_one.size = sizeof(struct lpf_team_of_one);
    m->handed_of.size = m->handed.size = sizeof(struct lpf_handed);
    m->idle_of.size = m->idle.size = sizeof(struct lpf_idle);
    m->phases_of.size = m->phases.size = sizeof(struct lpf_phases);
    m->chunks_of.size = m->chunks.size = sizeof(struct lpf_chunks);
    m->typical.flags = LPF_TYPICAL_CLEAN;
    m->candidates.size = sizeof(struct lpf_candidate);
    m->scenarios.size = sizeof(struct lpf_scenario);
    m->terms.size = sizeof(struct lpf_term);
    list_append(&m->strings, "", 1);
    return m;
}

void sum_free(struct sum *m)
{
    struct list *all[] = { &m->strings, &m->settings, &m->modules,    &m->sites,     &m->contexts,
                           &m->regions, &m->notes,    &m->threads,    &m->nodes,     &m->samples,
                           &m->inputs,  &m->weights,  &m->candidates, &m->scenarios, &m->terms,
                           &m->spreads, &m->spread_of, &m->squares, &m->squares_of,
                           &m->waits, &m->waits_of, &m->switches,
                           &m->outliers, &m->outliers_of, &m->chunks, &m->chunks_of, &m->ranks,
                           &m->rank_samples, &m->region_ranks_of, &m->region_ranks,
                           &m->teams_of_one_of, &m->teams_of_one, &m->handed_of, &m->handed,
                           &m->idle_of, &m->idle, &m->phases_of, &m->phases,
                           &m->awaited_of, &m->awaited };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        list_free(all[i]);
    free(m);
}

/* ---- totals ---- */

/* Keeps the worse of two ends. From the worst: a signal, still running, exec, exit. Of two equal
 * ends, the one with the larger status is the worse. */
static void worse_end(struct lpf_totals *to, const struct lpf_totals *from)
{
    static const unsigned badness[] = { [LPF_END_RUNNING] = 2,
                                        [LPF_END_EXIT] = 0,
                                        [LPF_END_SIGNAL] = 3,
                                        [LPF_END_QUICK] = 0,
                                        [LPF_END_EXEC] = 1 };
    unsigned a = to->end < 5 ? badness[to->end] : 0, b = from->end < 5 ? badness[from->end] : 0;
    if (b > a || (b == a && from->exit_status > to->exit_status)) {
        to->end = from->end;
        to->exit_status = from->exit_status;
    }
}

static void first_totals(struct mapping *x)
{
    const struct lpf_totals *t = &x->p->totals;
    struct lpf_totals *to = &x->m->totals;
    *to = (struct lpf_totals){
        .clock = sum_string_from(x, t->clock),
        .exe = sum_string_from(x, t->exe),
        .cmdline = sum_string_from(x, t->cmdline),
        .pid = t->pid,
        .ppid = t->ppid,
        .exact = 1,
        .end = t->end,
        .exit_status = t->exit_status,
        .start_unix_ns = t->start_unix_ns,
        .ns_num = t->ns_num != 0,
        .ns_den = 1,
        .sample_source = sum_string_from(x, t->sample_source),
        .sample_period_ns = t->sample_period_ns,
        .sample_period_events = t->sample_period_events,
        .off_cpu_ns = t->off_cpu_ns,
    };
}

static uint64_t mean_burden(const struct sum *m)
{
    double mean = m->burden / m->burden_steals + 0.5;
    return mean < 0x1p64 ? (uint64_t)mean : UINT64_MAX;
}

/* Of a job, what is no rank has no part in the longest paths. */
static void add_length(struct mapping *x, uint64_t *to, uint64_t length)
{
    if (x->m->mode != LPF_MERGE_JOB || x->on_span)
        add_span(x->m, to, length);
}

static void add_loops(struct mapping *x)
{
    static const struct lpf_loops none;
    const struct lpf_loops *l = x->p->loop_count ? x->p->loops : &none;
    struct lpf_loops *to = &x->m->loops;
    uint64_t span = profile_whole_ns(x->p, profile_divisible_span(x->p));
    add_length(x, &to->span_cost, span);
    add_capped(&to->chunks, l->chunks);
    add_capped(&to->chunks_divided, l->chunks_divided);
    add_capped(&to->chunks_unknown, l->chunks_unknown);
    add_capped(&to->iterations, l->iterations);
}

static void add_typical(struct mapping *x)
{
    static const struct lpf_typical none;
    const struct lpf_typical *t = x->p->typical_count ? x->p->typical : &none;
    struct lpf_typical *to = &x->m->typical;
    uint64_t span = profile_whole_ns(x->p, profile_typical_span(x->p));
    add_length(x, &to->span_cost, span);
    largest(&to->least_cost, profile_whole_ns(x->p, t->least_cost));
    largest(&to->most_cost, profile_whole_ns(x->p, t->most_cost));
    to->flags &= t->flags;
    x->m->has_typical |= x->p->typical_count != 0;
}

/* What of the input's path came after MPI_Finalize; outside every task, as far as is known. */
static uint64_t after_job(const struct mapping *x)
{
    const struct lpf_totals *t = &x->p->totals;
    uint64_t span = profile_whole_ns(x->p, t->span_cost), end = 0,
             root = profile_whole_ns(x->p, t->root_span_cost), own = span - x->elsewhere;
    if (x->m->mode != LPF_MERGE_JOB)
        return 0;
    for (size_t i = 0; i < x->p->rank_count; i++)
        largest(&end, profile_whole_ns(x->p, x->p->ranks[i].job_span_cost));
    uint64_t after = end && span > end ? span - end : 0;
    after = after < root ? after : root;
    return after < own ? after : own;
}

static void add_totals(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct lpf_totals *t = &p->totals;
    struct lpf_totals *to = &x->m->totals;
    add_capped(&to->work_cost, profile_whole_ns(p, t->work_cost));
    add_capped(&to->root_work_cost, profile_whole_ns(p, t->root_work_cost));
    uint64_t burdened = profile_whole_ns(
        p, profile_burdened(p, t->burdened_len_cost, t->burdened_edges));
    add_length(x, &to->burdened_len_cost, burdened);
    add_loops(x);
    add_typical(x);
    if (x->on_span) {
        uint64_t after = after_job(x);
        add_capped(&to->span_cost, profile_whole_ns(p, t->span_cost) - x->elsewhere - after);
        add_capped(&to->root_span_cost, profile_whole_ns(p, t->root_span_cost) - after);
    }
    static const size_t sums[] = {
#define SUM(field) offsetof(struct lpf_totals, field)
        SUM(tasks),        SUM(spawns),      SUM(syncs),      SUM(steals),    SUM(elapsed_ns),
        SUM(cpu_ns),       SUM(idle_ns),     SUM(own_ns),     SUM(search_ns), SUM(sleep_ns),
        SUM(dispatch_ns),  SUM(threads_ns),  SUM(blocked_ns), SUM(samples),   SUM(samples_outside),
        SUM(samples_lost), SUM(samples_cut), SUM(nodes_lost),
#undef SUM
    };
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++)
        add_capped((uint64_t *)((char *)to + sums[i]),
                   *(const uint64_t *)((const char *)t + sums[i]));
    largest(&to->min_strand_cost, profile_whole_ns(p, t->min_strand_cost));
    to->workers = t->workers > to->workers ? t->workers : to->workers;
    to->exact &= t->exact != 0;
    if (t->start_unix_ns && (!to->start_unix_ns || t->start_unix_ns < to->start_unix_ns))
        to->start_unix_ns = t->start_unix_ns;
    if (t->sample_period_ns != to->sample_period_ns ||
        t->sample_period_events != to->sample_period_events)
        to->sample_period_ns = to->sample_period_events = 0;
    worse_end(to, t);
    /* Each measured burden is weighted by its steals. A burden that was not measured counts only if
     * none was. */
    if (t->burden_source == LPF_BURDEN_MEASURED && t->burden_steals) {
        x->m->burden += (double)profile_whole_ns(p, t->burden_cost) * t->burden_steals;
        x->m->burden_steals += t->burden_steals;
        to->burden_source = LPF_BURDEN_MEASURED;
        add_capped(&to->burden_steals, t->burden_steals);
        to->burden_cost = mean_burden(x->m);
    } else if (to->burden_source != LPF_BURDEN_MEASURED) {
        to->burden_source = t->burden_source == LPF_BURDEN_SETTING ? LPF_BURDEN_SETTING
                                                                   : to->burden_source;
        largest(&to->burden_cost, profile_whole_ns(p, t->burden_cost));
    }
    x->m->flags |= p->flags;
}

static void add_rank_sample(struct mapping *x, uint32_t rank, uint32_t node, uint64_t weight)
{
    struct lpf_rank_sample s = { .rank = rank, .node = x->nodes[node], .weight = weight };
    list_append(&x->m->rank_samples, &s, 1);
}

static int compare_weights(const void *a, const void *b)
{
    const struct lpf_sample *x = a, *y = b;
    int c = (x->weight < y->weight) - (x->weight > y->weight);
    return c ? c : (x->node > y->node) - (x->node < y->node);
}

/* A job's file keeps of each rank where most of its samples hit. */
static void add_rank_samples(struct mapping *x)
{
    const struct profile *p = x->p;
    uint32_t first = x->m->ranks.count;
    if (x->m->mode != LPF_MERGE_JOB)
        return;
    for (size_t i = 0; i < p->rank_sample_count; i++) {
        const struct lpf_rank_sample *s = &p->rank_samples[i];
        add_rank_sample(x, first + s->rank, s->node, s->weight);
    }
    if (p->rank_count != 1 || p->rank_sample_count || !p->sample_count)
        return;
    size_t n = LPF_RANK_SAMPLES_MOST / p->ranks->size;
    if (n < LPF_RANK_SAMPLES_LEAST)
        n = LPF_RANK_SAMPLES_LEAST;
    struct lpf_sample *order = format_memory(calloc(p->sample_count, sizeof *order));
    memcpy(order, p->samples, p->sample_count * sizeof *order);
    qsort(order, p->sample_count, sizeof *order, compare_weights);
    for (size_t i = 0; i < n && i < p->sample_count && order[i].weight; i++)
        add_rank_sample(x, first, order[i].node, order[i].weight);
    free(order);
}

/* MPI_Finalize gives all ranks of a job one number, which is in a rank's own file as it was. A
 * merged file has it in ns. */
static bool another_job(const struct mapping *x, const struct lpf_rank *r)
{
    const struct sum *m = x->m;
    if (!(r->flags & LPF_RANK_FINISHED))
        return false;
    if (!x->p->input_count && m->job_cost)
        return r->job_span_cost != m->job_cost;
    double here = profile_whole_ns(x->p, r->job_span_cost), so_far = m->job_span;
    return m->job_span && fabs(here - so_far) > 1e-3 * fmax(here, so_far);
}

/* RANK, an index, has done AFTER since MPI_Finalize. */
static void after_most(struct sum *m, uint64_t after, uint32_t rank)
{
    if (after > m->after_job) {
        m->after_job = after;
        m->after_rank = rank;
    }
}

static void add_ranks(struct mapping *x)
{
    uint64_t after = after_job(x);
    uint32_t last = LPF_NONE;
    for (size_t i = 0; i < x->p->rank_count; i++) {
        struct lpf_rank r = x->p->ranks[i];
        x->m->several_jobs |= another_job(x, &r);
        if (!x->p->input_count && r.flags & LPF_RANK_FINISHED)
            x->m->job_cost = r.job_span_cost;
        uint64_t *const costs[] = { &r.job_span_cost, &r.work_cost, &r.on_path_cost };
        for (unsigned k = 0; k < sizeof costs / sizeof costs[0]; k++)
            *costs[k] = profile_whole_ns(x->p, *costs[k]);
        if (x->p->rank_count == 1 || r.flags & LPF_RANK_LAST) {
            last = x->m->ranks.count;
            r.on_path_cost -= after < r.on_path_cost ? after : r.on_path_cost;
            r.flags &= ~LPF_RANK_LAST;
        }
        r.host = sum_string_from(x, r.host);
        list_append(&x->m->ranks, &r, 1);
        largest(&x->m->job_span, r.job_span_cost);
    }
    after_most(x->m, after, last);
}

static void at_most(uint64_t *length, uint64_t span)
{
    if (*length > span)
        *length = span;
}

/* The other longest paths are those of a rank, to its end: a little longer than the job's path, if
 * the rank that this ends in is not here. */
static void within_span(struct sum *m)
{
    if (m->mode != LPF_MERGE_JOB)
        return;
    at_most(&m->loops.span_cost, m->totals.span_cost);
    if (!m->loops.chunks_divided)       /* no rank's own path is the job's without its loops */
        m->loops.span_cost = m->totals.span_cost;
    at_most(&m->typical.span_cost, m->totals.span_cost);
}

/* What of the job's critical path is in no input stays in other ranks. Each rank's part was rounded
 * to whole ns, and each message's path was converted to the receiver's clock, unless the clock is a
 * virtual one: that much is no rank. */
static void add_missing(struct sum *m)
{
    uint64_t rounded = m->totals.ns_num ? m->ranks.count + m->job_span / 1000000 : 0;
    if (m->mode == LPF_MERGE_JOB && m->elsewhere != LPF_NONE &&
        m->job_span > m->totals.span_cost && m->job_span - m->totals.span_cost > rounded) {
        struct lpf_context *c = (struct lpf_context *)m->contexts.data + m->elsewhere;
        add_capped(&c->span_local_cost, m->job_span - m->totals.span_cost);
        m->totals.span_cost = m->job_span;
    }
    add_capped(&m->totals.span_cost, m->after_job);
    add_capped(&m->totals.root_span_cost, m->after_job);
    if (m->after_job && m->after_rank != LPF_NONE) {
        struct lpf_rank *last = (struct lpf_rank *)m->ranks.data + m->after_rank;
        add_capped(&last->on_path_cost, m->after_job);
        last->flags |= LPF_RANK_LAST;
    }
    m->after_job = 0;
}

void sum_add(struct sum *m, const struct profile *p)
{
    struct mapping x = { .p = p, .m = m };
    bool first = !m->any;
    if (first)
        first_totals(&x);
    x.on_span = m->mode == LPF_MERGE_JOB    ? profile_job_finished(p)
                : m->mode == LPF_MERGE_RUNS || !m->any
                    ? true
                    : profile_whole_ns(p, p->totals.span_cost) > m->totals.span_cost;
    if (m->mode == LPF_MERGE_PROCESSES && x.on_span)
        sum_forget_on_span(m);
    m->any = true;
    sum_modules(&x);
    sum_sites(&x);
    sum_nodes(&x);
    sum_contexts(&x);
    sum_regions(&x);
    sum_notes(&x);
    sum_settings(&x);
    sum_inputs(&x);
    add_rank_samples(&x);
    add_ranks(&x);
    add_totals(&x);
    sum_scenarios(&x, first);
    m->switches_unsaid |= p->thread_count && !p->switch_count;
    for (size_t i = 0; i < p->switch_count; i++) {
        struct lpf_switches s = p->switches[i];
        s.thread += m->threads.count;
        list_append(&m->switches, &s, 1);
    }
    for (size_t i = 0; i < p->thread_count; i++) {
        struct lpf_thread t = p->threads[i];
        t.work_cost = profile_whole_ns(p, t.work_cost);
        list_append(&m->threads, &t, 1);
    }
    free(x.modules);
    free(x.sites);
    free(x.nodes);
    free(x.contexts);
}

void sum_join(struct sum *m, struct sum *from)
{
    struct profile p;
    double burden = m->burden + from->burden, steals = m->burden_steals + from->burden_steals;
    if (!from->any)
        return;
    uint64_t job = m->job_cost;
    uint32_t ranks = m->ranks.count;
    sum_view(from, &p, false);
    sum_add(m, &p);
    m->unmerged |= from->unmerged;
    m->several_jobs |= from->several_jobs || (job && from->job_cost && job != from->job_cost);
    m->job_cost = job ? job : from->job_cost;
    after_most(m, from->after_job,
               from->after_rank == LPF_NONE ? LPF_NONE : ranks + from->after_rank);
    m->burden = burden;         /* sum_add has added the rounded mean: these are exact */
    m->burden_steals = steals;
    if (steals > 0)
        m->totals.burden_cost = mean_burden(m);
}

/* ---- the whole ---- */

struct moment {
    uint64_t at;
    int64_t slots;
    int processes;              /* 1: a process with so many slots starts; -1: it ends */
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->processes != y->processes ? x->processes - y->processes
                                        : (x->slots > y->slots) - (x->slots < y->slots);
}

/* For processes: sets the time in which at least one lived, and the most slots at one time. */
static void live_together(const struct sum *m, struct lpf_totals *t)
{
    const struct lpf_input *in = m->inputs.data;
    size_t n = 0;
    struct moment *list = format_memory(calloc(2 * m->inputs.count + 1, sizeof *list));
    for (size_t i = 0; i < m->inputs.count; i++) {
        uint64_t end = in[i].start_unix_ns;
        add_capped(&end, in[i].elapsed_ns);
        list[n++] = (struct moment){ in[i].start_unix_ns, in[i].workers, 1 };
        list[n++] = (struct moment){ end, -(int64_t)in[i].workers, -1 };
    }
    qsort(list, n, sizeof *list, compare_moments);
    int64_t slots = 0, most = 0, processes = 0;
    uint64_t lived = 0;
    for (size_t i = 0; i < n; i++) {
        if (processes && i)
            lived += list[i].at - list[i - 1].at;
        slots += list[i].slots;
        processes += list[i].processes;
        most = slots > most ? slots : most;
    }
    t->elapsed_ns = lived;
    t->workers = most < UINT32_MAX ? most : UINT32_MAX;
    free(list);
}

/* Puts the strings into the order in which the sections name them. The order in which they were
 * added depends on the grouping. */
static void renew_strings(struct sum *m)
{
    struct list old = m->strings;
    const char *text = old.data;
    m->strings = (struct list){ .size = 1 };
    list_append(&m->strings, "", 1);
#define EACH(list, type, ...) \
    for (size_t i = 0; i < m->list.count; i++) { \
        struct type *e = (struct type *)m->list.data + i; \
        uint32_t *const fields[] = { __VA_ARGS__ }; \
        for (unsigned k = 0; k < sizeof fields / sizeof fields[0]; k++) \
            *fields[k] = sum_string(m, text + *fields[k]); \
    }
    EACH(settings, lpf_setting, &e->key, &e->value)
    EACH(modules, lpf_module, &e->path)
    EACH(sites, lpf_site, &e->runtime, &e->construct)
    EACH(regions, lpf_region, &e->name)
    EACH(notes, lpf_note, &e->name, &e->text)
    EACH(inputs, lpf_input, &e->name, &e->exe, &e->cmdline)
    EACH(ranks, lpf_rank, &e->host)
    EACH(candidates, lpf_candidate, &e->name)
#undef EACH
    struct lpf_totals *t = &m->totals;
    uint32_t *const fields[] = { &t->clock, &t->exe, &t->cmdline, &t->sample_source };
    for (unsigned k = 0; k < sizeof fields / sizeof fields[0]; k++)
        *fields[k] = sum_string(m, text + *fields[k]);
    list_free(&old);
}

static int compare_waits(const void *a, const void *b)
{
    const struct lpf_wait *x = a, *y = b;
    int c = (x->node > y->node) - (x->node < y->node);
    return c ? c : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Sum_add may add to them later: the entries keep their places, which have keys. */
static void sort_waits(struct sum *m)
{
    m->waits.count = 0;
    if (!m->waits_of.count)
        return;
    for (size_t i = 0; i < m->waits_of.count; i++) {
        const struct lpf_wait *w = (const struct lpf_wait *)m->waits_of.data + i;
        if (w->weight)          /* else it was less than a sample of a longer time */
            list_append(&m->waits, w, 1);
    }
    qsort(m->waits.data, m->waits.count, m->waits.size, compare_waits);
}

static int compare_awaited(const void *a, const void *b)
{
    const struct lpf_awaited *x = a, *y = b;
    int c = (x->context > y->context) - (x->context < y->context);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static void sort_awaited(struct sum *m)
{
    m->awaited.count = 0;
    if (!m->awaited_of.count)
        return;
    list_append(&m->awaited, m->awaited_of.data, m->awaited_of.count);
    qsort(m->awaited.data, m->awaited.count, m->awaited.size, compare_awaited);
}

/* The order of a section: by context, kind and octave. The program's own strands (LPF_NONE) are
 * last. */
static int compare_idle(const void *a, const void *b)
{
    const struct lpf_idle *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - y->kind : (int)x->octave - y->octave;
}

static int compare_phases(const void *a, const void *b)
{
    const struct lpf_phases *x = a, *y = b;
    return x->context < y->context ? -1 : x->context > y->context;
}

static void choose_idle(struct sum *m)
{
    m->idle.count = m->phases.count = 0;
    if (m->idle_unsaid)
        return;
    list_append(&m->idle, m->idle_of.data, m->idle_of.count);
    list_append(&m->phases, m->phases_of.data, m->phases_of.count);
    qsort(m->idle.data, m->idle.count, sizeof(struct lpf_idle), compare_idle);
    qsort(m->phases.data, m->phases.count, sizeof(struct lpf_phases), compare_phases);
}

/* Of what is kept by context or by node, only entries that are not empty become the section's. */
static void choose_entries(struct sum *m)
{
    m->samples.count = m->squares.count = m->spreads.count = m->outliers.count = 0;
    for (size_t i = 0; i < m->weights.count; i++) {
        const struct lpf_sample *s = (const struct lpf_sample *)m->weights.data + i;
        const struct lpf_squares *q = (const struct lpf_squares *)m->squares_of.data + i;
        if (s->weight || s->idleness || s->on_span || s->blocked)
            list_append(&m->samples, s, 1);
        if (q->weight != s->weight || q->on_span != s->on_span)
            list_append(&m->squares, q, 1);
    }
    sort_waits(m);
    sort_awaited(m);
    for (size_t i = 0; i < m->spread_of.count; i++) {
        const struct lpf_spread *s = (const struct lpf_spread *)m->spread_of.data + i;
        if (s->threads)
            list_append(&m->spreads, s, 1);
    }
    for (size_t i = 0; i < m->outliers_of.count; i++) {
        const struct lpf_outliers *o = (const struct lpf_outliers *)m->outliers_of.data + i;
        if (o->outliers)
            list_append(&m->outliers, o, 1);
    }
    choose_idle(m);
    m->region_ranks.count = m->teams_of_one.count = m->handed.count = 0;
    for (size_t i = 0; i < m->handed_of.count; i++) {
        const struct lpf_handed *h = (const struct lpf_handed *)m->handed_of.data + i;
        if (h->chunks)
            list_append(&m->handed, h, 1);
    }
    for (size_t i = 0; i < m->teams_of_one_of.count; i++) {
        const struct lpf_team_of_one *o = (const struct lpf_team_of_one *)m->teams_of_one_of.data +
                                          i;
        if (o->executions)
            list_append(&m->teams_of_one, o, 1);
    }
    for (size_t i = 0; i < m->region_ranks_of.count; i++) {
        const struct lpf_region_rank *r = (const struct lpf_region_rank *)m->region_ranks_of.data +
                                          i;
        if (r->ranks)
            list_append(&m->region_ranks, r, 1);
    }
    m->chunks.count = 0;
    for (size_t i = 1; i <= m->chunks_of.count && !m->chunks_unsaid; i++) {
        const struct lpf_chunks *c = (const struct lpf_chunks *)m->chunks_of.data +
                                     i % m->chunks_of.count;
        if (c->by_runtime || c->by_program)
            list_append(&m->chunks, c, 1);
    }
}

void sum_view(struct sum *m, struct profile *out, bool finished)
{
    if (finished) {
        add_missing(m);
        within_span(m);
        sum_finish_notes(m);
        renew_strings(m);
    }
    choose_entries(m);
    *out = (struct profile){
        .path = "",
        .chunks = m->chunks.data,
        .chunk_count = m->chunks.count,
        .teams_of_one = m->teams_of_one.data,
        .team_of_one_count = m->teams_of_one.count,
        .handed = m->handed.data,
        .handed_count = m->handed.count,
        .idle = m->idle.data,
        .idle_count = m->idle.count,
        .idle_sum = &m->idle_sum,
        .idle_sum_count = !m->idle_unsaid,
        .phases = m->phases.data,
        .phase_count = m->phases.count,
        .ranks = m->ranks.data,
        .rank_count = m->ranks.count,
        .rank_samples = m->rank_samples.data,
        .rank_sample_count = m->rank_samples.count,
        .awaited = m->awaited.data,
        .awaited_count = m->awaited.count,
        .region_ranks = m->region_ranks.data,
        .region_rank_count = m->region_ranks.count,
        .typical = &m->typical,
        .typical_count = m->has_typical,
        .outliers = m->outliers.data,
        .outlier_count = m->outliers.count,
        .spreads = m->spreads.data,
        .spread_count = m->spreads.count,
        .flags = m->flags,
        .strings = m->strings.data,
        .strings_size = m->strings.count,
        .totals = m->totals,
        .loops = &m->loops,
        .loop_count = 1,
        .has_totals = true,
        .settings = m->settings.data,
        .setting_count = m->settings.count,
        .modules = m->modules.data,
        .module_count = m->modules.count,
        .sites = m->sites.data,
        .site_count = m->sites.count,
        .contexts = m->contexts.data,
        .context_count = m->contexts.count,
        .regions = m->regions.data,
        .region_count = m->regions.count,
        .notes = m->notes.data,
        .note_count = m->notes.count,
        .threads = m->threads.data,
        .thread_count = m->threads.count,
        .nodes = m->nodes.data,
        .node_count = m->nodes.count,
        .samples = m->samples.data,
        .sample_count = m->samples.count,
        .waits = m->waits.data,
        .wait_count = m->waits.count,
        .switches = m->switches.data,
        .switch_count = m->switches_unsaid ? 0 : m->switches.count,
        .squares = m->squares.data,
        .square_count = m->squares.count,
        .inputs = m->inputs.data,
        .input_count = m->inputs.count,
        .candidates = m->candidates.data,
        .candidate_count = m->candidates.count,
        .scenarios = m->scenarios.data,
        .scenario_count = m->scenarios.count,
        .terms = m->terms.data,
        .term_count = m->terms.count,
    };
    if (finished && m->mode != LPF_MERGE_RUNS)
        live_together(m, &out->totals);
}
