/* text_totals.c - the parallelism profile: the figures of the whole program, how certain they are,
 * and the notes on them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/ledger.h"
#include "analysis/processors.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "text/sections.h"
#include "words/names_words.h"
#include "words/place_words.h"

static void print_burden(const struct text_page *g)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], text[160];
    cost_text(g->p, g->m->burden, a);
    switch (g->t->burden_source) {
    case LPF_BURDEN_SETTING:
        snprintf(text, sizeof text, "%s (setting)", a);
        break;
    case LPF_BURDEN_MEASURED:
        snprintf(text, sizeof text, "%s (measured from %s steal%s in this run)", a,
                 format_count(g->t->burden_steals, b), g->t->burden_steals == 1 ? "" : "s");
        break;
    default:
        snprintf(text, sizeof text, "%s (default: %s)", a,
                 g->t->steals ? "too few steals in this run" : "no steals in this run");
    }
    text_line(g, "Burden of a steal", text);
}

char *text_hidden(const struct text_page *g)
{
    size_t size = 0;
    char *list = NULL, b[FORMAT_SIZE];
    FILE *f = format_memory(open_memstream(&list, &size));
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND || n->kind == LPF_NOTE_NOT_EXACT)
            fprintf(f, "%s%s (%s)", ftell(f) ? ", " : "", profile_string(g->p, n->name),
                    format_count(n->count, b));
    }
    if (g->m->standstill.threads)
        fprintf(f, "%sthreads %s: an order by condition variables or the like is no edge of the "
                   "dag, and another division of the work may have a shorter span",
                ftell(f) ? ", " : "",
                g->m->standstill.unseen ? "lacked a processor or waited for each other, which "
                                          "looks the same if they yield"
                                        : "waited");
    fclose(f);
    return format_memory(list);
}

static void print_bounds(const struct text_page *g)
{
    if (!certainty_caveat(g->m, false))
        return;
    char *list = text_hidden(g);
    if (certainty_span(g->m) == CERTAIN_NOT)
        paragraph(g, "!", "span is NOT EXACT: %s. Parallelism and speedup may be lower or higher.",
                  list);
    else
        paragraph(g, "!",
                  "span is a LOWER BOUND: %s. Parallelism and speedup may be lower than shown.",
                  *list ? list : "see what was lost, below");
    free(list);
}

/* The site with the largest excess of outliers that is not among the N in SHOWN; NULL: there is
 * none. */
static const struct row *most_outliers(const struct summary *m, const struct row *const *shown,
                                       unsigned n)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        bool old = !r->outliers.count || (best && r->outliers.excess <= best->outliers.excess);
        for (unsigned k = 0; k < n; k++)
            old |= shown[k] == r;
        best = old ? best : r;
    }
    return best;
}

/* Prints the sites with outliers. The profile does not show whether the machine or the program made
 * them longer. */
static void text_outliers(const struct text_page *g)
{
    enum { SHOWN = 3 };
    const struct summary *m = g->m;
    const struct row *shown[SHOWN];
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    if (!summary_has_outliers(m))
        return;
    for (unsigned n = 0; n < SHOWN && (shown[n] = most_outliers(m, shown, n)); n++) {
        const struct row *r = shown[n];
        paragraph(g, "!",
                  "%s of %s strands of %s at %s took at least 1.5 times as long as comparable "
                  "strands, up to %s. Together they took about %s more.",
                  format_count(r->outliers.count, a), format_count(r->outliers.parts, b),
                  r->construct, r->function,
                  cost_text(g->p, profile_ns(g->p, r->outliers.longest), d),
                  cost_text(g->p, profile_ns(g->p, r->outliers.excess), c));
    }
    paragraph(g, "!",
              "The span is the longest path, and such strands make a path long. Had they taken as "
              "long as comparable strands, it would be about %s, and parallelism about %s. "
              "Interrupts, a hypervisor or the program may be the cause. With a PMU, "
              "PROF_CLOCK=instructions shows which: it counts the program alone.",
              cost_text(g->p, m->typical_span, a), format_about(m->typical_parallelism, b));
}

void text_waited(const struct text_page *g)
{
    if (g->m->standstill.much)
        paragraph(g, "!",
                  "Strands slept or waited %.0f %% of %s: work and span lack this time, so "
                  "parallelism does not show how fast a run can be.",
                  100 * ratio(g->m->standstill.waited, profile_slots_ns(g->p)),
                  place_of_time(g->p));
}

static void certain_line(const struct text_page *g, const char *name, enum certainty c,
                         const char *value)
{
    char *text = format_text("%s (%s)", value, certainty_names[c]);
    text_line(g, name, text);
    free(text);
}

/* What libprof counts as tasks of a parallel region is in no source: parts of its threads between
 * barriers, and chunks of loops. */
static void print_tasks(const struct text_page *g)
{
    uint64_t parts = 0;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    for (size_t i = 0; i < g->m->row_count; i++)
        if (!strcmp(g->m->rows[i].construct, "parallel"))
            parts += g->m->rows[i].tasks;
    char *text = parts ? format_text("%s (%s of them parts of parallel regions: a thread's strands "
                                     "between barriers, or chunks)",
                                     format_count(g->t->tasks, a), format_count(parts, b))
                       : format_text("%s", format_count(g->t->tasks, a));
    text_line(g, "Tasks", text);
    free(text);
}

/* libprof took TAKEN off the strands, ns, at least as much as is left of them. */
static void print_taken(const struct text_page *g, double taken)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    paragraph(g, "!",
              "libprof took its own cost off the strands, %s in all, %s for each task. No more "
              "than that is left: %s. Tasks as small as these cannot be measured so: work, span "
              "and parallelism are estimates, and may be far from those of the program.",
              format_ns(taken, a), format_short_ns(ratio(taken, g->t->tasks), b),
              format_ns(g->m->work, c));
}

/* Other programs are a share of the CPUs that this one might use. */
static void print_processors(const struct text_page *g)
{
    struct processors x;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], of[80] = "", quota[80] = "";
    processors_of(&x, g->p);
    if (!x.known || !x.allowed)
        return;
    if (x.masks_known && x.threads_allowed < x.allowed)
        snprintf(of, sizeof of, ", of which its threads may use %u", x.threads_allowed);
    if (x.throttled_ns > 0)
        snprintf(quota, sizeof quota, "; a quota stopped it for %s",
                 format_ns(x.throttled_ns, a));
    double all = x.wall_ns * x.allowed;
    char *text = format_text("%u%s; others had %s of %s (%.1f %%)%s", x.allowed, of,
                             format_ns(x.others_ns, a), format_ns(all, b),
                             100 * ratio(x.others_ns, all), quota);
    text_line(g, "Processors", text);
    free(text);
}

void text_totals(const struct text_page *g)
{
    const struct summary *m = g->m;
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], text[160];
    double all = profile_slots_ns(g->p);
    heading(g, "1) Parallelism profile");
    if (!t->ns_num) {
        snprintf(text, sizeof text, "costs are in units of the clock: %s",
                 profile_string(g->p, t->clock));
        paragraph(g, "", "%s", text);
        if (g->p->typical_count && g->p->typical->flags & LPF_TYPICAL_CLEAN)
            paragraph(g, "",
                      "Unlike times, they do not contain what interrupts and a hypervisor take.");
    }
    struct own_share own = paths_own_share_all(m, g->paths);
    enum certainty span = certainty_of_measured(certainty_span(m), own.estimate);
    const char *mark = span == CERTAIN_NOT           ? "Span (NOT EXACT)"
                       : span == CERTAIN_LOWER_BOUND ? "Span (LOWER BOUND)"
                                                     : "Span";
    certain_line(g, "Work", certainty_of_measured(CERTAIN_EXACT, own.estimate),
                 cost_text(g->p, m->work, b));
    certain_line(g, mark, span, cost_text(g->p, m->span, b));
    certain_line(g, "Burdened span", CERTAIN_ESTIMATED, cost_text(g->p, m->burdened_span, b));
    certain_line(g, "Parallelism", certainty_of_ratio(span), format_ratio(m->parallelism, b));
    if (summary_loops_divide(m))
        certain_line(g, "Same, loops divided", certainty_of_ratio(certainty_divisible(m)),
                     format_ratio(m->divisible_parallelism, b));
    if (summary_has_outliers(m))
        certain_line(g, "Same, no outliers", CERTAIN_ESTIMATED,
                     format_about(m->typical_parallelism, b));
    certain_line(g, "Burdened parallelism", CERTAIN_ESTIMATED,
                 format_ratio(m->burdened_parallelism, b));
    text_line(g, "Spawns", format_count(t->spawns, b));
    text_line(g, "Syncs", format_count(t->syncs, b));
    text_line(g, "Average strand", cost_text(g->p, m->average_strand, b));
    print_tasks(g);
    text_line(g, "Steals", format_count(t->steals, b));
    print_burden(g);
    struct ledger l = ledger_of(m, g->paths);
    double idle = ledger_idle_shown(&l, g->p);
    snprintf(text, sizeof text, "%s of %s %s (%.1f %%)%s", format_ns(idle, b), format_ns(all, c),
             all > (double)t->elapsed_ns * t->workers ? "of all threads" : "worker time",
             100 * ratio(idle, all), ledger_has_mpi(&l, g->p) ? ", outside MPI" : "");
    text_line(g, "Idle", text);
    print_processors(g);
    snprintf(text, sizeof text, "%s (estimated; %s)", format_ns(t->own_ns, b),
             own.taken > 0 ? "taken off the above, perhaps too much or too little"
             : own.large   ? "the above contains more of it"
                           : "not in the above");
    text_line(g, "Profiler overhead", text);
    size_t at = 0;
    uint64_t count;
    for (const char *event; (event = profile_event(g->p, &at, &count));) {
        char *name = format_clean(event);
        snprintf(text, sizeof text, "%s (of the whole process)", format_count(count, b));
        text_line(g, name, text);
        free(name);
    }
    if (own.taken > 0)
        print_taken(g, own.taken);
    else if (own.large)
        paragraph(g, "!",
                  "%.0f %% of the samples in strands are libprof's: its overhead was taken off as "
                  "far as it is known. In this run the work is %s or less, but not below %s. "
                  "Without libprof it may be less still, because both use the caches.",
                  100 * ratio(own.own, own.samples), cost_text(g->p, m->work, b),
                  cost_text(g->p, profile_ns(g->p, paths_work_at_least(&own, g->t->work_cost)), c));
    print_bounds(g);
    text_outliers(g);
    text_waited(g);
}

void text_notes(const struct text_page *g)
{
    static const char *const titles[] = {
        [LPF_NOTE_LOWER_BOUND] = "lower bound",
        [LPF_NOTE_LOSS] = "LOST",
        [LPF_NOTE_NOT_EXACT] = "not exact",
        [LPF_NOTE_EXECUTED] = "as executed",
    };
    char b[FORMAT_SIZE];
    char *lacking = names_lacking(g->m->symbols);
    size_t shown = lacking != 0;
    for (size_t i = 0; i < g->p->note_count; i++)
        shown += g->p->notes[i].kind != LPF_NOTE_DAG;
    if (shown)
        heading(g, "Notes");
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_DAG)
            continue;           /* prof predict prints it */
        bool plain = n->kind == LPF_NOTE_HINT || n->kind == LPF_NOTE_EXECUTED;
        const char *title = n->kind < sizeof titles / sizeof *titles ? titles[n->kind] : 0;
        paragraph(g, plain ? "-" : "!", "%s: %s (%s): %s", title ? title : "note",
                  profile_string(g->p, n->name), format_count(n->count, b),
                  profile_string(g->p, n->text));
    }
    if (lacking)
        paragraph(g, "-", "Names are missing for %s. --symbols DIR or DEBUGINFOD_URLS brings them.",
                  lacking);
    free(lacking);
}
