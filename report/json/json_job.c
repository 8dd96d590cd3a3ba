/* json_job.c - an MPI job in the stable form: its ranks, which of them behave alike, in which
 * functions each was, and its calls of MPI; see json.c. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "analysis/awaited.h"
#include "analysis/ranks.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "json/json.h"

/* The ranks that row R of M's calls waited for; NULL: that all of them did. */
static json_t *awaited(const struct summary *m, const struct row *r)
{
    json_t *all = json_array();
    struct awaited a;
    awaited_of(&a, m, r);
    for (size_t i = 0; i < a.count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "rank", json_number(a.ranks[i].rank));
        json_object_set_new(one, "count", json_number(a.ranks[i].count));
        json_object_set_new(one, "time_ns", json_cost(m->profile, a.ranks[i].cost));
        json_array_append_new(all, one);
    }
    awaited_free(&a);
    return all;
}

static json_t *mpi_call(const struct summary *m, const struct row *r)
{
    json_t *j = json_place(r);
    json_put_addresses(j, m, r);
    json_object_set_new(j, "for",
                        json_text(r->mpi & LPF_SITE_LATE_SENDER     ? "late sender"
                                  : r->mpi & LPF_SITE_LATE_RECEIVER ? "late receiver"
                                  : r->mpi & LPF_SITE_COLLECTIVE    ? "collective"
                                  : r->mpi & LPF_SITE_SENT          ? "late receiver or transfer"
                                  : summary_may_wait_in_mpi(r)      ? "waits or transfer"
                                                                    : "transfer"));
    json_object_set_new(j, "count", json_number(r->top.count));
    json_object_set_new(j, "time_ns", json_cost(m->profile, r->top.work));
    json_object_set_new(j, "awaited", awaited(m, r));
    return j;
}

static json_t *rank(const struct profile *p, const struct lpf_rank *r)
{
    json_t *one = json_object();
    json_object_set_new(one, "rank", json_number(r->rank));
    json_object_set_new(one, "pid", json_number(r->pid));
    json_object_set_new(one, "host", json_text(profile_string(p, r->host)));
    json_object_set_new(one, "joined", json_boolean(r->flags & LPF_RANK_JOINED));
    json_object_set_new(one, "finished", json_boolean(r->flags & LPF_RANK_FINISHED));
    json_object_set_new(one, "work_ns", json_cost(p, r->work_cost));
    json_object_set_new(one, "on_path_ns", json_cost(p, r->on_path_cost));
    json_object_set_new(one, "calls", json_number(r->calls));
    json_object_set_new(one, "late_sender_ns", json_number(r->late_sender_ns));
    json_object_set_new(one, "late_receiver_ns", json_number(r->late_receiver_ns));
    json_object_set_new(one, "collective_ns", json_number(r->collective_ns));
    json_object_set_new(one, "sent_ns", json_number(r->sent_ns));
    json_object_set_new(one, "transfer_ns", json_number(r->transfer_ns));
    json_object_set_new(one, "workers", json_number(r->workers));
    json_object_set_new(one, "threads_ns", json_number(r->threads_ns));
    json_object_set_new(one, "samples", json_number(r->samples));
    return one;
}

static json_t *groups(const struct profile *p)
{
    struct rank_groups g;
    json_t *all = json_array();
    ranks_group(&g, p);
    for (size_t i = 0; i < g.count; i++) {
        const struct rank_group *r = &g.groups[i];
        char *which = ranks_in_words(&g, p, i, 0);
        json_t *one = json_object();
        json_object_set_new(one, "count", json_number(r->count));
        json_object_set_new(one, "like", json_number(p->ranks[r->like].rank));
        json_object_set_new(one, "ranks", json_text(which));
        json_object_set_new(one, "mean_work_ns", json_real(r->work / r->count));
        json_object_set_new(one, "in_mpi", json_fraction(r->mpi, r->threads));
        json_array_append_new(all, one);
        free(which);
    }
    ranks_free(&g);
    return all;
}

/* By column, because there may be 10^5 of them. */
static json_t *functions(const struct paths *t)
{
    const struct profile *p = t->summary->profile;
    size_t count;
    struct rank_part *parts = ranks_functions(t, &count);
    json_t *j = json_object(), *names = json_column(j, "functions"),
           *ranks = json_column(j, "rank"), *function = json_column(j, "function"),
           *samples = json_column(j, "samples");
    size_t *at = format_memory(calloc(t->function_count + 1, sizeof *at));
    for (size_t i = 0; i < count; i++) {
        const struct rank_part *e = &parts[i];
        if (!at[e->function]) {
            const struct cost_row *f = &t->functions[e->function];
            json_t *name = json_object();
            json_object_set_new(name, "function", json_text(f->function));
            json_object_set_new(name, "file", f->file ? json_text(f->file) : json_null());
            json_array_append_new(names, name);
            at[e->function] = json_array_size(names);
        }
        json_array_append_new(ranks, json_number(p->ranks[e->rank].rank));
        json_array_append_new(function, json_integer((json_int_t)at[e->function] - 1));
        json_array_append_new(samples, json_number(e->samples));
    }
    free(at);
    free(parts);
    return j;
}

json_t *json_efficiencies(const struct efficiencies *e)
{
    json_t *pop = json_object();
    json_object_set_new(pop, "parallel", json_finite(e->parallel));
    json_object_set_new(pop, "mpi", json_finite(e->mpi));
    json_object_set_new(pop, "threads", json_finite(e->threads));
    json_object_set_new(pop, "load_balance", json_finite(e->load_balance));
    json_object_set_new(pop, "communication", json_finite(e->communication));
    json_object_set_new(pop, "serialisation", json_finite(e->hybrid ? NAN : e->serialisation));
    json_object_set_new(pop, "transfer", json_finite(e->hybrid ? NAN : e->transfer));
    return pop;
}

json_t *json_job(const struct summary *m, const struct paths *t)
{
    const struct profile *p = m->profile;
    if (!p->rank_count)
        return json_null();
    json_t *j = json_object(), *ranks = json_array(), *calls = json_array();
    for (size_t i = 0; i < p->rank_count; i++)
        json_array_append_new(ranks, rank(p, &p->ranks[i]));
    for (size_t i = 0; i < m->call_count; i++)
        json_array_append_new(calls, mpi_call(m, &m->calls[i]));
    json_object_set_new(j, "size", json_number(p->ranks->size));
    json_object_set_new(j, "ranks", ranks);
    json_object_set_new(j, "alike", groups(p));
    json_object_set_new(j, "samples", t && p->rank_sample_count ? functions(t) : json_null());
    json_object_set_new(j, "calls", calls);
    json_object_set_new(j, "awaited", awaited(m, NULL));
    struct efficiencies e;
    json_object_set_new(j, "efficiencies",
                        summary_efficiencies(m, &e) ? json_efficiencies(&e) : json_null());
    return j;
}
