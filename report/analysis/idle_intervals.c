/* idle_intervals.c - see idle_intervals.h. */
#include "analysis/idle_intervals.h"
#include <math.h>
#include <stdlib.h>
#include "base/format.h"

/* The part of E that is in intervals below LIMIT ns. In the octave of the limit, the time is taken
 * as evenly spread over the logarithm of the length. */
static double part_below(const struct lpf_idle *e, double limit)
{
    double from = ldexp(1, e->octave);
    if (e->octave == LPF_IDLE_LEAST)
        return fmin(1, limit / (2 * from));
    if (limit <= from)
        return 0;
    if (e->octave == LPF_IDLE_MOST)     /* it has no end */
        return (double)e->ns / e->count < limit;
    return fmin(1, log2(limit / from));
}

static void add(struct idle_of_site *to, const struct lpf_idle *e, double limit)
{
    unsigned i = e->octave - LPF_IDLE_LEAST;
    to->count += e->count;
    to->ns += e->ns;
    to->short_ns += e->ns * part_below(e, limit);
    to->wait_ns += e->kind == LPF_IDLE_WAIT ? e->ns : 0;
    to->octave_count[i] += e->count;
    to->octave_ns[i] += e->ns;
}

static void add_phases(struct idle_of_site *to, const struct lpf_phases *e)
{
    to->starts += e->starts;
    to->start_ns += e->start_ns;
    to->ends += e->ends;
    to->end_ns += e->end_ns;
}

static const struct row *root_row(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].root)
            return &m->rows[i];
    return NULL;
}

struct idle_intervals idle_intervals_of(const struct summary *m, double limit_ns)
{
    const struct profile *p = m->profile;
    struct idle_intervals x = { .known = p->idle_sum_count,
                                .own_ns = p->idle_sum_count ? p->idle_sum->own_ns : 0 };
    const struct row **row_of = summary_rows_of_sites(m), *root = root_row(m);
    x.rows = format_memory(calloc(m->row_count + 1, sizeof *x.rows));
    for (size_t i = 0; i < p->idle_count; i++) {
        const struct lpf_idle *e = &p->idle[i];
        const struct row *r = e->context == LPF_NONE ? root : row_of[p->contexts[e->context].site];
        add(&x.all, e, limit_ns);
        if (e->kind == LPF_IDLE_START)
            add(&x.start, e, limit_ns);
        else if (e->kind == LPF_IDLE_END)
            add(&x.end, e, limit_ns);
        else if (r)
            add(&x.rows[r - m->rows], e, limit_ns);
    }
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct lpf_phases *e = &p->phases[i];
        const struct row *r = e->context == LPF_NONE ? root : row_of[p->contexts[e->context].site];
        add_phases(&x.all, e);
        if (r)
            add_phases(&x.rows[r - m->rows], e);
    }
    free(row_of);
    return x;
}

void idle_intervals_free(struct idle_intervals *x)
{
    free(x->rows);
    x->rows = NULL;
}
