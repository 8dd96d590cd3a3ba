/* path_own_share.c - libprof's share of the samples of each site. See paths.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

static void add_share(struct own_share *to, const struct own_share *from)
{
    add_capped(&to->samples, from->samples);
    add_capped(&to->own, from->own);
}

/* If contexts of several sites have one boundary, each of these sites has all of its samples. */
void path_share_sites(struct paths *t, const uint32_t *owner_of, size_t nodes)
{
    const struct profile *p = t->summary->profile;
    struct own_share *below = format_memory(calloc(nodes, sizeof *below)), *of;
    of = t->private->own = format_memory(calloc(p->site_count + 1, sizeof *of));
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct own_share hit = { .samples = s->weight,
                                 .own = path_hits_libprof(t, s->node) ? s->weight : 0 };
        add_share(&below[owner_of[s->node]], &hit);
    }
    add_share(&of[p->site_count], &below[0]);
    for (size_t i = 0; i < p->context_count; i++)
        if (p->contexts[i].node && p->contexts[i].node < p->node_count)
            add_share(&of[p->contexts[i].site], &below[p->contexts[i].node]);
    free(below);
}

/* Sets S.large, and what follows from S.taken. Under the virtual clock, profiler overhead is in no
 * cost. */
static struct own_share share_judged(const struct profile *p, struct own_share s)
{
    s.large = s.own >= 10 && s.own > s.samples / 20 &&
              strcmp(profile_string(p, p->totals.clock), "virtual");
    s.estimate = s.large || s.taken > 0;
    return s;
}

struct own_share paths_own_share(const struct paths *t, const struct row *r)
{
    struct own_share s = { 0 };
    if (r->root)
        s = t->private->own[t->summary->profile->site_count];
    for (uint32_t site = r->first; site != LPF_NONE; site = t->summary->next_site[site])
        add_share(&s, &t->private->own[site]);
    s.taken = r->wait ? 0 : summary_taken_most(t->summary, r);
    return share_judged(t->summary->profile, s);
}

/* The part of the work in tasks of sites that no sample hit. */
static double unsampled(const struct paths *t)
{
    const struct profile *p = t->summary->profile;
    double work = 0;
    for (size_t i = 0; i < p->context_count; i++)
        if (!t->private->own[p->contexts[i].site].samples)
            work += p->contexts[i].work_local_cost;
    return p->totals.work_cost ? fmin(1, work / p->totals.work_cost) : 0;
}

struct own_share paths_own_share_all(const struct summary *m, const struct paths *t)
{
    struct own_share s = { .taken = summary_taken_most(m, NULL) };
    for (size_t i = 0; t && i < t->summary->profile->sample_count; i++)
        add_capped(&s.samples, t->summary->profile->samples[i].weight);
    if (t) {
        s.own = t->own_samples;
        s.unsampled = unsampled(t);
    }
    return share_judged(m->profile, s);
}

uint64_t paths_work_at_least(const struct own_share *s, uint64_t work)
{
    uint64_t apart = work * s->unsampled, hit = work - apart;
    return apart +
           (s->samples ? (unsigned __int128)hit * (s->samples - s->own) / s->samples : hit);
}
