/* scenarios.c - see scenarios.h. */
#define _GNU_SOURCE
#include "analysis/scenarios.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* 4x, 1.5x, or "at no cost". */
static char *factor_text(const struct lpf_term *t)
{
    return t->den ? format_text("%.4gx", (double)t->num / t->den) : format_text("at no cost");
}

static char *scenario_name(const struct profile *p, const struct lpf_scenario *s)
{
    char *name = NULL;
    size_t n;
    FILE *f = format_memory(open_memstream(&name, &n));
    for (uint32_t i = 0; i < s->terms; i++) {
        const struct lpf_term *t = &p->terms[s->first_term + i];
        char *clean = format_clean(profile_string(p, p->candidates[t->candidate].name)),
             *factor = factor_text(t);
        fprintf(f, "%s%s %s", i ? ", " : "", clean, factor);
        free(factor);
        free(clean);
    }
    fclose(f);
    return format_memory(name);
}

char *scenarios_mixed(const struct profile *p, size_t c)
{
    uint32_t others = p->candidates[c].flags >> LPF_CANDIDATE_MIXED;
    char *names = format_clean(profile_string(p, p->candidates[c].name));
    size_t left = 0;
    for (size_t i = 0; i < p->candidate_count && i < 16; i++)
        left += others >> i & 1;
    if (!left) {
        free(names);
        return NULL;
    }
    for (size_t i = 0; i < p->candidate_count && left; i++) {
        if (!(others >> i & 1))
            continue;
        char *clean = format_clean(profile_string(p, p->candidates[i].name)),
             *more = format_text("%s%s%s", names, --left ? ", " : " and ", clean);
        free(clean);
        free(names);
        names = more;
    }
    return names;
}

char *scenarios_mixed_words(const char *names)
{
    return format_text("%s run in parts of strands that libprof cannot distinguish: their figures "
                       "are means of all these parts. That is right if each part runs all of "
                       "these functions. If some run one and some another, annotate them "
                       "(libprof.h): regions are exact.",
                       names);
}

double samples_margin(uint64_t samples)
{
    return samples ? 1 / sqrt(samples) : 0;
}

struct scenario *scenarios_read(const struct summary *m, size_t *count)
{
    const struct profile *p = m->profile;
    struct scenario *w = format_memory(calloc(p->scenario_count + 1, sizeof *w));
    for (size_t i = 0; i < p->scenario_count; i++) {
        const struct lpf_scenario *s = &p->scenarios[i];
        double margin = 0;
        for (uint32_t k = 0; k < s->terms; k++) {
            uint32_t c = p->terms[s->first_term + k].candidate;
            margin = fmax(margin, samples_margin(p->candidates[c].samples));
        }
        double work = profile_ns(p, s->work_cost), span = profile_ns(p, s->span_cost);
        /* estimates, each with an error of its own: no path is longer than all work together, and
         * without tasks a program is one path */
        if (span > work || !p->totals.tasks)
            span = work;
        w[i] = (struct scenario){ .name = scenario_name(p, s),
                                  .limit = s->flags & LPF_SCENARIO_LIMIT,
                                  .estimated = margin > 0,
                                  .margin = margin,
                                  .work = work,
                                  .span = span,
                                  .parallel = ratio(m->work, span),
                                  .faster = ratio(work, span) };
    }
    *count = p->scenario_count;
    return w;
}

void scenarios_free(struct scenario *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(w[i].name);
    free(w);
}
