/* text_costs.c - the figures of the whole program: the parallelism profile, the estimate of the
 * speedup, and where the time of its worker slots went.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/ledger.h"
#include "analysis/limits.h"
#include "analysis/model.h"
#include "base/format.h"
#include "output/cost.h"
#include "output/table.h"
#include "output/text_page.h"
#include "profile/profile.h"

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

void text_bounds(const struct text_page *g)
{
    if (g->t->exact)
        return;
    size_t size = 0;
    char *list = NULL, b[FORMAT_SIZE];
    FILE *f = format_memory(open_memstream(&list, &size));
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND || n->kind == LPF_NOTE_NOT_EXACT)
            fprintf(f, "%s %s (%s)", ftell(f) ? "," : "", profile_string(g->p, n->name),
                    format_count(n->count, b));
    }
    fclose(f);
    if (certainty_span(g->m) == CERTAIN_NOT)
        paragraph(g, "!", "span is NOT EXACT:%s. Parallelism and speedup may be lower or higher.",
                  list);
    else
        paragraph(g, "!",
                  "span is a LOWER BOUND:%s. Parallelism and speedup may be lower than shown.",
                  size ? list : " see what was lost, below");
    free(list);
}

void text_short_strands(const struct text_page *g)
{
    struct limits l;
    limits_new(&l, g->m, g->paths);
    if (!l.short_strands)
        return;
    char limit[80] = "";
    if (g->t->ns_num)
        snprintf(limit, sizeof limit, " (about %.0f ns, at 3 instructions a ns)", SHORT_STRAND_NS);
    paragraph(
        g, "!",
        "The average maximal strand has less of the program's own code than %d instructions%s: "
        "spawning costs a good part of the time. End the recursion earlier, or make the grain "
        "larger.",
        SHORT_STRAND_INSTRUCTIONS, limit);
}

static void certain_line(const struct text_page *g, const char *name, enum certainty c,
                         const char *value)
{
    char *text = format_text("%s (%s)", value, certainty_names[c]);
    text_line(g, name, text);
    free(text);
}

void text_profile(const struct text_page *g)
{
    const struct model *m = g->m;
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], text[160];
    double all = profile_slots_ns(g->p), idle = profile_idle_ns(g->p);
    heading(g, "1) Parallelism profile");
    if (!t->ns_num) {
        snprintf(text, sizeof text, "costs are in units of the clock: %s",
                 profile_string(g->p, t->clock));
        paragraph(g, "", "%s", text);
    }
    enum certainty span = certainty_span(m);
    const char *mark = span == CERTAIN_NOT           ? "Span (NOT EXACT)"
                       : span == CERTAIN_LOWER_BOUND ? "Span (LOWER BOUND)"
                                                     : "Span";
    certain_line(g, "Work", CERTAIN_EXACT, cost_text(g->p, m->work, b));
    certain_line(g, mark, span, cost_text(g->p, m->span, b));
    certain_line(g, "Burdened span", CERTAIN_ESTIMATED, cost_text(g->p, m->burdened_span, b));
    certain_line(g, "Parallelism", certainty_of_ratio(span), format_ratio(m->parallelism, b));
    if (model_loops_divide(m))
        certain_line(g, "Same, loops divided", certainty_of_ratio(certainty_divisible(m)),
                     format_ratio(m->divisible_parallelism, b));
    certain_line(g, "Burdened parallelism", CERTAIN_ESTIMATED,
                 format_ratio(m->burdened_parallelism, b));
    text_line(g, "Spawns", format_count(t->spawns, b));
    text_line(g, "Syncs", format_count(t->syncs, b));
    text_line(g, "Average maximal strand", cost_text(g->p, m->average_strand, b));
    text_line(g, "Tasks", format_count(t->tasks, b));
    text_line(g, "Steals", format_count(t->steals, b));
    print_burden(g);
    snprintf(text, sizeof text, "%s of %s worker time (%.1f %%)", format_ns(idle, b),
             format_ns(all, c), 100 * ratio(idle, all));
    text_line(g, "Idle", text);
    snprintf(text, sizeof text, "%s (estimated; not in the above)", format_ns(t->own_ns, b));
    text_line(g, "Profiler overhead", text);
    text_bounds(g);
    text_short_strands(g);
}

void text_notes(const struct text_page *g)
{
    static const char *const title[] = {
        "note", "lower bound", "LOST", "note", "note", "not exact"
    };
    char b[FORMAT_SIZE];
    size_t shown = 0;
    for (size_t i = 0; i < g->p->note_count; i++)
        shown += g->p->notes[i].kind != LPF_NOTE_DAG;
    if (shown)
        heading(g, "Notes");
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_DAG)
            continue;           /* prof predict's */
        paragraph(g, n->kind == LPF_NOTE_HINT ? "-" : "!", "%s: %s (%s): %s",
                  title[n->kind < 6 ? n->kind : 0], profile_string(g->p, n->name),
                  format_count(n->count, b), profile_string(g->p, n->text));
    }
}

void text_speedup(const struct text_page *g)
{
    unsigned p[16], n = model_processors(g->m, p, 16);
    if (!g->t->span_cost)
        return;
    heading(g, "2) Speedup estimate");
    bool divides = model_loops_divide(g->m);
    fprintf(g->out, "  processors     lower - upper%s\n", divides ? "   loops divided" : "");
    for (unsigned i = 0; i < n; i++) {
        fprintf(g->out, "  %10u  %8.2f - ", p[i], model_lower(g->m, p[i]));
        if (divides)
            fprintf(g->out, "%-8.2f%12.2f\n", model_upper(g->m, p[i]),
                    model_upper_divided(g->m, p[i]));
        else
            fprintf(g->out, "%.2f\n", model_upper(g->m, p[i]));
    }
    if (divides)
        paragraph(g, "",
                  "lower and upper are of the loops as they were cut for %u worker%s. A runtime "
                  "cuts them finer for more: \"loops divided\" is the upper bound of the loops' "
                  "iterations, estimated: each costs the mean of its chunk.",
                  g->t->workers, g->t->workers == 1 ? "" : "s");
    paragraph(
        g, "",
        "lower: T1 / (T1/P + 2 x %.2f x burdened span), what a work-stealing scheduler reaches "
        "(estimated); "
        "upper: min(P, parallelism), what none can exceed with tasks like these. Waiting for locks "
        "and the like is not "
        "in the span: where tasks exclude each other, expect less.",
        SPAN_COEFFICIENT);
}

/* ---- where the time went ---- */

/* The ledger's rows are differences of the threads' own clocks, which add up by construction; what
 * the kernel counted does not come from them, and has what ran before and after them, too. */
static void print_check(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], e[FORMAT_SIZE];
    double on_cpu = g->m->work + t->dispatch_ns + t->search_ns + t->own_ns,
           before = profile_cpu_before_ns(g->p), outside = profile_cpu_outside_ns(g->p),
           rest = t->cpu_ns - before - outside;
    const char *start = "Check: work, overhead, searching and libprof are on the CPU";
    format_ns(on_cpu, a);
    format_ns(t->cpu_ns, b);
    if (before + outside <= 0 || rest <= 0) {
        paragraph(g, "",
                  "%s, %s together; the kernel counted %s for the process (%+.1f %%), from its "
                  "exec on: what it needed before libprof recorded is in no row, and this profile "
                  "does not say how much that was.",
                  start, a, b, 100 * (on_cpu / t->cpu_ns - 1));
        return;
    }
    paragraph(
        g, "",
        "%s, %s together. The kernel counted %s for the process. %s of that was over before "
        "libprof started (exec, the loader), %s was libprof's start and its writing of the "
        "profile, both in no row; %s is left (%+.1f %%).",
        start, a, b, format_ns(before, c), format_ns(outside, d), format_ns(rest, e),
        100 * (on_cpu / rest - 1));
    if (on_cpu < 0.99 * rest)
        paragraph(g, "",
                  "%s is in no row: what threads need to start and to end (in the kernel, the C "
                  "library and libprof), and threads that ran no strands.",
                  format_ns(rest - on_cpu, a));
    else if (on_cpu > 1.01 * rest)
        paragraph(
            g, "",
            "%s too much is in the rows: time off the CPU that the clock took for time on it.",
            format_ns(on_cpu - rest, a));
}

/* P x elapsed, closed: what the threads did, and what slots no thread was there for. Where there
 * were more threads than slots, some of which can only have waited for the CPU, it is the threads'
 * time instead. */
void text_ledger(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    if (!t->ns_num || !strcmp(profile_string(g->p, t->clock), "virtual") || !t->elapsed_ns)
        return;
    static const struct table_column columns[] = {
        { "%", 0, TABLE_NUMBER, 0 },
        { "time", 0, TABLE_NUMBER, 0 },
        { "what", 0, TABLE_WORDS, 0 },
        { "known", 0, TABLE_WORDS, 1 },
    };
    const struct ledger l = ledger_of(g->m, g->paths);
    double slots = (double)t->elapsed_ns * t->workers, all = l.all;
    bool crowd = l.crowd;
    struct { double ns; const char *what, *how; } rows[] = {
        { l.work, "work: the program's own code",
          g->paths && g->p->sample_count ? "total exact, less sampled overhead" : "exact" },
        { l.inside, "overhead: the runtime inside strands", "sampled" },
        { l.between, "overhead: the runtime between strands", "the rest there" },
        { l.search, "idle: searching for work", "exact" },
        { l.sleep - l.ready, "idle: asleep", l.ready > 0 ? "the rest off the CPU" : "exact" },
        { l.ready, "idle: ready, others had the processors", "estimated" },
        { l.blocked, "blocked or preempted inside strands", "exact" },
        { l.own, "libprof itself", "in strands the rest, between them estimated" },
        { l.absent, "worker slots without a thread", "exact" },
    };
    enum { ROWS = sizeof rows / sizeof rows[0], READY = 5 };
    heading(g, crowd ? "Where the time went (all threads' time)"
                     : "Where the time went (worker slots x elapsed)");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < ROWS; i++) {
        char percent[FORMAT_SIZE], time[FORMAT_SIZE];
        if (i + 1 == ROWS && crowd)
            break;
        if (i == READY && l.ready <= 0)
            continue;
        snprintf(percent, sizeof percent, "%.1f", 100 * rows[i].ns / all);
        table_add(table, percent);
        table_add(table, format_short_ns(rows[i].ns, time));
        table_add(table, rows[i].what);
        table_add(table, rows[i].how);
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    if (crowd) {
        char time[FORMAT_SIZE];
        paragraph(
            g, "",
            "There were more threads than worker slots: %.3g times the %s of %u slots x elapsed.",
            all / slots, format_ns(slots, time), t->workers);
    }
    if (t->cpu_ns && !strcmp(profile_string(g->p, t->clock), "tsc"))
        print_check(g);
    if (t->blocked_ns > 0.01 * all && strcmp(g->o->metric, "blocked"))
        paragraph(g, "", "--metric blocked --paths shows where strands were off the CPU.");
}
