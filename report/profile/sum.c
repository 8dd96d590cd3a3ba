/* sum.c - see sum.h. Every kind of entry has a table with a key. Entries with equal keys are one:
 * strings with the same bytes; modules with the same build id (or path) and place in their file;
 * sites and nodes with the same code; contexts with the same site, node and parent; regions and
 * notes with the same name.
 */
#define _GNU_SOURCE
#include "profile/sum.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include "base/format.h"
#include "profile/profile.h"
#include "profile/sum_private.h"

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
    m->inputs.size = sizeof(struct lpf_input);
    m->spread_of.size = m->spreads.size = sizeof(struct lpf_spread);
    m->outliers_of.size = m->outliers.size = sizeof(struct lpf_outliers);
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
                           &m->outliers, &m->outliers_of, &m->chunks, &m->chunks_of };
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
    };
}

static uint64_t mean_burden(const struct sum *m)
{
    double mean = m->burden / m->burden_steals + 0.5;
    return mean < 0x1p64 ? (uint64_t)mean : UINT64_MAX;
}

static void add_loops(struct mapping *x)
{
    static const struct lpf_loops none;
    const struct lpf_loops *l = x->p->loop_count ? x->p->loops : &none;
    struct lpf_loops *to = &x->m->loops;
    uint64_t span = profile_whole_ns(x->p, profile_divisible_span(x->p));
    add_span(x->m, &to->span_cost, span);
    add(&to->chunks, l->chunks);
    add(&to->chunks_divided, l->chunks_divided);
    add(&to->chunks_unknown, l->chunks_unknown);
    add(&to->iterations, l->iterations);
}

static void add_typical(struct mapping *x)
{
    static const struct lpf_typical none;
    const struct lpf_typical *t = x->p->typical_count ? x->p->typical : &none;
    struct lpf_typical *to = &x->m->typical;
    uint64_t span = profile_whole_ns(x->p, profile_typical_span(x->p));
    add_span(x->m, &to->span_cost, span);
    largest(&to->least_cost, profile_whole_ns(x->p, t->least_cost));
    largest(&to->most_cost, profile_whole_ns(x->p, t->most_cost));
    to->flags &= t->flags;
    x->m->has_typical |= x->p->typical_count != 0;
}

static void add_totals(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct lpf_totals *t = &p->totals;
    struct lpf_totals *to = &x->m->totals;
    add(&to->work_cost, profile_whole_ns(p, t->work_cost));
    add(&to->root_work_cost, profile_whole_ns(p, t->root_work_cost));
    uint64_t burdened = profile_whole_ns(
        p, profile_burdened(p, t->burdened_len_cost, t->burdened_edges));
    add_span(x->m, &to->burdened_len_cost, burdened);
    add_loops(x);
    add_typical(x);
    if (x->on_span) {
        add(&to->span_cost, profile_whole_ns(p, t->span_cost));
        add(&to->root_span_cost, profile_whole_ns(p, t->root_span_cost));
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
        add((uint64_t *)((char *)to + sums[i]), *(const uint64_t *)((const char *)t + sums[i]));
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
        add(&to->burden_steals, t->burden_steals);
        to->burden_cost = mean_burden(x->m);
    } else if (to->burden_source != LPF_BURDEN_MEASURED) {
        to->burden_source = t->burden_source == LPF_BURDEN_SETTING ? LPF_BURDEN_SETTING
                                                                   : to->burden_source;
        largest(&to->burden_cost, profile_whole_ns(p, t->burden_cost));
    }
    x->m->flags |= p->flags;
}

void sum_add(struct sum *m, const struct profile *p)
{
    struct mapping x = { .p = p, .m = m };
    bool first = !m->any;
    if (first)
        first_totals(&x);
    x.on_span = m->mode == LPF_MERGE_RUNS || !m->any ||
                profile_whole_ns(p, p->totals.span_cost) > m->totals.span_cost;
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
    add_totals(&x);
    sum_scenarios(&x, first);
    list_append(&m->threads, p->threads ? (const void *)p->threads : "", p->thread_count);
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
    sum_view(from, &p, false);
    sum_add(m, &p);
    m->unmerged |= from->unmerged;
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
        add(&end, in[i].elapsed_ns);
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
    EACH(candidates, lpf_candidate, &e->name)
#undef EACH
    struct lpf_totals *t = &m->totals;
    uint32_t *const fields[] = { &t->clock, &t->exe, &t->cmdline, &t->sample_source };
    for (unsigned k = 0; k < sizeof fields / sizeof fields[0]; k++)
        *fields[k] = sum_string(m, text + *fields[k]);
    list_free(&old);
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
        sum_finish_notes(m);
        renew_strings(m);
    }
    choose_entries(m);
    *out = (struct profile){
        .path = "",
        .chunks = m->chunks.data,
        .chunk_count = m->chunks.count,
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
    if (finished && m->mode == LPF_MERGE_PROCESSES)
        live_together(m, &out->totals);
}
