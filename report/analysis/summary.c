/* summary.c - the whole program: work, spans, and the bounds that they set. See summary.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/summary_private.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

void summary_new(struct summary *m, const struct profile *p, bool raw)
{
    summary_new_with(m, p, raw, symbols_new(p));
}

void summary_new_with(struct summary *m, const struct profile *p, bool raw, struct symbols *s)
{
    const struct lpf_totals *t = &p->totals;
    memset(m, 0, sizeof *m);
    m->profile = p;
    m->symbols = s;
    summary_make_rows(m, raw);
    for (size_t i = 0; i < m->row_count; i++)
        m->as_executed |= m->rows[i].as_executed;
    for (size_t i = 0; i < p->note_count; i++)
        m->note_kinds |= 1u << (p->notes[i].kind & 31);
    /* The engine chose the burdened path by a provisional burden; with a measured one, the path
     * that it kept may come out shorter than the span, which no burdened dag's longest path is. */
    m->burdened_cost = profile_burdened(p, t->burdened_len_cost, t->burdened_edges);
    if (m->burdened_cost < t->span_cost)
        m->burdened_cost = t->span_cost;
    m->work = profile_ns(p, t->work_cost);
    m->span = profile_ns(p, t->span_cost);
    m->burden = profile_ns(p, t->burden_cost);
    m->standstill = standstill_of(p);
    m->burdened_span = profile_ns(p, m->burdened_cost);
    m->divisible_span = profile_ns(p, profile_divisible_span(p));
    m->typical_span = profile_ns(p, profile_typical_span(p));
    m->parallelism = summary_parallelism(m->work, m->span);
    m->typical_parallelism = summary_parallelism(m->work, m->typical_span);
    m->divisible_parallelism = summary_parallelism(m->work, m->divisible_span);
    m->burdened_parallelism = summary_parallelism(m->work, m->burdened_span);
    m->average_strand = m->work / (1 + 2.0 * t->spawns + t->syncs);
    m->short_strands = t->spawns && strcmp(profile_string(p, t->clock), "virtual") &&
                       m->average_strand <
                           (t->ns_num ? SHORT_STRAND_NS : SHORT_STRAND_INSTRUCTIONS);
    summary_sort(m, "span");
}

void summary_free(struct summary *m)
{
    symbols_free(m->symbols);
    free(m->next_site);
    free(m->rows);
    free(m->waits);
    memset(m, 0, sizeof *m);
}

const struct row *summary_heaviest(const struct summary *m)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!best || m->rows[i].on_local.span > best->on_local.span)
            best = &m->rows[i];
    return best && best->on_local.span ? best : 0;
}

double summary_exclusion(const struct summary *m, const struct row **longest)
{
    double ns = 0;
    *longest = 0;
    for (size_t i = m->wait_count; i-- > 0;)
        if (!m->waits[i].in_order) {
            *longest = &m->waits[i];
            ns += profile_ns(m->profile, m->waits[i].top.work);
        }
    return ns;
}

double summary_upper(const struct summary *m, unsigned p)
{
    return m->parallelism && m->parallelism < p ? m->parallelism : p;
}

double summary_upper_divided(const struct summary *m, unsigned p)
{
    return m->divisible_parallelism && m->divisible_parallelism < p ? m->divisible_parallelism : p;
}

bool summary_divides(double span, double divisible)
{
    return divisible > 0 && span > 1.05 * divisible;
}

double summary_upper_typical(const struct summary *m, unsigned p)
{
    return m->typical_parallelism && m->typical_parallelism < p ? m->typical_parallelism : p;
}

bool summary_has_outliers(const struct summary *m)
{
    return m->typical_parallelism > 1.05 * m->parallelism;
}

bool summary_loops_divide(const struct summary *m)
{
    return summary_divides(m->span, m->divisible_span);
}

/* TBB's partitioners divide what is stolen further. So chunks of equal iterations differ, too, but
 * by less than this (verdicts/bound-alike). */
#define LONG_CHUNK 5

/* Did a chunk of R, all of whose chunks have a size that the program chose, take far longer than
 * the mean of the others? Each execution of a loop has a last chunk of what iterations are left,
 * which may be next to none: it does not count as one of the others. */
static bool is_longer_than_others(const struct row *r)
{
    if (r->cut.by_runtime != r->cut.sized || r->parts < 2 || r->parts - 2 < r->invocations ||
        r->longest > r->local.work)
        return false;
    double others = r->parts - 1 - r->invocations;
    return r->longest > LONG_CHUNK * (r->local.work - r->longest) / others;
}

/* Of guided loops of OpenMP the runtime chooses the sizes: the first chunk is always long. The
 * mean of few chunks is not far below the longest, which it contains. */
bool summary_is_long_chunk(const struct row *r)
{
    bool alike = strcmp(r->runtime, "openmp") || r->cut.by_runtime == r->cut.sized;
    return alike && r->cut.by_runtime + r->cut.by_program > 0 && r->parts && r->local.work &&
           (r->longest > LONG_CHUNK * (double)r->local.work / r->parts ||
            is_longer_than_others(r));
}

const struct row *summary_long_chunk(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (summary_is_long_chunk(&m->rows[i]) &&
            m->rows[i].longest > 0.5 * m->profile->totals.span_cost)
            return &m->rows[i];
    return NULL;
}

/* Of as many iterations, chunks that differ so much show that these cost more in one. */
#define UNLIKE 2.0

/* OpenMP's static schedule without a chunk size gives each thread one chunk. A loop with any other
 * has more chunks, or is none that a runtime cuts. What a thread does beside its chunk is in the
 * divided span, too. */
const struct row *summary_unlike_chunk(const struct summary *m)
{
    double beside = profile_divisible_span(m->profile);
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        if (!strcmp(r->runtime, "openmp") && r->invocations == 1 &&
            r->cut.by_runtime > r->cut.sized && r->parts > 1 && r->parts <= r->threads &&
            r->longest <= r->local.work &&
            (r->longest - beside) * (r->parts - 1.0) > UNLIKE * (r->local.work - r->longest) &&
            r->longest > 0.5 * m->profile->totals.span_cost)
            return r;
    }
    return NULL;
}

/* A task that is so many times the mean is far longer. */
#define LONG_TASK 1.5

const struct row *summary_long_task(const struct summary *m)
{
    const struct row *best = NULL;
    double least = 0.5 * m->profile->totals.span_cost;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        bool is_long = r->parts > 1 && r->longest <= r->local.work &&
                       r->longest >= LONG_TASK * r->local.work / r->parts;
        if (!r->root && !r->by_team && is_long && r->longest > least) {
            best = r;
            least = r->longest;
        }
    }
    return best;
}

/* The first strand of each thread, and one after each barrier, are no chunks. */
const struct row *summary_long_between(const struct summary *m, double *ns)
{
    const struct row *r = summary_heaviest(m);
    if (!r || !r->hands_out || r->share <= 0.5 || !r->threads)
        return NULL;
    double strands = (double)r->tasks - r->invocations - r->parts;
    double between = fmax(strands / r->threads, r->invocations);
    *ns = profile_ns(m->profile, r->on_local.span) / between;
    return *ns > LONG_CHUNK * profile_ns(m->profile, r->local.work) / r->parts ? r : NULL;
}

bool summary_cut_by_program(const struct summary *m)
{
    return m->cut.by_program + m->cut.sized && m->cut.by_runtime == m->cut.sized;
}

bool summary_cut_by_either(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].cut.by_runtime > m->rows[i].cut.sized &&
            !strcmp(m->rows[i].runtime, "openmp"))
            return true;
    return false;
}

enum summary_setting summary_limited_by(const struct summary *m)
{
    double share[SETTING_TOKENS + 1] = { 0 };
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        enum summary_setting by = !strcmp(r->construct, "pthread_create") ? SETTING_THREADS
                                : r->by_team                            ? SETTING_TEAM
                                : !strcmp(r->construct, "parallel_pipeline") ? SETTING_TOKENS
                                                                             : SETTING_NONE;
        share[by] += r->share;
    }
    for (enum summary_setting by = SETTING_THREADS; by <= SETTING_TOKENS; by++)
        if (share[by] > 0.5)
            return by;
    return SETTING_NONE;
}

/* A critical path with this part of the elapsed time leaves next to nothing to gain beside it. */
#define FILLS 0.9

bool summary_fills_run(const struct summary *m)
{
    const struct profile *p = m->profile;
    return p->totals.ns_num && !p->input_count && m->span >= FILLS * p->totals.elapsed_ns;
}

double summary_least(double work, double burdened, double p)
{
    double least = ratio(work, work / p + 2 * SPAN_COEFFICIENT * burdened);
    return least < 1 && work > 0 ? 1 : least;
}

double summary_lower(const struct summary *m, unsigned p)
{
    return summary_least(m->work, m->burdened_span, p);
}

/* 2, 4, ... 128 at least; on to four times the parallelism, but not beyond 1024. */
unsigned summary_processors(const struct summary *m, unsigned *p, unsigned capacity)
{
    unsigned n = 0;
    for (unsigned v = 2; v <= 1024 && n < capacity; v *= 2) {
        if (v > 128 && v / 2 >= 4 * m->parallelism)
            break;
        p[n++] = v;
    }
    return n;
}
