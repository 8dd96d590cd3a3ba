/* validate.c - see validate.h.
 *
 * A what-if scenario makes code cheaper on paper. No experiment can make the code cheaper, but one
 * can make it more expensive. The same arithmetic, with a factor below 1, predicts the span if a
 * candidate costs twice as much, and PROF_DELAY makes the candidate cost twice as much. Coz (SOSP
 * 2015) delays all but the candidate, and a work-stealing runtime answers that by other steals. A
 * delay inside the candidate's own strand acts as slower code would, on thieves and waits, too. */
#define _GNU_SOURCE
#include "whatif/validate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/scenarios.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "base/format.h"
#include "launch/run_again.h"
#include "launch/whatif_spec.h"
#include "profile/profile.h"

enum {
    SPAN_BEFORE,
    SPAN_PREDICTED,
    SPAN_MEASURED,
    WORK_BEFORE,
    WORK_PREDICTED,
    WORK_MEASURED,
    ELAPSED_BEFORE,
    ELAPSED_MEASURED,
    USUAL,
    LEAST,
    MOST,
    FIGURES
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, unsigned n)
{
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static char *spec_of(const struct candidate *c, size_t count, double factor)
{
    char *spec = NULL;
    size_t n;
    FILE *f = format_memory(open_memstream(&spec, &n));
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ";" : "", f);
        whatif_spec_put_name(f, c[i].name);
        fprintf(f, "=%.3g", factor);
    }
    fclose(f);
    return format_memory(spec);
}

/* Runs pair I. In FIGURES, figure k of pair i of candidate c is at
 * [c * FIGURES * pairs + k * pairs + i]. */
static bool run_pair(const struct experiment *e, unsigned i, const char *path, double *figures)
{
    unsigned pairs = e->pairs;
    char *spec = spec_of(e->candidates, e->count, 1 / e->slower);
    const char *tried[] = { "--whatif", spec, 0 };
    struct profile p;
    struct summary m;
    bool ok = !run_again(e->command, path, tried, true) && !profile_open(&p, path);
    free(spec);
    if (!ok)
        return false;
    summary_new(&m, &p, false);
    size_t n;
    struct scenario *w = scenarios_read(&m, &n);
    double workers = p.totals.workers ? p.totals.workers : 1, unit = p.totals.ns_num ? 1 : 0;
    for (size_t k = 0; k < e->count && k < n; k++) {
        double *at = figures + k * FIGURES * pairs + i;
        at[SPAN_BEFORE * pairs] = m.span;
        at[WORK_BEFORE * pairs] = m.work;
        at[SPAN_PREDICTED * pairs] = w[k].span;
        at[WORK_PREDICTED * pairs] = w[k].work;
        at[ELAPSED_BEFORE * pairs] = p.totals.elapsed_ns;
        at[USUAL * pairs] = unit * (m.work / workers + m.span);
        at[LEAST * pairs] = unit *
                            (w[k].work / workers > w[k].span ? w[k].work / workers : w[k].span);
        at[MOST * pairs] = unit * (w[k].work / workers + w[k].span);
    }
    scenarios_free(w, n);
    summary_free(&m);
    profile_close(&p);
    for (size_t k = 0; ok && k < e->count; k++) {
        char *delay = spec_of(&e->candidates[k], 1, e->slower);
        const char *slow[] = { "--delay", delay, 0 };
        ok = !run_again(e->command, path, slow, true) && !profile_open(&p, path);
        free(delay);
        if (!ok)
            break;
        double *at = figures + k * FIGURES * pairs + i;
        at[SPAN_MEASURED * pairs] = profile_ns(&p, p.totals.span_cost);
        at[WORK_MEASURED * pairs] = profile_ns(&p, p.totals.work_cost);
        at[ELAPSED_MEASURED * pairs] = p.totals.elapsed_ns;
        profile_close(&p);
    }
    return ok;
}

int validate(const struct experiment *e, struct validation *out)
{
    unsigned pairs = e->pairs;
    char *path = format_text("%s/v.prof", e->directory);
    double *figures = format_memory(calloc(e->count * FIGURES * pairs + 1, sizeof *figures));
    bool ok = true;
    for (unsigned i = 0; ok && i < pairs; i++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "prof: slow-down experiment %u of %u\r", i + 1, pairs);
        ok = run_pair(e, i, path, figures);
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[K");
    for (size_t k = 0; k < e->count; k++) {
        double v[FIGURES];
        for (unsigned f = 0; f < FIGURES; f++)
            v[f] = median(figures + (k * FIGURES + f) * pairs, pairs);
        out[k] = (struct validation){
            &e->candidates[k],
            v[SPAN_BEFORE], v[SPAN_PREDICTED], v[SPAN_MEASURED],
            v[WORK_BEFORE], v[WORK_PREDICTED], v[WORK_MEASURED],
            v[ELAPSED_BEFORE], v[ELAPSED_MEASURED], v[USUAL], v[LEAST], v[MOST],
        };
    }
    unlink(path);
    free(path);
    free(figures);
    return ok ? (int)e->count : -1;
}
