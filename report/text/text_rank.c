/* text_rank.c - of an MPI job: a line for each rank, those that are like few others first; and one
 * rank alone. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/ranks.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "text/path_cells.h"
#include "text/sections.h"
#include "text/text.h"

static double share_of_path(const struct text_page *g, const struct lpf_rank *r)
{
    return 100 * ratio(r->on_path_cost, g->t->span_cost);
}

/* ---- all ranks ---- */

/* A rank in the order of print_all. */
struct placed {
    uint32_t index;                     /* in the profile's ranks */
    uint32_t group;                     /* a larger number: of no more ranks */
    uint64_t on_path;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group > y->group ? -1 : 1;
    if (x->on_path != y->on_path)
        return x->on_path > y->on_path ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void print_all(const struct text_page *g, const struct rank_groups *groups)
{
    size_t all = g->p->rank_count, n = g->o->limit && g->o->limit < all ? g->o->limit : all;
    struct placed *order = format_memory(calloc(all + 1, sizeof *order));
    const struct lpf_rank **ranks = format_memory(calloc(all + 1, sizeof *ranks));
    uint32_t *like = format_memory(calloc(all + 1, sizeof *like));
    for (size_t i = 0; i < all; i++)
        order[i] = (struct placed){ i, groups->of[i], g->p->ranks[i].on_path_cost };
    qsort(order, all, sizeof *order, compare_placed);
    for (size_t i = 0; i < all; i++) {
        ranks[i] = &g->p->ranks[order[i].index];
        like[i] = g->p->ranks[groups->groups[order[i].group].like].rank;
    }
    text_rank_table(g, ranks, like, n);
    paragraph(g, "",
              "%% span: of the job's critical path. %% in MPI: of the time of the rank's threads. "
              "like: the first of the ranks that behave alike. Those that are like the fewest "
              "others come first.");
    free(order);
    free(ranks);
    free(like);
}

/* ---- one rank ---- */

/* "80 % for ranks late at a collective, 20 % in transfers": what of the time in MPI is for what. */
static char *causes(const struct lpf_rank *r)
{
    const struct { double ns; const char *words; } all[] = {
        { r->late_sender_ns, "for late senders" },
        { r->late_receiver_ns, "for late receivers" },
        { r->collective_ns, "for ranks late at a collective" },
        { r->sent_ns, "for late receivers or transfers" },
        { r->transfer_ns, "in transfers and MPI's own work" },
    };
    char *text = 0;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    const char *before = ": ";
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        double share = ratio(all[i].ns, profile_rank_in_mpi_ns(r));
        if (share < 0.01)
            continue;
        fprintf(f, "%s%.0f %% %s", before, 100 * share, all[i].words);
        before = ", ";
    }
    fclose(f);
    return format_memory(text);
}

static void print_figures(const struct text_page *g, const struct rank_groups *groups, size_t k)
{
    const struct profile *p = g->p;
    const struct lpf_rank *r = &p->ranks[k];
    char path[FORMAT_SIZE], work[FORMAT_SIZE], in_mpi[FORMAT_SIZE], calls[FORMAT_SIZE];
    double mean = ratio(g->t->work_cost, p->rank_count);
    char *host = format_clean(profile_string(p, r->host)), *why = causes(r);
    char *part = profile_job_finished(p)
                     ? format_text("has %s of the job's critical path, %.0f %% of it",
                                   cost_text(p, r->on_path_cost, path), share_of_path(g, r))
                     : format_text("did not end with the others: its part of the job's critical "
                                   "path is not known");
    paragraph(g, "",
              "Rank %u of %u, on %s, %s. Its work is %s, %.2f times the mean of the ranks. It was "
              "in MPI for %s, %.0f %% of its threads' time, in %s calls%s.",
              r->rank, r->size, host, part, cost_text(p, r->work_cost, work),
              ratio(r->work_cost, mean),
              format_ns(profile_rank_in_mpi_ns(r), in_mpi),
              100 * ratio(profile_rank_in_mpi_ns(r), r->threads_ns), format_count(r->calls, calls),
              why);
    char *which = ranks_in_words(groups, p, groups->of[k], 60);
    if (groups->groups[groups->of[k]].count > 1)
        paragraph(g, "", "These behave alike: %s.", which);
    else
        paragraph(g, "", "No other rank behaves like it.");
    free(which);
    free(host);
    free(part);
    free(why);
}

/* A function of the rank: its samples there, and those of the other ranks. */
struct rank_function {
    uint32_t function;
    double here, others;
};

static int compare_functions(const void *a, const void *b)
{
    const struct rank_function *x = a, *y = b;
    if (x->here != y->here)
        return x->here > y->here ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static void add_share(struct table *t, double part, double all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, "%.1f", 100 * ratio(part, all));
    table_add(t, text);
}

static void print_functions(const struct text_page *g, size_t k)
{
    static const struct table_column columns[] = {
        { "% samples", 0, TABLE_NUMBER, 0 }, { "% other ranks", 0, TABLE_NUMBER, 0 },
        { "function", 0, TABLE_NAME, 0 },    { "file", 0, TABLE_TEXT, 1 },
    };
    const struct profile *p = g->p;
    size_t count, known = 0;
    struct rank_part *parts = ranks_functions(g->paths, &count);
    struct rank_function *all =
        format_memory(calloc(g->paths->function_count + 1, sizeof *all));
    double here = p->ranks[k].samples, others = 0;
    for (size_t i = 0; i < g->paths->function_count; i++)
        all[i].function = i;
    for (size_t i = 0; i < p->rank_count; i++)
        others += i == k ? 0 : (double)p->ranks[i].samples;
    for (size_t i = 0; i < count; i++) {
        struct rank_function *f = &all[parts[i].function];
        *(parts[i].rank == k ? &f->here : &f->others) += parts[i].samples;
    }
    free(parts);
    qsort(all, g->paths->function_count, sizeof *all, compare_functions);
    while (known < g->paths->function_count && all[known].here > 0)
        known++;
    if (known) {
        size_t n = g->o->limit && g->o->limit < known ? g->o->limit : known;
        heading(g, "Functions of the rank, without callees");
        struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
        for (size_t i = 0; i < n; i++) {
            const struct cost_row *r = &g->paths->functions[all[i].function];
            add_share(t, all[i].here, here);
            add_share(t, all[i].others, others);
            table_add(t, r->function);
            path_table_source(t, r->file, 0);
        }
        table_print(t, g->out, g->o->width);
        table_free(t);
        if (n < known)
            paragraph(g, "", "... %zu more (--all)", known - n);
        paragraph(g, "",
                  "Samples outside of libprof, where the rank was sampled most. The call paths of "
                  "one rank are in the file that the rank itself wrote; this file has their sums.");
    }
    free(all);
}

static bool print_one(const struct text_page *g, const struct rank_groups *groups, const char *file)
{
    size_t k = 0;
    while (k < g->p->rank_count && g->p->ranks[k].rank != g->o->rank)
        k++;
    if (k == g->p->rank_count) {
        char *clean = format_clean(file);
        fprintf(stderr, "prof: %s: it has no rank %zu\n", clean, g->o->rank);
        free(clean);
        return false;
    }
    heading(g, "One rank of the job");
    print_figures(g, groups, k);
    if (g->paths)
        print_functions(g, k);
    return true;
}

bool text_job(const struct summary *m, const struct paths *t, const struct options *o, FILE *out)
{
    struct text_page g = { m, t, m->profile, &m->profile->totals, o, out };
    struct rank_groups groups;
    bool good = true;
    if (!g.p->rank_count) {
        char *clean = format_clean(g.p->path);
        fprintf(stderr, "prof: %s: it is of no MPI job whose ranks agreed on their path\n", clean);
        free(clean);
        return false;
    }
    ranks_group(&groups, g.p);
    if (o->ranks)
        print_all(&g, &groups);
    if (o->one_rank)
        good = print_one(&g, &groups, g.p->path);
    ranks_free(&groups);
    return good;
}
