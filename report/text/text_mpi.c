/* text_mpi.c - tables of an MPI job: its ranks, which of them behave alike, and where they were in
 * MPI. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/awaited.h"
#include "analysis/ranks.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "text/sections.h"

enum { GROUPED = 4 };           /* so many ranks are worth to be grouped */

/* ---- calls ---- */

static const char *cause_of(const struct row *r)
{
    return r->mpi & LPF_SITE_LATE_SENDER     ? "late sender"
           : r->mpi & LPF_SITE_LATE_RECEIVER ? "late receiver"
           : r->mpi & LPF_SITE_COLLECTIVE    ? "ranks late at it"
           : r->mpi & LPF_SITE_SENT          ? "late receiver or transfer"
           : summary_may_wait_in_mpi(r)      ? "waits or transfer"
                                             : "transfer, MPI's own work";
}

/* "3 (95 %)": the rank that row R of the calls waited for most, and its part of the time. */
static void add_awaited(const struct text_page *g, struct table *t, const struct row *r)
{
    struct awaited a;
    char text[FORMAT_SIZE] = "";
    awaited_of(&a, g->m, r);
    if (a.count)
        snprintf(text, sizeof text, "%u (%.0f %%)", a.ranks->rank,
                 100 * ratio(a.ranks->cost, a.waits));
    table_add(t, text);
    awaited_free(&a);
}

/* By rank of A: the row of the calls that waited for it longest. The caller frees it. */
static const struct row **longest_calls(const struct summary *m, const struct awaited *a)
{
    const struct row **best = format_memory(calloc(a->count + 1, sizeof *best));
    uint64_t *most = format_memory(calloc(a->count + 1, sizeof *most));
    for (size_t i = 0; i < m->call_count; i++) {
        struct awaited of;
        awaited_of(&of, m, &m->calls[i]);
        for (size_t k = 0; k < of.count; k++) {
            size_t rank = awaited_index(a, of.ranks[k].rank);
            if (!best[rank] || of.ranks[k].cost > most[rank]) {
                most[rank] = of.ranks[k].cost;
                best[rank] = &m->calls[i];
            }
        }
        awaited_free(&of);
    }
    free(most);
    return best;
}

/* The ranks that others waited for. */
static void print_awaited(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "rank", 0, TABLE_NUMBER, 0 },    { "% waits", 0, TABLE_NUMBER, 0 },
        { "waits", 0, TABLE_NUMBER, 0 },   { "times", 0, TABLE_NUMBER, 3 },
        { "most at", 0, TABLE_NAME, 0 },   { "file:line", 0, TABLE_TEXT, 1 },
        { "call", 0, TABLE_TEXT, 2 },
    };
    struct awaited a;
    awaited_of(&a, g->m, 0);
    size_t n = g->o->limit && g->o->limit < a.count ? g->o->limit : a.count;
    if (a.count) {
        const struct row **calls = longest_calls(g->m, &a);
        heading(g, "Ranks that others waited for");
        struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
        for (size_t i = 0; i < n; i++) {
            const struct awaited_rank *r = &a.ranks[i];
            char text[FORMAT_SIZE];
            snprintf(text, sizeof text, "%u", r->rank);
            table_add(table, text);
            snprintf(text, sizeof text, "%.1f", 100 * ratio(r->cost, a.waits));
            table_add(table, text);
            text_add_cost(g, table, r->cost);
            text_add_count(table, r->count);
            text_add_place(g, table, calls[i]);
        }
        table_print(table, g->out, g->o->width);
        table_free(table);
        free(calls);
        if (n < a.count)
            paragraph(g, "", "... %zu more (--all)", a.count - n);
        paragraph(g, "", "%% waits: of all waits for other ranks. Those for a late receiver, and "
                  "between hosts, are for no rank of this table.");
    }
    awaited_free(&a);
}

void text_mpi(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "% time", 0, TABLE_NUMBER, 0 },  { "in MPI", 0, TABLE_NUMBER, 0 },
        { "times", 0, TABLE_NUMBER, 3 },   { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 }, { "call", 0, TABLE_TEXT, 1 },
        { "for", 0, TABLE_TEXT, 2 },       { "rank", 0, TABLE_TEXT, 4 },
    };
    size_t n = g->o->limit && g->o->limit < g->m->call_count ? g->o->limit : g->m->call_count;
    if (!g->m->call_count)
        return;
    heading(g, "In MPI");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &g->m->calls[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f",
                 100 * ratio(profile_ns(g->p, r->top.work), profile_slots_ns(g->p)));
        table_add(table, share);
        text_add_cost(g, table, r->top.work);
        text_add_count(table, r->top.count);
        text_add_place(g, table, r);
        table_add(table, cause_of(r));
        add_awaited(g, table, r);
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    if (n < g->m->call_count)
        paragraph(g, "", "... %zu more (--all)", g->m->call_count - n);
    paragraph(g, "",
              "A receive waits for a late sender until the message's "
              "send begins; a send waits for a late receiver until the message's receive is "
              "posted; a collective waits for the rank that comes last. The rest of these calls is "
              "transfer, but for polls (MPI_Test) and calls of files, windows and neighbours, "
              "whose waits are not known. rank: the one that a call waited for most, and its part "
              "of the time.%s",
              summary_mpi(g->m).sent > 0
                  ? " Late receiver or transfer: which of both is not known, as between hosts, "
                    "whose clocks do not compare."
                  : "");
    print_awaited(g);
}

/* ---- ranks that behave alike ---- */

/* "12: 61 % of the samples are in compute (x.c:12), of ranks like 0 at most 14 %" */
static void print_difference(const struct text_page *g, const struct rank_groups *groups,
                             const struct rank_part *parts, size_t count, size_t i)
{
    struct rank_difference d;
    if (!g->paths || !ranks_differ(groups, g->paths, parts, count, i, &d))
        return;
    const struct cost_row *f = &g->paths->functions[d.function];
    char *which = ranks_in_words(groups, g->p, i, 40), *name = name_fit(f->function, 60);
    paragraph(g, "-",
              "%s: at least %.0f %% of the samples are in %s; of all those like %u at most %.0f %%",
              which, 100 * d.least, name, g->p->ranks[groups->groups->like].rank, 100 * d.most);
    free(which);
    free(name);
}

static void print_differences(const struct text_page *g, const struct rank_groups *groups, size_t n)
{
    size_t count = 0;
    struct rank_part *parts = g->paths ? ranks_functions(g->paths, &count) : 0;
    for (size_t i = 1; i < n && count; i++)
        print_difference(g, groups, parts, count, i);
    free(parts);
}

/* Of more than a few ranks: how many are like which, and those that are like none. */
static void print_groups(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "ranks", 0, TABLE_NUMBER, 0 },     { "like", 0, TABLE_NUMBER, 0 },
        { "mean work", 0, TABLE_NUMBER, 0 }, { "% in MPI", 0, TABLE_NUMBER, 0 },
        { "which", 0, TABLE_TEXT, 0 },
    };
    struct rank_groups groups;
    ranks_group(&groups, g->p);
    size_t n = g->o->limit && g->o->limit < groups.count ? g->o->limit : groups.count;
    if (g->p->rank_count >= GROUPED && groups.count < g->p->rank_count) {
        heading(g, "Ranks that behave alike");
        struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
        for (size_t i = 0; i < n; i++) {
            const struct rank_group *r = &groups.groups[i];
            char text[FORMAT_SIZE];
            text_add_count(table, r->count);
            snprintf(text, sizeof text, "%u", g->p->ranks[r->like].rank);
            table_add(table, text);
            cost_short_text(g->p, r->work / r->count, text);
            table_add(table, text);
            snprintf(text, sizeof text, "%.1f", 100 * ratio(r->mpi, r->threads));
            table_add(table, text);
            char *which = ranks_in_words(&groups, g->p, i, 40);
            table_add(table, which);
            free(which);
        }
        table_print(table, g->out, g->o->width);
        table_free(table);
        if (n < groups.count)
            paragraph(g, "", "... %zu more (--all)", groups.count - n);
        paragraph(g, "",
                  "Alike: work, and times in MPI for each cause, that differ by at most %.0f %% of "
                  "the longest rank's time; and work by at most %.0f %% of the most work.",
                  100 * RANKS_ALIKE, 100 * RANKS_ALIKE_WORK);
        print_differences(g, &groups, n);
    }
    ranks_free(&groups);
}

/* ---- ranks ---- */

/* The ranks with the largest parts of the critical path come first. */
static int compare_ranks(const void *a, const void *b)
{
    const struct lpf_rank *x = *(const struct lpf_rank *const *)a,
                          *y = *(const struct lpf_rank *const *)b;
    int c = (x->on_path_cost < y->on_path_cost) - (x->on_path_cost > y->on_path_cost);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

/* More of the ranks' time off the CPU outside MPI than this is worth a sentence. */
#define SLEPT_MUCH 0.05

static void print_efficiencies(const struct text_page *g)
{
    struct efficiencies e;
    if (!summary_efficiencies(g->m, &e))
        return;
    if (e.hybrid)
        paragraph(g, "",
                  "Parallel efficiency (POP, hybrid) %.1f %% = MPI %.1f %% x threads %.1f %%; MPI "
                  "= load balance %.1f %% x communication %.1f %%. MPI: the ranks' mean time "
                  "outside MPI / elapsed; threads: what the workers of a rank did with that time.",
                  100 * e.parallel, 100 * e.mpi, 100 * e.threads, 100 * e.load_balance,
                  100 * e.communication);
    else
        paragraph(g, "",
                  "Parallel efficiency (POP) %.1f %% = load balance %.1f %% x communication "
                  "%.1f %%; communication = serialisation %.1f %% x transfer %.1f %%. "
                  "Serialisation: the most work of a rank / the critical path%s; transfer: the "
                  "%s / elapsed.",
                  100 * e.parallel, 100 * e.load_balance, 100 * e.communication,
                  100 * e.serialisation, 100 * e.transfer,
                  e.by_work ? " (which tasks make shorter; one worker needs as long as its work)"
                            : "",
                  e.by_work ? "longer of these" : "critical path");
    double slept = g->t->blocked_ns,
           all = e.hybrid ? profile_slots_ns(g->p)
                          : (double)g->t->elapsed_ns * g->p->rank_count;
    char a[FORMAT_SIZE];
    if (slept > SLEPT_MUCH * all)
        paragraph(g, "",
                  "%s of the %s time was off the CPU outside MPI: asleep, waiting for input or "
                  "output, or without a processor. These factors have that in %s.",
                  format_ns(slept, a), e.hybrid ? "workers'" : "ranks'",
                  e.hybrid ? "threads" : "transfer");
}

static void add_percent(struct table *t, double share)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, "%.1f", 100 * share);
    table_add(t, text);
}

/* POP's efficiencies of the regions that the program names. */
static void print_regions(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "region", 0, TABLE_TEXT, 0 },        { "ranks", 0, TABLE_NUMBER, 1 },
        { "elapsed", 0, TABLE_NUMBER, 0 },     { "work", 0, TABLE_NUMBER, 0 },
        { "parallel %", 0, TABLE_NUMBER, 0 },  { "balance %", 0, TABLE_NUMBER, 0 },
        { "communic. %", 0, TABLE_NUMBER, 0 }, { "threads %", 0, TABLE_NUMBER, 2 },
    };
    const struct profile *p = g->p;
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    size_t rows = 0;
    bool by_work = false;
    for (size_t i = 0; i < p->region_rank_count; i++) {
        const struct lpf_region_rank *r = &p->region_ranks[i];
        struct efficiencies e;
        char text[FORMAT_SIZE];
        if (!summary_region_efficiencies(g->m, r, &e))
            continue;
        rows++;
        by_work |= !e.hybrid;
        char *name = format_clean(profile_string(p, p->regions[r->region].name));
        table_add(table, name);
        free(name);
        text_add_count(table, r->ranks);
        table_add(table, format_short_ns(r->most_elapsed_ns, text));
        text_add_cost(g, table, r->work_cost);
        add_percent(table, e.parallel);
        add_percent(table, e.load_balance);
        add_percent(table, e.communication);
        add_percent(table, e.threads);
    }
    if (rows) {
        heading(g, "Regions of the job (POP)");
        table_print(table, g->out, g->o->width);
        paragraph(g, "", "Of the ranks' main threads. elapsed: of the rank that was in the region "
                  "longest; work: of all ranks. parallel = balance x communication x threads. A "
                  "rank that was never in the region has no work in it.%s",
                  by_work ? " Time off the CPU outside MPI (asleep, waiting for input or a lock, "
                            "or kept from a processor) counts as communication, too."
                          : "");
    }
    table_free(table);
}

void text_rank_table(const struct text_page *g, const struct lpf_rank *const *ranks,
                     const uint32_t *like, size_t n)
{
    static const struct table_column columns[] = {
        { "rank", 0, TABLE_NUMBER, 0 },        { "% span", 0, TABLE_NUMBER, 0 },
        { "work", 0, TABLE_NUMBER, 0 },        { "% in MPI", 0, TABLE_NUMBER, 0 },
        { "late senders", 0, TABLE_NUMBER, 1 }, { "late receivers", 0, TABLE_NUMBER, 1 },
        { "collectives", 0, TABLE_NUMBER, 1 }, { "sends", 0, TABLE_NUMBER, 2 },
        { "transfers", 0, TABLE_NUMBER, 2 },   { "calls", 0, TABLE_NUMBER, 3 },
        { "host", 0, TABLE_TEXT, 4 },          { "like", 0, TABLE_NUMBER, 0 },
    };
    const struct profile *p = g->p;
    heading(g, "Ranks");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0] - !like);
    for (size_t i = 0; i < n; i++) {
        const struct lpf_rank *r = ranks[i];
        char text[FORMAT_SIZE];
        const double times[] = { r->late_sender_ns, r->late_receiver_ns, r->collective_ns,
                                 r->sent_ns, r->transfer_ns };
        snprintf(text, sizeof text, "%u", r->rank);
        table_add(table, text);
        /* ranks that did not end together have no common path */
        if (profile_job_finished(p))
            snprintf(text, sizeof text, "%.1f", 100 * ratio(r->on_path_cost, p->totals.span_cost));
        table_add(table, profile_job_finished(p) ? text : "-");
        text_add_cost(g, table, r->work_cost);
        snprintf(text, sizeof text, "%.1f", 100 * ratio(profile_rank_in_mpi_ns(r), r->threads_ns));
        table_add(table, text);
        for (unsigned k = 0; k < sizeof times / sizeof times[0]; k++)
            table_add(table, format_short_ns(times[k], text));
        text_add_count(table, r->calls);
        char *host = format_clean(profile_string(p, r->host));
        table_add(table, host);
        free(host);
        if (like) {
            snprintf(text, sizeof text, "%u", like[i]);
            table_add(table, text);
        }
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    if (n < p->rank_count)
        paragraph(g, "", "... %zu more (--all)", p->rank_count - n);
}

void text_ranks(const struct text_page *g)
{
    const struct profile *p = g->p;
    size_t all = p->rank_count, n = g->o->limit && g->o->limit < all ? g->o->limit : all;
    if (all < 2)
        return;
    const struct lpf_rank **order = format_memory(calloc(all, sizeof *order));
    for (size_t i = 0; i < all; i++)
        order[i] = &p->ranks[i];
    qsort(order, all, sizeof *order, compare_ranks);
    text_rank_table(g, order, 0, n);
    free(order);
    paragraph(g, "",
              "%% span: of the job's critical path. %% in MPI: of the time of the rank's threads.");
    print_efficiencies(g);
    print_regions(g);
    print_groups(g);
}
