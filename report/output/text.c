/* text.c - the report for people, in Cilkview's order: what limits the program, the parallelism
 * profile, the speedup estimate; then the spawn sites, as Cilkprof measures them, and the regions.
 * Widths follow the terminal; everything that came from a file is cleaned before it is printed.
 */
#define _GNU_SOURCE
#include "output/text.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "analysis/scenarios.h"
#include "base/format.h"
#include "output/cost.h"
#include "output/options.h"
#include "output/page.h"
#include "output/table.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/symbols.h"

/* What every section needs. */
struct page {
    const struct model *m;
    const struct paths *paths;  /* or NULL */
    const struct profile *p;
    const struct lpf_totals *t;
    const struct options *o;
    FILE *out;
};

#define heading(g, text) page_heading((g)->out, (g)->o, text)
#define paragraph(g, ...) page_paragraph((g)->out, (g)->o, __VA_ARGS__)

/* What VALUE says in brackets, or of what it is, goes below it where there is no room. */
static void line(const struct page *g, const char *name, const char *value)
{
    enum { NAME = 24, BEFORE = 2 + NAME + 1 };
    const char *rest = strstr(value, " (");
    if (rest && BEFORE + rest - value > g->o->width && strstr(value, " of "))
        rest = strstr(value, " of ");
    int below = rest ? g->o->width - format_width(rest + 1) : 0;
    if (rest && BEFORE + format_width(value) > g->o->width)
        fprintf(g->out, "  %-*s %.*s\n%*s%s\n", NAME, name, (int)(rest - value), value, below < BEFORE ? below : BEFORE, "", rest + 1);
    else
        fprintf(g->out, "  %-*s %s\n", NAME, name, value);
}

/* "name.cpp:12": the directory is in the JSON and the CSV. Without lines MODULE+0xOFFSET. */
static char *place_of(const struct row *r)
{
    const char *base = r->file ? strrchr(r->file, '/') : 0;
    if (r->file)
        return format_text("%s:%d", base ? base + 1 : r->file, r->line);
    return format_text("%s", r->code && strcmp(r->code, r->function) ? r->code : "");
}

/* The function; "+0x12" behind it when that is all we know of the place. */
static char *function_of(const struct row *r)
{
    if (r->file || r->root || !r->offset || (r->code && strcmp(r->code, r->function)))
        return format_text("%s", r->function);
    char *plain = name_plain(r->function);
    char *text = format_text("%s+0x%llx", plain, (unsigned long long)r->offset);
    free(plain);
    return text;
}

/* ---- header, summary ---- */

static void print_state(const struct page *g)
{
    if (g->p->flags & LPF_F_CRASHED)
        paragraph(g, "!", "CRASHED: the program was killed or aborted; figures are up to that moment");
    else if (g->p->flags & LPF_F_CHECKPOINT)
        paragraph(g, "!", "CHECKPOINT: the program had not ended; figures are up to the last checkpoint");
}

/* A merged file's figures are no program's: which are sums, which maxima. */
static void print_merged(const struct page *g)
{
    const struct lpf_input *in = g->p->inputs, *longest = in;
    size_t n = g->p->input_count, commands = 1, crashed = 0, running = 0;
    uint64_t profiles = 0, spans = 0;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (!n)
        return;
    for (size_t i = 0; i < n; i++) {
        profiles += in[i].profiles;
        spans += in[i].span_cost <= UINT64_MAX - spans ? in[i].span_cost : UINT64_MAX - spans;
        longest = in[i].span_cost > longest->span_cost ? &in[i] : longest;
        crashed += (in[i].flags & LPF_F_CRASHED) != 0;
        running += !(in[i].flags & LPF_F_CRASHED) && in[i].flags & LPF_F_CHECKPOINT;
        commands += strcmp(profile_string(g->p, in[i].cmdline), profile_string(g->p, in[0].cmdline)) != 0;
    }
    if (in->mode == LPF_MERGE_RUNS) {
        paragraph(g, "!", "MERGED from %zu run%s, as if one after the other: work, span, times and counts are SUMS over them. A run has on average work %s, "
                  "span %s, elapsed %s. Parallelism, shares and bounds are those of the average run.", n, n == 1 ? "" : "s",
                  cost_text(g->p, g->m->work / n, a), cost_text(g->p, g->m->span / n, b), format_ns((double)g->t->elapsed_ns / n, c));
    } else {
        char *name = format_clean(profile_string(g->p, longest->name));
        paragraph(g, "!", "MERGED from %zu process%s: work, times of threads and counts are SUMS. The span, and all that is said of the critical path, is "
                  "that of the LONGEST (%s, pid %u): the processes' order is not known, so that of them all together is between this and the "
                  "sum of their spans, %s. Elapsed is the time in which any of them lived, workers the most slots at one time.", n,
                  n == 1 ? "" : "es side by side", name, longest->pid, cost_text(g->p, profile_ns(g->p, spans), a));
        free(name);
    }
    if (profiles > n)
        paragraph(g, "", "Some of these were merged before: %s profiles in all.", format_count(profiles, a));
    if (commands > 1)
        paragraph(g, "", in->mode == LPF_MERGE_RUNS ? "Not all are runs of the command that is named above." : "Not all have the command that is named above.");
    if (crashed || running)
        paragraph(g, "!", "%zu of them crashed, %zu had not ended.", crashed, running);
}

static void print_header(const struct page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], when[64] = "at an unknown time";
    time_t start = t->start_unix_ns / 1000000000u;
    struct tm tm;
    if (start && localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    char *command = format_clean(profile_string(g->p, t->cmdline)[0] ? profile_string(g->p, t->cmdline)
                                                                     : profile_string(g->p, t->exe));
    format_fit(command, g->o->width - 9);
    fprintf(g->out, g->o->color ? "libprof: \033[1m%s\033[0m\n" : "libprof: %s\n", command);
    free(command);
    char how[64] = "";
    if (t->end == LPF_END_SIGNAL)
        snprintf(how, sizeof how, ", killed by SIG%s",
                 sigabbrev_np(t->exit_status) ? sigabbrev_np(t->exit_status) : "?");
    else if (t->end == LPF_END_EXEC)
        snprintf(how, sizeof how, ", replaced itself (exec)");
    else if (t->end != LPF_END_RUNNING)
        snprintf(how, sizeof how, ", exit status %u", t->exit_status);
    const char *detail = profile_setting(g->p, "clock");
    if (g->p->input_count)
        paragraph(g, "", "%s", when);
    else
        paragraph(g, "", "%s, pid %u%s", when, t->pid, how);
    paragraph(g, "", "%u worker%s, %s elapsed, %s CPU, clock %s%s%s%s", t->workers, t->workers == 1 ? "" : "s",
              format_ns(t->elapsed_ns, a), format_ns(t->cpu_ns, b), profile_string(g->p, t->clock),
              *detail ? " (" : "", detail, *detail ? ")" : "");
    print_merged(g);
    if (!g->p->input_count)
        print_state(g);
}

static void print_heaviest(const struct page *g)
{
    const struct row *r = model_heaviest(g->m);
    if (!r)
        return;
    if (r->root) {
        paragraph(g, "", "%.1f %% of the critical path is the program's own code, outside every task: serial "
                  "code between the parallel constructs.", 100 * r->share);
        return;
    }
    char *function = function_of(r), *name = name_fit(function, 60), *place = place_of(r);
    paragraph(g, "", "%.1f %% of the critical path is in tasks of %s at %s%s%s%s.", 100 * r->share,
              *r->construct ? r->construct : "the site", name, *place ? " (" : "", place, *place ? ")" : "");
    free(function);
    free(name);
    free(place);
}

/* Parallelism that was given to threads once and for all is not the program's: nobody should take it for a limit. */
static void print_as_executed(const struct page *g)
{
    double share = 0, work = 0, span = 0;
    for (size_t i = 0; i < g->m->row_count; i++) {
        const struct row *r = &g->m->rows[i];
        if (!r->as_executed)
            continue;
        share += r->share;
        work += r->local.work;
        span += r->local.span;
    }
    if (share < 0.1 || span <= 0)
        return;
    char a[FORMAT_SIZE];
    paragraph(g, "", "%.1f %% of the critical path is in parallel regions as their threads executed them. What a thread executes by itself there "
              "is one strand: a block of its own (single, master), its share of a static loop, a chunk of another. So their parallelism, %s, says "
              "how well %u thread%s %s used, not what the code would allow, and the bounds below are those of this decomposition. Less than the "
              "number of threads is imbalance, or code that one thread executes for all. If there are loops in them, they may be more parallel than "
              "that: small chunks (schedule(dynamic, ...)) or tasks would show it.", 100 * share, format_ratio(work / span, a),
              g->t->workers, g->t->workers == 1 ? "" : "s", g->t->workers == 1 ? "is" : "are");
}

/* Strands that exclude each other are parallel in the dag, and are not on the machine: parallelism alone would be praise. */
static void print_exclusion(const struct page *g)
{
    double waits = 0, all = fmax((double)g->t->elapsed_ns * g->t->workers, (double)g->t->threads_ns);
    const struct row *longest = 0;
    for (size_t i = g->m->wait_count; i-- > 0;)
        if (!g->m->waits[i].in_order) {
            longest = &g->m->waits[i];
            waits += profile_ns(g->p, longest->top.work);
        }
    if (!longest || ratio(waits, all) < 0.1)
        return;
    char a[FORMAT_SIZE], *function = function_of(longest), *name = name_fit(function, 60), *place = place_of(longest);
    paragraph(g, "", "Strands waited %s, %.0f %% of the worker time, to get in where one at a time may be, longest in %s (%s%s%s). "
              "Parallelism and span do not have that: they say what is left when nobody excludes anybody.", format_ns(waits, a),
              100 * ratio(waits, all), name, place, *place ? ", " : "", longest->construct);
    free(function);
    free(name);
    free(place);
}

/* The program's function below which strands were blocked most, by the looks at them, and how long; NULL: nobody looked. */
static const struct path_node *waits_most(const struct page *g, double *ns)
{
    enum { MOST = 256 };
    struct { const struct path_node *in; double ns; } found[MOST];
    size_t count = 0, most = 0;
    for (size_t i = 1; g->paths && g->paths->looks && i < g->paths->node_count; i++) {
        const struct path_node *n = &g->paths->nodes[i];
        if (!n->self.blocked || *n->function == '[')
            continue;
        double here = n->self.blocked;
        while (n->parent && path_is_system(n->module))
            n = &g->paths->nodes[n->parent];
        size_t at = 0;
        while (at < count && found[at].in->function != n->function)
            at++;
        if (at == MOST)
            continue;
        if (at == count) {
            found[count].in = n;
            found[count++].ns = 0;
        }
        found[at].ns += here;
        if (found[at].ns > found[most].ns)
            most = at;
    }
    *ns = count ? found[most].ns : 0;
    return count ? found[most].in : 0;
}

/* Whether strands that were off the CPU waited, or had none: to be freed. */
static char *why_blocked(const struct page *g)
{
    static const char waited[] = "they waited, for locks, condition variables, input and output",
                      had_none[] = "other threads and programs had the processors";
    char b[FORMAT_SIZE];
    uint64_t delay;
    if (!profile_run_delay_ns(g->p, &delay))
        return format_text("%s, or %s", waited, had_none);
    double share = ratio(delay, g->t->blocked_ns);
    if (share < 0.1)
        return format_text("%s", waited);
    if (share > 0.9)
        return format_text("they could have run, but %s", had_none);
    return format_text("for %s they could have run, but %s; else %s", format_ns(delay, b), had_none, waited);
}

/* Strands that wait for each other, or for the CPU, are parallel in the dag as well. */
static void print_blocked(const struct page *g)
{
    const struct profile *p = g->p;
    double all = fmax((double)g->t->elapsed_ns * g->t->workers, (double)g->t->threads_ns), most = -1;
    if (ratio(g->t->blocked_ns, all) < 0.1)
        return;
    double *of = format_memory(calloc(p->site_count + 1, sizeof *of)), own = g->t->blocked_ns;
    for (size_t i = 0; i < p->context_count; i++)
        if (p->contexts[i].site < p->site_count) {
            of[p->contexts[i].site] += p->contexts[i].blocked_ns;
            own -= p->contexts[i].blocked_ns;
        }
    const struct row *where = 0;
    for (size_t i = 0; i < g->m->row_count; i++) {
        const struct row *r = &g->m->rows[i];
        double here = r->root ? own : 0;
        for (uint32_t s = r->first; s < p->site_count; s = g->m->next_site[s])
            here += of[s];
        if (here > most) {
            most = here;
            where = r;
        }
    }
    free(of);
    char a[FORMAT_SIZE], *place = 0;
    if (where && !where->root) {
        char *function = function_of(where), *name = name_fit(function, 60), *line = place_of(where);
        place = format_text("in tasks of %s at %s%s%s%s", *where->construct ? where->construct : "the site", name, *line ? " (" : "", line, *line ? ")" : "");
        free(function);
        free(name);
        free(line);
    }
    char *why = why_blocked(g);
    paragraph(g, "", "Strands were off the CPU for %s, %.0f %% of the worker time, %.0f %% of that %s: %s. Parallelism and span do not have that.",
              format_ns(g->t->blocked_ns, a), 100 * ratio(g->t->blocked_ns, all), 100 * ratio(fmax(most, 0), g->t->blocked_ns),
              place ? place : "outside every task", why);
    free(why);
    free(place);
    double ns;
    const struct path_node *in = waits_most(g, &ns);
    if (!in)
        return;
    char *name = name_fit(in->function, 60), *file = in->file ? format_clean(in->file) : 0;
    const char *base = file ? strrchr(file, '/') : 0;
    place = file ? format_text(" (%s:%d)", base ? base + 1 : file, in->line) : format_text("%s", "");
    paragraph(g, "", "The largest part of it, %s, was in %s%s and what it called.", format_ns((uint64_t)ns, a), name, place);
    free(place);
    free(name);
    free(file);
}

/* Is A less than B, and does it read so? 1.9997 of 2 threads reads "2.00", and is all of them. */
static bool reads_less(double a, double b)
{
    char one[FORMAT_SIZE], other[FORMAT_SIZE];
    return a < b && strcmp(format_ratio(a, one), format_ratio(b, other)) != 0;
}

/* In plain words: what limits this program. */
static void print_summary(const struct page *g)
{
    const struct model *m = g->m;
    unsigned p = g->t->workers ? g->t->workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!g->t->tasks && !g->t->spawns) {
        paragraph(g, "", "No tasks were seen: nothing to say about its parallelism. `prof doctor PROGRAM` "
                  "tells whether libprof can see the program's runtime.");
        return;
    }
    if (!g->t->span_cost) {
        paragraph(g, "", "No cost was measured: work and span are 0.");
        return;
    }
    format_ratio(m->parallelism, a);
    if (m->parallelism < 1.05)
        paragraph(g, "", "It is serial: work and span are nearly the same.");
    else if (reads_less(m->parallelism, p))
        paragraph(g, "", "Parallelism %s is less than its %u worker%s: some of them must idle.", a, p, plural);
    else if (reads_less(m->parallelism, 10.0 * p))
        paragraph(g, "", "Parallelism %s is less than ten times its %u worker%s: load balance begins to cost, "
                  "and no machine runs it more than %s times as fast as one core. Shorten the critical path.",
                  a, p, plural, a);
    else
        paragraph(g, "", "Parallelism %s is ample for %u worker%s (ten times as much, or more).", a, p, plural);
    if (m->burdened_parallelism * 2 < m->parallelism)
        paragraph(g, "", "With the cost of steals counted only %s of it is left: the tasks are too fine "
                  "grained to be worth stealing.", format_ratio(m->burdened_parallelism, b));
    print_exclusion(g);
    print_blocked(g);
    print_heaviest(g);
    print_as_executed(g);
}

/* ---- 1) ---- */

static void print_burden(const struct page *g)
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
    line(g, "Burden of a steal", text);
}

static void print_bounds(const struct page *g)
{
    if (g->t->exact)
        return;
    size_t size = 0;
    char *list = NULL, b[FORMAT_SIZE];
    FILE *f = format_memory(open_memstream(&list, &size));
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND)
            fprintf(f, "%s %s (%s)", ftell(f) ? "," : "", profile_string(g->p, n->name), format_count(n->count, b));
    }
    fclose(f);
    paragraph(g, "!", "span is a LOWER BOUND:%s. Parallelism and speedup may be lower than shown.",
              size ? list : " see what was lost, below");
    free(list);
}

static void print_short_strands(const struct page *g)
{
    if (!g->m->short_strands)
        return;
    char limit[80] = "";
    if (g->t->ns_num)
        snprintf(limit, sizeof limit, " (about %.0f ns, at 3 instructions a ns)", SHORT_STRAND_NS);
    paragraph(g, "!", "The average maximal strand is below %d instructions%s: spawning costs a good part of "
              "the time. End the recursion earlier, or make the grain larger.",
              SHORT_STRAND_INSTRUCTIONS, limit);
}

static void print_profile(const struct page *g)
{
    const struct model *m = g->m;
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], text[160];
    double all = profile_slots_ns(g->p), idle = profile_idle_ns(g->p);
    heading(g, "1) Parallelism profile");
    if (!t->ns_num) {
        snprintf(text, sizeof text, "costs are in units of the clock: %s", profile_string(g->p, t->clock));
        paragraph(g, "", "%s", text);
    }
    line(g, "Work", cost_text(g->p, m->work, b));
    line(g, t->exact ? "Span" : "Span (LOWER BOUND)", cost_text(g->p, m->span, b));
    line(g, "Burdened span", cost_text(g->p, m->burdened_span, b));
    line(g, "Parallelism", format_ratio(m->parallelism, b));
    line(g, "Burdened parallelism", format_ratio(m->burdened_parallelism, b));
    line(g, "Spawns", format_count(t->spawns, b));
    line(g, "Syncs", format_count(t->syncs, b));
    line(g, "Average maximal strand", cost_text(g->p, m->average_strand, b));
    line(g, "Tasks", format_count(t->tasks, b));
    line(g, "Steals", format_count(t->steals, b));
    print_burden(g);
    snprintf(text, sizeof text, "%s of %s worker time (%.1f %%)", format_ns(idle, b), format_ns(all, c), 100 * ratio(idle, all));
    line(g, "Idle", text);
    snprintf(text, sizeof text, "%s (estimated; not in the above)", format_ns(t->own_ns, b));
    line(g, "libprof's own time", text);
    print_bounds(g);
    print_short_strands(g);
}

static void print_notes(const struct page *g)
{
    static const char *const title[] = { "note", "lower bound", "LOST", "note" };
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
        paragraph(g, n->kind == LPF_NOTE_HINT ? "-" : "!", "%s: %s (%s): %s", title[n->kind < 4 ? n->kind : 0],
                  profile_string(g->p, n->name), format_count(n->count, b), profile_string(g->p, n->text));
    }
}

/* ---- 2) ---- */

static void print_speedup(const struct page *g)
{
    unsigned p[16], n = model_processors(g->m, p, 16);
    if (!g->t->span_cost)
        return;
    heading(g, "2) Speedup estimate");
    fprintf(g->out, "  processors     lower - upper\n");
    for (unsigned i = 0; i < n; i++)
        fprintf(g->out, "  %10u  %8.2f - %.2f\n", p[i], model_lower(g->m, p[i]), model_upper(g->m, p[i]));
    paragraph(g, "", "lower: T1 / (T1/P + 2 x %.2f x burdened span), what a work-stealing scheduler reaches; "
              "upper: min(P, parallelism), what none can exceed. Waiting for locks and the like is not in the "
              "span: where tasks exclude each other, expect less.", SPAN_COEFFICIENT);
}

/* ---- 3) ---- */

static size_t shown_rows(const struct page *g)
{
    return g->o->limit && g->o->limit < g->m->row_count ? g->o->limit : g->m->row_count;
}

static void add_count(struct table *t, uint64_t v)
{
    char b[FORMAT_SIZE];
    table_add(t, format_count(v, b));
}

static void add_cost(const struct page *g, struct table *t, uint64_t cost)
{
    char b[FORMAT_SIZE];
    table_add(t, cost_short_text(g->p, profile_ns(g->p, cost), b));
}

static void add_ratio(struct table *t, double a, double b)
{
    char text[FORMAT_SIZE];
    table_add(t, format_ratio(ratio(a, b), text));
}

/* Function, place, construct: the last columns of every table of sites. */
static void add_place(struct table *t, const struct row *r)
{
    char *function = function_of(r), *place = place_of(r);
    char *construct = format_text("%s%s", r->construct, r->lower_bound ? " *" : r->as_executed ? " +" : "");
    table_add(t, function);
    table_add(t, place);
    table_add(t, construct);
    free(function);
    free(place);
    free(construct);
}

static void finish_sites(const struct page *g, struct table *t)
{
    bool bound = false, executed = false;
    table_print(t, g->out, g->o->width);
    table_free(t);
    size_t n = shown_rows(g);
    for (size_t i = 0; i < n; i++)
        bound |= g->m->rows[i].lower_bound, executed |= g->m->rows[i].as_executed;
    if (n < g->m->row_count)
        paragraph(g, "", "... %zu more (--all)", g->m->row_count - n);
    if (bound)
        paragraph(g, "", "* the span of this construct is only a lower bound");
    if (executed)
        paragraph(g, "", "+ as its threads executed it: what a thread executes by itself is one strand, also its share of a static loop and a chunk of "
                  "another; a loop's own parallelism may be higher");
}

static void print_sites(const struct page *g)
{
    static const char span[] = "on span", work[] = "on work";
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },
        { "local span", span, TABLE_NUMBER, 1 },
        { "local work", span, TABLE_NUMBER, 9 },
        { "count", span, TABLE_NUMBER, 8 },
        { "work", span, TABLE_NUMBER, 11 },
        { "span", span, TABLE_NUMBER, 12 },
        { "par.", span, TABLE_NUMBER, 10 },
        { "work", work, TABLE_NUMBER, 2 },
        { "span", work, TABLE_NUMBER, 6 },
        { "par.", work, TABLE_NUMBER, 3 },
        { "executions", work, TABLE_NUMBER, 4 },
        { "tasks", work, TABLE_NUMBER, 13 },
        { "steals", work, TABLE_NUMBER, 7 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, "3) Spawn sites");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f", 100 * r->share);
        table_add(t, share);
        add_cost(g, t, r->on_local.span);
        add_cost(g, t, r->on_local.work);
        add_count(t, r->on_local.count);
        add_cost(g, t, r->on_top.work);
        add_cost(g, t, r->on_top.span);
        add_ratio(t, r->on_top.work, r->on_top.span);
        add_cost(g, t, r->top.work);
        add_cost(g, t, r->top.span);
        add_ratio(t, r->top.work, r->top.span);
        add_count(t, r->invocations);
        add_count(t, r->tasks);
        add_count(t, r->steals);
        add_place(t, r);
    }
    finish_sites(g, t);
    paragraph(g, "", "on span: invocations on the critical path only. work, span, par.: of a site's outermost "
              "invocations, with all they spawned; local: without what they spawned. %% span: local span as a "
              "share of the critical path.");
}

/* Cilkprof's figures 2, 7 and 10: one kind of measurement, on work and on span. */
static void print_measure(const struct page *g, const char *title, size_t work_at, size_t span_at)
{
    static const char work[] = "on work", span[] = "on span";
    static const struct table_column columns[] = {
        { "count", work, TABLE_NUMBER, 6 },
        { "T1", work, TABLE_NUMBER, 0 },
        { "Tinf", work, TABLE_NUMBER, 4 },
        { "T1/Tinf", work, TABLE_NUMBER, 1 },
        { "count", span, TABLE_NUMBER, 7 },
        { "T1", span, TABLE_NUMBER, 2 },
        { "Tinf", span, TABLE_NUMBER, 3 },
        { "T1/Tinf", span, TABLE_NUMBER, 5 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, title);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        const struct measure *kinds[] = { (const void *)((const char *)r + work_at),
                                          (const void *)((const char *)r + span_at) };
        for (int k = 0; k < 2; k++) {
            add_count(t, kinds[k]->count);
            add_cost(g, t, kinds[k]->work);
            add_cost(g, t, kinds[k]->span);
            add_ratio(t, kinds[k]->work, kinds[k]->span);
        }
        add_place(t, r);
    }
    finish_sites(g, t);
}

/* The inlined frames behind each site; the one that the tables show is marked. */
static void print_frames(const struct page *g)
{
    heading(g, "Frames of each site, innermost first");
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        bool marked = false;
        for (uint32_t site = r->first; site != LPF_NONE; site = g->m->next_site[site]) {
            char *place = place_of(r), *function = name_fit(r->function, g->o->width / 2);
            paragraph(g, "", "%s %s %s:", function, place, r->construct);
            free(place);
            free(function);
            marked = false;
            for (int a = 0; a < 4 && g->p->sites[site].address[a]; a++) {
                struct frame f[MODEL_FRAMES];
                uint64_t address = g->p->sites[site].address[a];
                size_t n = symbols_lookup(g->m->symbols, address - 1, f, MODEL_FRAMES);
                for (size_t k = 0; k < n; k++) {
                    bool mark = !marked && !f[k].nameless && !symbols_library(&f[k]);
                    marked |= mark;
                    char *name = name_fit(f[k].function, g->o->width - 24);
                    char *file = format_clean(f[k].file ? f[k].file : "");
                    fprintf(g->out, "  %c %#14llx %s\n", mark ? '>' : ' ', (unsigned long long)address, name);
                    format_fit(file, g->o->width - 32);
                    if (*file)
                        fprintf(g->out, "%23s%s:%d\n", "", file, f[k].line);
                    free(name);
                    free(file);
                }
            }
        }
    }
}

/* ---- where the time went ---- */

/* The ledger's rows are differences of the threads' own clocks, which add up by construction; what the kernel counted does not come from
 * them, and has what ran before and after them, too. */
static void print_check(const struct page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], e[FORMAT_SIZE];
    double on_cpu = g->m->work + t->dispatch_ns + t->search_ns + t->own_ns, before = profile_cpu_before_ns(g->p),
           outside = profile_cpu_outside_ns(g->p), rest = t->cpu_ns - before - outside;
    const char *start = "Check: work, overhead, searching and libprof are on the CPU";
    format_ns(on_cpu, a);
    format_ns(t->cpu_ns, b);
    if (before + outside <= 0 || rest <= 0) {
        paragraph(g, "", "%s, %s together; the kernel counted %s for the process (%+.1f %%), from its exec on: what it needed before libprof "
                  "recorded is in no row, and this profile does not say how much that was.", start, a, b, 100 * (on_cpu / t->cpu_ns - 1));
        return;
    }
    paragraph(g, "", "%s, %s together. The kernel counted %s for the process. %s of that was over before libprof started (exec, the loader), %s was "
              "libprof's start and its writing of the profile, both in no row; %s is left (%+.1f %%).", start, a, b, format_ns(before, c),
              format_ns(outside, d), format_ns(rest, e), 100 * (on_cpu / rest - 1));
    if (on_cpu < 0.99 * rest)
        paragraph(g, "", "%s is in no row: what threads need to start and to end (in the kernel, the C library and libprof, some 20 us each), and "
                  "threads that ran no strands.", format_ns(rest - on_cpu, a));
    else if (on_cpu > 1.01 * rest)
        paragraph(g, "", "%s too much is in the rows: time off the CPU that the clock took for time on it.", format_ns(on_cpu - rest, a));
}

/* P x elapsed, closed: what the threads did, and what slots no thread was there for. Where there were more threads than slots, some of
 * which can only have waited for the CPU, it is the threads' time instead. */
static void print_ledger(const struct page *g)
{
    const struct lpf_totals *t = g->t;
    if (!t->ns_num || !strcmp(profile_string(g->p, t->clock), "virtual") || !t->elapsed_ns)
        return;
    static const struct table_column columns[] = {
        { "%", 0, TABLE_NUMBER, 0 }, { "time", 0, TABLE_NUMBER, 0 }, { "what", 0, TABLE_WORDS, 0 }, { "known", 0, TABLE_WORDS, 1 },
    };
    double slots = (double)t->elapsed_ns * t->workers, overhead = g->paths ? g->paths->total.overhead : 0;
    bool crowd = slots < t->threads_ns;
    double all = crowd ? t->threads_ns : slots;
    struct { double ns; const char *what, *how; } rows[] = {
        { g->m->work - overhead, "work: the program's own code", g->paths && g->p->sample_count ? "total exact, less sampled overhead" : "exact" },
        { overhead, "overhead: the runtime inside strands", "sampled" },
        { t->dispatch_ns, "overhead: the runtime between strands", "the rest there" },
        { t->search_ns, "idle: searching for work", "exact" },
        { t->sleep_ns, "idle: asleep", "exact" },
        { t->blocked_ns, "blocked or preempted inside strands", "exact" },
        { t->own_ns, "libprof itself", "in strands the rest, between them estimated" },
        { all - t->threads_ns, "worker slots without a thread", "exact" },
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    heading(g, crowd ? "Where the time went (all threads' time)" : "Where the time went (worker slots x elapsed)");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < ROWS; i++) {
        char percent[FORMAT_SIZE], time[FORMAT_SIZE];
        if (i + 1 == ROWS && crowd)
            break;
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
        paragraph(g, "", "There were more threads than worker slots: %.3g times the %s of %u slots x elapsed.", all / slots,
                  format_ns(slots, time), t->workers);
    }
    if (t->cpu_ns && !strcmp(profile_string(g->p, t->clock), "tsc"))
        print_check(g);
    if (t->blocked_ns > 0.01 * all && strcmp(g->o->metric, "blocked"))
        paragraph(g, "", "--metric blocked --paths shows where strands were off the CPU.");
}

/* ---- waits ---- */

static void print_waits(const struct page *g)
{
    static const struct table_column columns[] = {
        { "% idle", 0, TABLE_NUMBER, 0 }, { "waited", 0, TABLE_NUMBER, 0 }, { "times", 0, TABLE_NUMBER, 2 }, { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 }, { "to enter", 0, TABLE_TEXT, 1 },
    };
    size_t n = g->o->limit && g->o->limit < g->m->wait_count ? g->o->limit : g->m->wait_count;
    if (!g->m->wait_count)
        return;
    heading(g, "Waits for others to leave");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &g->m->waits[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f", 100 * ratio(profile_ns(g->p, r->top.work), (double)g->t->search_ns + g->t->sleep_ns));
        table_add(table, share);
        add_cost(g, table, r->top.work);
        add_count(table, r->top.count);
        add_place(table, r);
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    if (n < g->m->wait_count)
        paragraph(g, "", "... %zu more (--all)", g->m->wait_count - n);
    paragraph(g, "", "Exact, of waits of 500 ns or more; a part of the idle time above, searching or asleep. What ran meanwhile, the code inside, has "
              "it as its idleness below.");
}

/* ---- call paths ---- */

static void add_share(struct table *t, double part, double all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, all > 0 && part > 0 ? "%.1f" : "", 100 * ratio(part, all));
    table_add(t, text);
}

/* Half the 95 % interval, in points, of a share that HITS of ALL samples say. */
static void add_margin(struct table *t, uint64_t hits, uint64_t all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, hits ? "%.1f" : "", 100 * path_margin(hits, all));
    table_add(t, text);
}

/* A metric that has a column only when somebody asks for it; NULL: the usual four. */
static const char *extra_metric(const struct page *g)
{
    return !strcmp(g->o->metric, "blocked") ? "% blkd" : !strcmp(g->o->metric, "own") ? "% own" : 0;
}

/* COLUMNS, after the extra metric's: what table_new takes. OUT has one more. */
static struct table *path_table(const struct page *g, const struct table_column *columns, unsigned count,
                                struct table_column *out)
{
    const char *extra = extra_metric(g);
    if (!extra)
        return table_new(columns, count);
    out[0] = (struct table_column){ extra, columns[0].group, TABLE_NUMBER, 0 };
    memcpy(out + 1, columns, count * sizeof *columns);
    return table_new(out, count + 1);
}

/* The four metrics of C as shares of their totals; or of the effort, which is work, overhead and idleness
 * together (Tallent, figure 4). */
static void add_path_costs(const struct page *g, struct table *t, const struct path_cost *c, bool margin)
{
    const struct path_cost *all = &g->paths->total;
    if (extra_metric(g))
        add_share(t, path_metric(c, g->o->metric), path_metric(all, g->o->metric));
    add_share(t, c->span, all->span);
    if (margin)
        add_margin(t, c->on_span, all->on_span);
    if (g->o->effort) {
        double effort = all->work + all->idleness;
        add_share(t, c->work - c->overhead, effort);
        add_share(t, c->idleness, effort);
        add_share(t, c->overhead, effort);
        return;
    }
    add_share(t, c->work, all->work);
    add_share(t, c->idleness, all->idleness);
    add_share(t, c->overhead, all->work);
}

static void add_source(struct table *t, const char *file, int line)
{
    const char *base = file ? strrchr(file, '/') : 0;
    char *place = !file ? format_text("%s", "") : line ? format_text("%s:%d", base ? base + 1 : file, line)
                        : format_text("%s", base ? base + 1 : file);
    table_add(t, place);
    free(place);
}

static void explain_samples(const struct page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!t->samples) {
        paragraph(g, "", "There are no samples: costs stand at the spawn, in brackets.");
        return;
    }
    paragraph(g, "", "Totals are exact. Within a task work is split by %s sample%s, each share +- %.1f points at most, with 95 %% "
              "confidence.", format_count(g->paths->total.samples, a), g->paths->total.samples == 1 ? "" : "s",
              100 * path_margin(g->paths->total.samples / 2, g->paths->total.samples));
    if (g->paths->total.on_span)
        paragraph(g, "", "The span is split by the %s of them that hit the critical path, +- %.1f points.",
                  format_count(g->paths->total.on_span, b),
                  100 * path_margin(g->paths->total.on_span / 2, g->paths->total.on_span));
    else
        paragraph(g, "", "None of them hit the critical path: the span is split by spawn, in brackets. A longer run, or a higher "
                  "rate (PROF_SAMPLE), tells more.");
    uint64_t idle = llround(g->paths->idle_samples);
    if (g->paths->idle_scaled && t->workers > 1)
        paragraph(g, "", "The idle time is split by %s%s %s, +- %.1f points.", t->workers > 2 ? "at least " : "",
                  format_count(idle ? idle : 1, b), g->paths->looks ? "of them and looks at what was off the CPU" : "of them",
                  100 * path_margin(idle / 2, idle ? idle : 1));
    if (g->paths->looks && !strcmp(g->o->metric, "blocked"))
        paragraph(g, "", "Time off the CPU is split by %s looks, %u ms apart, +- %.1f points.", format_count(g->paths->looks, b), LPF_LOOK_NS / 1000000,
                  100 * path_margin(g->paths->looks / 2, g->paths->looks));
    if (t->samples_cut)
        paragraph(g, "", "%s samples have paths with unknown frames.", format_count(t->samples_cut, a));
}

static bool nothing(const struct page *g, const struct path_cost *c)
{
    return !c->span && !c->work && c->idleness <= 0 && !c->samples && path_metric(c, g->o->metric) <= 0;
}

static void print_functions(const struct page *g)
{
    static const char self[] = "self", all[] = "with callees";
    static const struct table_column columns[] = {
        { "% span", self, TABLE_NUMBER, 0 }, { "+-", self, TABLE_NUMBER, 1 }, { "% work", self, TABLE_NUMBER, 0 },
        { "% idle", self, TABLE_NUMBER, 0 }, { "% ovhd", self, TABLE_NUMBER, 4 },
        { "% span", all, TABLE_NUMBER, 2 }, { "% work", all, TABLE_NUMBER, 3 }, { "% idle", all, TABLE_NUMBER, 6 },
        { "par.", all, TABLE_NUMBER, 7 },
        { "function", 0, TABLE_NAME, 0 }, { "file", 0, TABLE_TEXT, 5 }, { "verdict", 0, TABLE_ADVICE, 1 },
    };
    heading(g, "Functions: span beside idleness");
    struct table_column room[sizeof columns / sizeof columns[0] + 1];
    struct table *t = path_table(g, columns, sizeof columns / sizeof columns[0], room);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < g->paths->function_count; i++) {
        const struct path_row *r = &g->paths->functions[i];
        if (nothing(g, &r->self))
            continue;
        if (g->o->limit && shown == g->o->limit) {
            more++;
            continue;
        }
        shown++;
        add_path_costs(g, t, &r->self, true);
        add_share(t, r->all.span, g->paths->total.span);
        add_share(t, r->all.work, g->paths->total.work);
        add_share(t, r->all.idleness, g->paths->total.idleness);
        add_ratio(t, r->all.work, r->all.span);
        table_add(t, r->function);
        add_source(t, r->file, 0);
        table_add(t, path_verdict(g->paths, &r->self));
    }
    table_print(t, g->out, g->o->width);
    const char *quotient = table_shows(t, "par.") ? " par.: work per span." : "";
    table_free(t);
    if (more)
        paragraph(g, "", "... %zu more (--all)", more);
    explain_samples(g);
    if (g->o->effort)
        paragraph(g, "", "%% work (without overhead), %% idle and %% ovhd are shares of the effort, their sum.");
    else
        paragraph(g, "", "%% idle: share of the idle time in which this was running elsewhere. %% ovhd: work in the runtime, called from "
              "here, of all work.%s", quotient);
}

static void print_lines(const struct page *g)
{
    static const struct table_column columns[] = {
        { "samples on span", 0, TABLE_NUMBER, 0 }, { "samples", 0, TABLE_NUMBER, 0 }, { "% of span samples", 0, TABLE_NUMBER, 1 },
        { "+-", 0, TABLE_NUMBER, 2 }, { "function", 0, TABLE_NAME, 0 }, { "file:line", 0, TABLE_TEXT, 0 },
    };
    heading(g, "Lines that samples hit");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    size_t n = g->o->limit && g->o->limit < g->paths->line_count ? g->o->limit : g->paths->line_count;
    for (size_t i = 0; i < n; i++) {
        const struct path_row *r = &g->paths->lines[i];
        add_count(t, r->self.on_span);
        add_count(t, r->self.samples);
        add_share(t, r->self.on_span, g->paths->total.on_span);
        add_margin(t, r->self.on_span, g->paths->total.on_span);
        table_add(t, r->function);
        add_source(t, r->file, r->line);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (n < g->paths->line_count)
        paragraph(g, "", "... %zu more (--all)", g->paths->line_count - n);
}

/* Paths that hold less than this of every metric are left out of trees. */
#define SMALL_PATH 0.005

static bool is_small(const struct page *g, const struct path_cost *c)
{
    const struct path_cost *all = &g->paths->total;
    return ratio(c->span, all->span) < SMALL_PATH && ratio(c->work, all->work) < SMALL_PATH &&
           ratio(c->idleness, all->idleness) < SMALL_PATH &&
           ratio(path_metric(c, g->o->metric), path_metric(all, g->o->metric)) < SMALL_PATH;
}

static const struct table_column tree_columns[] = {
    { "% span", 0, TABLE_NUMBER, 0 }, { "% work", 0, TABLE_NUMBER, 0 }, { "% idle", 0, TABLE_NUMBER, 0 },
    { "% ovhd", 0, TABLE_NUMBER, 2 }, { "par.", 0, TABLE_NUMBER, 3 }, { "path", 0, TABLE_TREE, 0 },
    { "file:line", 0, TABLE_TEXT, 1 },
};

static void add_tree_row(const struct page *g, struct table *t, const struct path_cost *c, unsigned depth,
                         const char *function, const char *file, int line)
{
    add_path_costs(g, t, c, false);
    add_ratio(t, c->work, c->span);
    char *text = format_text("%*s%s", depth < 40 ? (int)depth : 40, "", function);
    table_add(t, text);
    free(text);
    add_source(t, file, line);
}

struct ordered {
    uint32_t node;
    double value;
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return x->value < y->value ? 1 : x->value > y->value ? -1 : (x->node > y->node) - (x->node < y->node);
}

/* The tree in depth-first order, the largest child first; iterative, for paths may be deep. */
static void print_paths(const struct page *g)
{
    const struct paths *p = g->paths;
    size_t n = p->node_count, used = 0, left_out = 0;
    uint32_t *first = format_memory(calloc(n + 1, sizeof *first)), *child = format_memory(calloc(n + 1, sizeof *child));
    struct ordered *order = format_memory(calloc(n + 1, sizeof *order));
    struct { uint32_t node, depth; } *stack = format_memory(calloc(n + 1, sizeof *stack));
    /* children grouped by parent, each group sorted */
    for (size_t i = 1; i < n; i++)
        first[p->nodes[i].parent + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = 1; i < n; i++) {
        uint32_t parent = p->nodes[i].parent;
        order[first[parent] + child[parent]++] = (struct ordered){ i, path_metric(&p->nodes[i].all, g->o->metric) };
    }
    for (size_t i = 0; i < n; i++)
        if (child[i] > 1)
            qsort(&order[first[i]], child[i], sizeof *order, compare_ordered);
    heading(g, "Call paths, with all they called and spawned");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0], room);
    stack[used++].node = 0;
    while (used) {
        uint32_t at = stack[--used].node, depth = stack[used].depth;
        const struct path_node *node = &p->nodes[at];
        if (at && g->o->limit && is_small(g, &node->all)) {
            left_out++;
            continue;
        }
        add_tree_row(g, t, &node->all, depth, node->function, node->file, node->line);
        for (uint32_t i = child[at]; i-- > 0; used++) {
            stack[used].node = order[first[at] + i].node;
            stack[used].depth = depth + 1;
        }
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (left_out)
        paragraph(g, "", "... %zu paths with less than %.1f %% of every metric (--all)", left_out, 100 * SMALL_PATH);
    free(first);
    free(child);
    free(order);
    free(stack);
}

/* Bottom-up: each function that has something of its own, and the paths that led to it, merged by caller. A climb goes up from a node
 * with costs of its own, OWN, and has come to AT; FUNCTION and FILE, interned, are what it is grouped by. */
struct climb {
    const char *function, *file;
    uint32_t own, at;
};

/* Climbs of one group, from START on. */
struct caller {
    const char *function;
    size_t start, count;
    struct path_cost cost;
};

static int compare_pointers(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_climbs(const void *a, const void *b)
{
    const struct climb *x = a, *y = b;
    int c = compare_pointers(x->function, y->function);
    if (!c)
        c = compare_pointers(x->file, y->file);
    return c ? c : (x->own > y->own) - (x->own < y->own);
}

struct caller_order {
    const struct climb *climbs;
    const char *metric;
};

/* By cost, then by name, then by the first node: pointers are not the same in every run. */
static int compare_callers(const void *a, const void *b, void *order)
{
    const struct caller *x = a, *y = b;
    const struct caller_order *o = order;
    double u = path_metric(&x->cost, o->metric), v = path_metric(&y->cost, o->metric);
    int c = u < v ? 1 : u > v ? -1 : strcmp(x->function, y->function);
    uint32_t i = o->climbs[x->start].own, k = o->climbs[y->start].own;
    return c ? c : (i > k) - (i < k);
}

/* One level up for the N CLIMBS, in place, and on from the largest callers. */
static void print_caller_levels(const struct page *g, struct table *t, struct climb *climbs, size_t n, unsigned depth)
{
    enum { LEVELS = 12, SHOWN = 3 };
    const struct paths *p = g->paths;
    size_t count = 0, going = 0;
    for (size_t i = 0; i < n; i++)
        if (climbs[i].at) {
            uint32_t at = p->nodes[climbs[i].at].parent;
            climbs[going++] = (struct climb){ p->nodes[at].function, p->nodes[at].file, climbs[i].own, at };
        }
    qsort(climbs, going, sizeof *climbs, compare_climbs);
    struct caller *list = format_memory(calloc(going + 1, sizeof *list));
    for (size_t i = 0; i < going; i++) {
        if (!i || climbs[i].function != climbs[i - 1].function || climbs[i].file != climbs[i - 1].file)
            list[count++] = (struct caller){ .function = climbs[i].function, .start = i };
        list[count - 1].count++;
        path_add(&list[count - 1].cost, &p->nodes[climbs[i].own].self);
    }
    qsort_r(list, count, sizeof *list, compare_callers, &(struct caller_order){ climbs, g->o->metric });
    for (size_t c = 0; c < count && c < SHOWN; c++) {
        struct climb *of = climbs + list[c].start;
        if (g->o->limit && is_small(g, &list[c].cost))
            continue;
        add_tree_row(g, t, &list[c].cost, depth, of->function, of->file, p->nodes[of->at].line);
        if (depth < LEVELS)
            print_caller_levels(g, t, of, list[c].count, depth + 1);
    }
    free(list);
}

static void print_callers(const struct page *g)
{
    const struct paths *p = g->paths;
    struct climb *climbs = format_memory(calloc(p->node_count + 1, sizeof *climbs)), *of = format_memory(calloc(p->node_count + 1, sizeof *of));
    size_t n = 0;
    for (size_t k = 1; k < p->node_count; k++)
        if (!nothing(g, &p->nodes[k].self))
            climbs[n++] = (struct climb){ p->nodes[k].function, p->nodes[k].file, k, k };
    qsort(climbs, n, sizeof *climbs, compare_climbs);
    heading(g, "Functions and their callers (self)");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0], room);
    size_t shown = 0;
    for (size_t i = 0; i < p->function_count && (!g->o->limit || shown < g->o->limit); i++) {
        const struct path_row *r = &p->functions[i];
        if (nothing(g, &r->self) || (g->o->limit && is_small(g, &r->self)))
            continue;
        shown++;
        add_tree_row(g, t, &r->self, 0, r->function, r->file, 0);
        size_t low = 0, high = n, end;
        struct climb first = { r->function, r->file, 0, 0 };
        while (low < high)
            if (compare_climbs(&climbs[(low + high) / 2], &first) < 0)
                low = (low + high) / 2 + 1;
            else
                high = (low + high) / 2;
        for (end = low; end < n && climbs[end].function == r->function && climbs[end].file == r->file;)
            end++;
        memcpy(of, climbs + low, (end - low) * sizeof *of);
        print_caller_levels(g, t, of, end - low, 1);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    free(climbs);
    free(of);
}

/* ---- 4) ---- */

static void print_regions(const struct page *g)
{
    static const struct table_column columns[] = {
        { "count", 0, TABLE_NUMBER, 2 },
        { "work", 0, TABLE_NUMBER, 0 },
        { "span", 0, TABLE_NUMBER, 1 },
        { "parallelism", 0, TABLE_NUMBER, 0 },
        { "burdened span", 0, TABLE_NUMBER, 4 },
        { "burdened par.", 0, TABLE_NUMBER, 3 },
        { "longest", 0, TABLE_NUMBER, 5 },
        { "region", 0, TABLE_TEXT, 0 },
    };
    if (!g->p->region_count)
        return;
    heading(g, "4) Regions");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < g->p->region_count; i++) {
        const struct lpf_region *r = &g->p->regions[i];
        uint64_t burdened = profile_burdened(g->p, r->burdened_len_cost, r->burdened_edges);
        if (burdened < r->span_cost)
            burdened = r->span_cost;
        add_count(t, r->count);
        add_cost(g, t, r->work_cost);
        add_cost(g, t, r->span_cost);
        add_ratio(t, r->work_cost, r->span_cost);
        add_cost(g, t, burdened);
        add_ratio(t, r->work_cost, burdened);
        add_cost(g, t, r->max_span_cost);
        table_add(t, profile_string(g->p, r->name));
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
}

/* ---- 5) ---- */

static void add_scenario(const struct page *g, struct table *t, const char *name, double span, double parallel, double faster)
{
    char buffer[FORMAT_SIZE];
    char *change = format_text("%.1f", 100 * ratio(span - g->m->span, g->m->span));
    table_add(t, cost_short_text(g->p, span, buffer));
    table_add(t, change);
    table_add(t, format_ratio(parallel, buffer));
    table_add(t, format_ratio(faster, buffer));
    table_add(t, name);
    free(change);
}

static void print_scenarios(const struct page *g)
{
    static const char group[] = "parallelism if";
    static const struct table_column columns[] = {
        { "span", 0, TABLE_NUMBER, 0 }, { "%", 0, TABLE_NUMBER, 1 }, { "made parallel", group, TABLE_NUMBER, 0 },
        { "made faster", group, TABLE_NUMBER, 0 }, { "what if", 0, TABLE_REST, 0 },
    };
    size_t n;
    struct scenario *w = scenarios_read(g->m, &n);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    add_scenario(g, t, "nothing is changed", g->m->span, g->m->parallelism, g->m->parallelism);
    for (int limits = 0; limits < 2; limits++)
        for (size_t i = 0; i < n; i++)
            if (w[i].limit == limits)
                add_scenario(g, t, w[i].name, w[i].span, w[i].parallel, w[i].faster);
    table_print(t, g->out, g->o->width);
    table_free(t);
    scenarios_free(w, n);
    uint64_t samples = 0;
    for (size_t i = 0; i < g->p->candidate_count; i++) {
        const struct lpf_candidate *c = &g->p->candidates[i];
        samples += c->samples;
        if (!c->regions && !c->contexts && !c->samples)
            paragraph(g, "!", "%s never ran: no region of that name was entered, and %s.", profile_string(g->p, c->name),
                      c->flags & LPF_CANDIDATE_CODE ? "neither a spawn below its code nor a sample in it was seen" : "there is no code of that name");
    }
    char buffer[FORMAT_SIZE];
    if (samples)
        paragraph(g, "", "Regions, and tasks spawned below a function, are exact; a function within a strand counts by its samples, here %s.",
                  format_count(samples, buffer));
    else
        paragraph(g, "", "Exact: regions, and tasks spawned below a function, count in full.");
}

void text_print(const struct model *m, const struct paths *t, const struct options *o, FILE *out)
{
    struct page g = { m, t, m->profile, &m->profile->totals, o, out };
    bool all = !strcmp(o->measure, "all");
    print_header(&g);
    heading(&g, "What limits it");
    print_summary(&g);
    print_profile(&g);
    print_notes(&g);
    print_speedup(&g);
    print_ledger(&g);
    print_waits(&g);
    if (t) {
        print_functions(&g);
        if (o->lines)
            print_lines(&g);
        if (o->paths)
            print_paths(&g);
        if (o->callers)
            print_callers(&g);
    }
    if (all || !strcmp(o->measure, "default"))
        print_sites(&g);
    if (all || !strcmp(o->measure, "top"))
        print_measure(&g, "Top-call-site measurements", offsetof(struct row, top), offsetof(struct row, on_top));
    if (all || !strcmp(o->measure, "topcaller"))
        print_measure(&g, "Top-caller measurements", offsetof(struct row, topcaller),
                      offsetof(struct row, on_topcaller));
    if (all || !strcmp(o->measure, "local"))
        print_measure(&g, "Local measurements", offsetof(struct row, local), offsetof(struct row, on_local));
    if (o->frames)
        print_frames(&g);
    print_regions(&g);
    if (m->profile->scenario_count) {
        heading(&g, "5) What if");
        print_scenarios(&g);
    }
}

void text_whatif(const struct model *m, const struct options *o, FILE *out)
{
    struct page g = { m, 0, m->profile, &m->profile->totals, o, out };
    print_scenarios(&g);
}

void text_limits(const struct model *m, const struct options *o, FILE *out)
{
    struct page g = { m, 0, m->profile, &m->profile->totals, o, out };
    print_merged(&g);
    print_summary(&g);
    print_state(&g);
    print_bounds(&g);
    print_short_strands(&g);
}

void text_certainty(const struct model *m, const struct paths *t, const struct options *o, FILE *out)
{
    struct page g = { m, t, m->profile, &m->profile->totals, o, out };
    explain_samples(&g);
}
