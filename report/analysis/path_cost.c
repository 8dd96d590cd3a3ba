/* path_cost.c - costs of paths: sums, rounding, metrics. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/stats.h"
#include "profile/profile.h"

void path_add(struct path_cost *to, const struct path_cost *from)
{
    add_capped(&to->work, from->work);
    add_capped(&to->span, from->span);
    add_capped(&to->overhead, from->overhead);
    to->idleness += from->idleness;
    add_capped(&to->blocked, from->blocked);
    add_capped(&to->own, from->own);
    add_capped(&to->samples, from->samples);
    add_capped(&to->on_span, from->on_span);
    add_capped(&to->squares, from->squares);
    add_capped(&to->on_span_squares, from->on_span_squares);
    add_capped(&to->tasks, from->tasks);
}

/* Turns *COST from the clock's unit into ns. *SUM is the sum of all costs before it. The sums are
 * rounded, not the parts, so that the parts add up. */
void path_to_ns(const struct profile *p, uint64_t *cost, uint64_t *sum)
{
    uint64_t before = profile_whole_ns(p, *sum);
    add_capped(sum, *cost);
    *cost = profile_whole_ns(p, *sum) - before;
}

void path_round(const struct profile *p, struct path_cost *c, struct rounding *r)
{
    path_to_ns(p, &c->work, &r->work);
    path_to_ns(p, &c->span, &r->span);
    path_to_ns(p, &c->overhead, &r->overhead);
    r->idleness += c->idleness;
    c->idleness = round(r->idleness) - r->whole;
    r->whole += c->idleness;
}

const char *const path_metrics[] = { "span", "work", "idleness", "overhead", "blocked", "own", 0 };

double path_metric(const struct path_cost *c, const char *metric)
{
    return !strcmp(metric, "work") ? c->work : !strcmp(metric, "idleness") ? c->idleness :
           !strcmp(metric, "overhead") ? c->overhead : !strcmp(metric, "blocked") ? c->blocked :
           !strcmp(metric, "own") ? c->own : c->span;
}

/* The samples that the critical path would have if they did not decide on it. */
static double expected_on_span(const struct path_cost *all)
{
    return all->work ? all->samples * ratio(all->span, all->work) : all->on_span;
}

double path_chosen(const struct path_cost *all)
{
    double n = all->on_span, expected = expected_on_span(all);
    double late = ratio(n, stats_equal(n, all->on_span_squares));   /* more weight than samples */
    double by_chance = expected + 3 * sqrt(expected * fmax(late, 1)) + 3;
    return n > by_chance ? (n - expected) / n : 0;
}

double path_margin(const struct path_cost *c, const struct path_cost *all)
{
    return stats_share_favoured(c->on_span, c->on_span_squares, all->on_span, all->on_span_squares,
                                expected_on_span(all));
}
