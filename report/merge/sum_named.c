/* sum_named.c - regions, notes, scenarios, settings and inputs of a sum: the entries with names. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "merge/sum_private.h"
#include "profile/profile.h"

static void add_region_rank(struct mapping *x, uint32_t at, const struct lpf_region_rank *r)
{
    struct lpf_region_rank *to = (struct lpf_region_rank *)x->m->region_ranks_of.data + at;
    to->ranks = r->ranks > UINT32_MAX - to->ranks ? UINT32_MAX : to->ranks + r->ranks;
    add_capped(&to->workers, r->workers);
    add_capped(&to->work_cost, profile_whole_ns(x->p, r->work_cost));
    add_capped(&to->elapsed_ns, r->elapsed_ns);
    add_capped(&to->outside_ns, r->outside_ns);
    largest(&to->most_work_cost, profile_whole_ns(x->p, r->most_work_cost));
    largest(&to->most_elapsed_ns, r->most_elapsed_ns);
    largest(&to->most_outside_ns, r->most_outside_ns);
}

void sum_regions(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    size_t next = 0;            /* of region_ranks */
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        uint32_t name = sum_string_from(x, r->name),
                 at = list_index(&x->m->regions, &name, sizeof name, &fresh);
        if (fresh) {
            list_append(&x->m->regions, &(struct lpf_region){ .name = name }, 1);
            list_append(&x->m->region_ranks_of, &(struct lpf_region_rank){ .region = at }, 1);
        }
        if (next < p->region_rank_count && p->region_ranks[next].region == i)
            add_region_rank(x, at, &p->region_ranks[next++]);
        struct lpf_region *to = (struct lpf_region *)x->m->regions.data + at;
        add_capped(&to->count, r->count);
        add_capped(&to->work_cost, profile_whole_ns(p, r->work_cost));
        add_capped(&to->span_cost, profile_whole_ns(p, r->span_cost));
        add_capped(&to->burdened_len_cost,
                   profile_whole_ns(p, profile_burdened(p, r->burdened_len_cost,
                                                        r->burdened_edges)));
        largest(&to->max_span_cost, profile_whole_ns(p, r->max_span_cost));
    }
}

/* The notes of prof merge itself. sum_notes drops those of its inputs; sum_finish_notes makes them
 * anew. */
static const char unordered[] = "processes", unmerged[] = "what-if",
                  several[] = "ranks of several jobs";
static const char unmerged_text[] = "the files do not all have the same scenarios: none are merged";

void sum_notes(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND && p->input_count &&
            x->m->mode != LPF_MERGE_RUNS && !strcmp(profile_string(p, n->name), unordered))
            continue;
        if (n->kind == LPF_NOTE_HINT && p->input_count &&
            !strcmp(profile_string(p, n->text), unmerged_text)) {
            x->m->unmerged = true;
            continue;
        }
        if (n->kind == LPF_NOTE_NOT_EXACT && p->input_count &&
            !strcmp(profile_string(p, n->name), several)) {
            x->m->several_jobs = true;
            continue;
        }
        uint32_t key[3] = { n->kind, sum_string_from(x, n->name), sum_string_from(x, n->text) };
        uint32_t at = list_index(&x->m->notes, key, sizeof key, &fresh);
        if (fresh)
            list_append(&x->m->notes,
                        &(struct lpf_note){ .kind = key[0], .name = key[1], .text = key[2] }, 1);
        add_capped(&((struct lpf_note *)x->m->notes.data + at)->count, n->count);
    }
}

/* Does P have the sum's scenarios: the same terms of candidates of the same names, in one order? */
static bool same_scenarios(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct sum *m = x->m;
    if (p->candidate_count != m->candidates.count || p->scenario_count != m->scenarios.count ||
        p->term_count != m->terms.count)
        return false;
    for (size_t i = 0; i < p->candidate_count; i++)
        if (strcmp(profile_string(p, p->candidates[i].name),
                   (const char *)m->strings.data +
                       ((const struct lpf_candidate *)m->candidates.data)[i].name))
            return false;
    for (size_t i = 0; i < p->scenario_count; i++) {
        const struct lpf_scenario *a = &p->scenarios[i],
                                  *b = (const struct lpf_scenario *)m->scenarios.data + i;
        if (a->first_term != b->first_term || a->terms != b->terms || a->flags != b->flags)
            return false;
    }
    for (size_t i = 0; i < p->term_count; i++) {
        const struct lpf_term *a = &p->terms[i], *b = (const struct lpf_term *)m->terms.data + i;
        if (a->candidate != b->candidate || a->num != b->num || a->den != b->den)
            return false;
    }
    return true;
}

/* Sums the work and span of scenarios as the totals are summed. For runs one after the other, a
 * scenario's span is the sum. For processes side by side it is the longest one. That may be another
 * process than the one with the longest unchanged span. */
void sum_scenarios(struct mapping *x, bool first)
{
    const struct profile *p = x->p;
    struct sum *m = x->m;
    if (first && p->scenario_count) {
        list_append(&m->candidates, p->candidates, p->candidate_count);
        list_append(&m->scenarios, p->scenarios, p->scenario_count);
        list_append(&m->terms, p->terms, p->term_count);
        for (size_t i = 0; i < p->candidate_count; i++) {
            struct lpf_candidate *c = (struct lpf_candidate *)m->candidates.data + i;
            *c = (struct lpf_candidate){ .name = sum_string_from(x, c->name) };
        }
        for (size_t i = 0; i < p->scenario_count; i++) {
            struct lpf_scenario *s = (struct lpf_scenario *)m->scenarios.data + i;
            s->work_cost = s->span_cost = 0;
        }
    } else if (!same_scenarios(x)) {
        m->candidates.count = m->scenarios.count = m->terms.count = 0;
        m->unmerged = true;
        return;
    }
    for (size_t i = 0; i < m->candidates.count; i++) {
        struct lpf_candidate *c = (struct lpf_candidate *)m->candidates.data + i;
        c->flags |= p->candidates[i].flags;
        add_capped(&c->regions, p->candidates[i].regions);
        add_capped(&c->contexts, p->candidates[i].contexts);
        add_capped(&c->samples, p->candidates[i].samples);
    }
    for (size_t i = 0; i < m->scenarios.count; i++) {
        struct lpf_scenario *s = (struct lpf_scenario *)m->scenarios.data + i;
        add_capped(&s->work_cost, profile_whole_ns(p, p->scenarios[i].work_cost));
        add_span(m, &s->span_cost, profile_whole_ns(p, p->scenarios[i].span_cost));
    }
}

enum { VALUES = 8 };           /* the most values of a setting that a sum keeps */

/* Adds VALUE to ALL, the values of a setting: "a, b". "..." stands for all values after the first
 * VALUES. NULL: ALL has VALUE already. The caller frees the result. */
static char *with_value(const char *all, const char *value)
{
    static const char gap[] = ", ";
    unsigned n = 1;
    size_t length = strlen(value);
    for (const char *at = all;; n++) {
        const char *end = strstr(at, gap);
        size_t part = end ? (size_t)(end - at) : strlen(at);
        if ((part == length && !memcmp(at, value, part)) || (part == 3 && !memcmp(at, "...", 3)))
            return 0;
        if (!end)
            break;
        at = end + strlen(gap);
    }
    return format_text("%s%s%s", all, gap, n >= VALUES ? "..." : value);
}

void sum_settings(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    for (size_t i = 0; i < p->setting_count; i++) {
        uint32_t key = sum_string_from(x, p->settings[i].key),
                 at = list_index(&x->m->settings, &key, sizeof key, &fresh);
        const char *value = profile_string(p, p->settings[i].value);
        if (fresh) {
            list_append(&x->m->settings, &(struct lpf_setting){ key, sum_string(x->m, value) }, 1);
            continue;
        }
        struct lpf_setting *to = (struct lpf_setting *)x->m->settings.data + at;
        if (profile_is_time(profile_string(p, p->settings[i].key))) {    /* summed as CPU time is */
            uint64_t sum = profile_number((const char *)x->m->strings.data + to->value);
            add_capped(&sum, profile_number(value));
            char *text = format_text("%llu", (unsigned long long)sum);
            to->value = sum_string(x->m, text);
            free(text);
            continue;
        }
        char *rest = format_text("%s", value), *part = rest, *next;
        for (; part; part = next) {             /* a merged profile's value is a list */
            next = strstr(part, ", ");
            if (next) {
                *next = 0;
                next += 2;
            }
            char *all = with_value((const char *)x->m->strings.data + to->value, part);
            if (all)
                to->value = sum_string(x->m, all);
            free(all);
        }
        free(rest);
    }
}

void sum_inputs(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct lpf_totals *t = &p->totals;
    if (p->input_count && p->inputs[0].mode == x->m->mode) {
        for (size_t i = 0; i < p->input_count; i++) {
            struct lpf_input in = p->inputs[i];
            in.name = sum_string_from(x, in.name);
            in.exe = sum_string_from(x, in.exe);
            in.cmdline = sum_string_from(x, in.cmdline);
            list_append(&x->m->inputs, &in, 1);      /* its costs are in ns already */
        }
        return;
    }
    uint64_t profiles = 1;
    for (size_t i = 0; i < p->input_count; i++)
        profiles += p->inputs[i].profiles;
    struct lpf_input in = {
        .mode = x->m->mode,
        .name = sum_string(x->m, p->path),
        .exe = sum_string_from(x, t->exe),
        .cmdline = sum_string_from(x, t->cmdline),
        .pid = t->pid,
        .workers = t->workers,
        .flags = p->flags,
        .profiles = p->input_count ? profiles - 1 < UINT32_MAX ? profiles - 1 : UINT32_MAX : 1,
        .start_unix_ns = t->start_unix_ns,
        .elapsed_ns = t->elapsed_ns,
        .work_cost = profile_whole_ns(p, t->work_cost),
        .span_cost = profile_whole_ns(p, t->span_cost),
        .end = t->end,
        .exit_status = t->exit_status,
    };
    list_append(&x->m->inputs, &in, 1);
}

static void put_note(struct sum *m, uint32_t kind, const char *name, const char *text,
                     uint64_t count)
{
    uint32_t key[3] = { kind, sum_string(m, name), sum_string(m, text) };
    bool fresh;
    uint32_t at = list_index(&m->notes, key, sizeof key, &fresh);
    if (fresh)
        list_append(&m->notes, &(struct lpf_note){ .kind = key[0], .name = key[1], .text = key[2] },
                    1);
    ((struct lpf_note *)m->notes.data + at)->count = count;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct lpf_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Do the ranks' own numbers say that they are of several jobs? */
static bool are_several_jobs(const struct sum *m)
{
    size_t n = m->ranks.count;
    struct lpf_rank *order = format_memory(calloc(n + 1, sizeof *order));
    bool twice = false;
    if (n)
        memcpy(order, m->ranks.data, n * sizeof *order);
    qsort(order, n, sizeof *order, compare_ranks);
    for (size_t i = 1; i < n; i++)
        twice |= order[i].rank == order[i - 1].rank || order[i].size != order[i - 1].size;
    free(order);
    return twice;
}

void sum_finish_notes(struct sum *m)
{
    bool beside = m->mode == LPF_MERGE_JOB && m->inputs.count > m->ranks.count;
    if ((m->mode == LPF_MERGE_PROCESSES && m->inputs.count > 1) || beside) {
        put_note(m, LPF_NOTE_LOWER_BOUND, unordered,
                 "in what order they ran and waited for each other is not known: the span is that "
                 "of the longest one",
                 m->inputs.count);
        m->totals.exact = 0;
    }
    if (m->mode == LPF_MERGE_JOB && (m->several_jobs || are_several_jobs(m))) {
        put_note(m, LPF_NOTE_NOT_EXACT, several,
                 "their files do not agree on the job's critical path, or have one rank twice",
                 m->ranks.count);
        m->totals.exact = 0;
    }
    if (m->unmerged)
        put_note(m, LPF_NOTE_HINT, unmerged, unmerged_text, 1);
}
