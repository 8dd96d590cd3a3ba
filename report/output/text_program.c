/* text_program.c - what ran, and in plain words what limits it. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "base/format.h"
#include "output/cost.h"
#include "output/text_page.h"
#include "profile/profile.h"
#include "symbols/names.h"

void text_state(const struct text_page *g)
{
    if (g->p->flags & LPF_F_CRASHED)
        paragraph(g, "!",
                  "CRASHED: the program was killed or aborted; figures are up to that moment");
    else if (g->p->flags & LPF_F_CHECKPOINT)
        paragraph(g, "!",
                  "CHECKPOINT: the program had not ended; figures are up to the last checkpoint");
}

/* A merged file's figures are no program's: which are sums, which maxima. */
void text_merged(const struct text_page *g)
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
        commands += strcmp(profile_string(g->p, in[i].cmdline),
                           profile_string(g->p, in[0].cmdline)) != 0;
    }
    if (in->mode == LPF_MERGE_RUNS) {
        paragraph(
            g, "!",
            "MERGED from %zu run%s, as if one after the other: work, span, times and counts are "
            "SUMS over them. A run has on average work %s, span %s, elapsed %s. Parallelism, "
            "shares and bounds are those of the average run.",
            n, n == 1 ? "" : "s", cost_text(g->p, g->m->work / n, a),
            cost_text(g->p, g->m->span / n, b), format_ns((double)g->t->elapsed_ns / n, c));
    } else {
        char *name = format_clean(profile_string(g->p, longest->name));
        paragraph(g, "!",
                  "MERGED from %zu process%s: work, times of threads and counts are SUMS. The "
                  "span, and all that is said of the critical path, is that of the LONGEST (%s, "
                  "pid %u): the processes' order is not known, so that of them all together is "
                  "between this and the sum of their spans, %s. Elapsed is the time in which any "
                  "of them lived, workers the most slots at one time.",
                  n, n == 1 ? "" : "es side by side", name, longest->pid,
                  cost_text(g->p, profile_ns(g->p, spans), a));
        free(name);
    }
    if (profiles > n)
        paragraph(g, "", "Some of these were merged before: %s profiles in all.",
                  format_count(profiles, a));
    if (commands > 1)
        paragraph(g, "",
                  in->mode == LPF_MERGE_RUNS
                      ? "Not all are runs of the command that is named above."
                      : "Not all have the command that is named above.");
    if (crashed || running)
        paragraph(g, "!", "%zu of them crashed, %zu had not ended.", crashed, running);
}

void text_header(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], when[64] = "at an unknown time";
    time_t start = t->start_unix_ns / 1000000000u;
    struct tm tm;
    if (start && localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    char *command = format_clean(profile_string(g->p, t->cmdline)[0]
                                     ? profile_string(g->p, t->cmdline)
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
    paragraph(g, "", "%u worker%s, %s elapsed, %s CPU, clock %s%s%s%s", t->workers,
              t->workers == 1 ? "" : "s", format_ns(t->elapsed_ns, a), format_ns(t->cpu_ns, b),
              profile_string(g->p, t->clock), *detail ? " (" : "", detail, *detail ? ")" : "");
    text_merged(g);
    if (!g->p->input_count)
        text_state(g);
}

static void print_heaviest(const struct text_page *g)
{
    const struct row *r = model_heaviest(g->m);
    if (!r)
        return;
    if (r->root) {
        paragraph(
            g, "",
            "%.1f %% of the critical path is the program's own code, outside every task: serial "
            "code between the parallel constructs.",
            100 * r->share);
        return;
    }
    char *function = text_function(r), *name = name_fit(function, 60), *place = text_place(r);
    paragraph(g, "", "%.1f %% of the critical path is in tasks of %s at %s%s%s%s.", 100 * r->share,
              *r->construct ? r->construct : "the site", name, *place ? " (" : "", place,
              *place ? ")" : "");
    free(function);
    free(name);
    free(place);
}

/* Parallelism that was given to threads once and for all is not the program's: nobody should take
 * it for a limit. */
static void print_as_executed(const struct text_page *g)
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
    paragraph(g, "",
              "%.1f %% of the critical path is in parallel regions as their threads executed them. "
              "What a thread executes by itself there is one strand: a block of its own (single, "
              "master), its share of a static loop, a chunk of another. So their parallelism, %s, "
              "says how well %u thread%s %s used, not what the code would allow, and the bounds "
              "below are those of this decomposition. Less than the number of threads is "
              "imbalance, or code that one thread executes for all. If there are loops in them, "
              "they may be more parallel than that: small chunks (schedule(dynamic, ...)) or tasks "
              "would show it.",
              100 * share, format_ratio(work / span, a), g->t->workers,
              g->t->workers == 1 ? "" : "s", g->t->workers == 1 ? "is" : "are");
}

/* Strands that exclude each other are parallel in the dag, and are not on the machine: parallelism
 * alone would be praise. */
static void print_exclusion(const struct text_page *g)
{
    double waits = 0,
           all = fmax((double)g->t->elapsed_ns * g->t->workers, (double)g->t->threads_ns);
    const struct row *longest = 0;
    for (size_t i = g->m->wait_count; i-- > 0;)
        if (!g->m->waits[i].in_order) {
            longest = &g->m->waits[i];
            waits += profile_ns(g->p, longest->top.work);
        }
    if (!longest || ratio(waits, all) < 0.1)
        return;
    char a[FORMAT_SIZE], *function = text_function(longest), *name = name_fit(function, 60),
                         *place = text_place(longest);
    paragraph(g, "",
              "Strands waited %s, %.0f %% of the worker time, to get in where one at a time may "
              "be, longest in %s (%s%s%s). Parallelism and span do not have that: they say what is "
              "left when nobody excludes anybody.",
              format_ns(waits, a), 100 * ratio(waits, all), name, place, *place ? ", " : "",
              longest->construct);
    free(function);
    free(name);
    free(place);
}

/* The program's function below which strands were blocked most, by the looks at them, and how long;
 * NULL: nobody looked. */
static const struct path_node *waits_most(const struct text_page *g, double *ns)
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
static char *why_blocked(const struct text_page *g)
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
    return format_text("for %s they could have run, but %s; else %s", format_ns(delay, b), had_none,
                       waited);
}

/* Strands that wait for each other, or for the CPU, are parallel in the dag as well. */
static void print_blocked(const struct text_page *g)
{
    const struct profile *p = g->p;
    double all = fmax((double)g->t->elapsed_ns * g->t->workers, (double)g->t->threads_ns),
           most = -1;
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
        char *function = text_function(where), *name = name_fit(function, 60),
             *line = text_place(where);
        place = format_text("in tasks of %s at %s%s%s%s",
                            *where->construct ? where->construct : "the site", name,
                            *line ? " (" : "", line, *line ? ")" : "");
        free(function);
        free(name);
        free(line);
    }
    char *why = why_blocked(g);
    paragraph(g, "",
              "Strands were off the CPU for %s, %.0f %% of the worker time, %.0f %% of that %s: "
              "%s. Parallelism and span do not have that.",
              format_ns(g->t->blocked_ns, a), 100 * ratio(g->t->blocked_ns, all),
              100 * ratio(fmax(most, 0), g->t->blocked_ns), place ? place : "outside every task",
              why);
    free(why);
    free(place);
    double ns;
    const struct path_node *in = waits_most(g, &ns);
    if (!in)
        return;
    char *name = name_fit(in->function, 60), *file = in->file ? format_clean(in->file) : 0;
    const char *base = file ? strrchr(file, '/') : 0;
    place = file ? format_text(" (%s:%d)", base ? base + 1 : file, in->line)
                 : format_text("%s", "");
    paragraph(g, "", "The largest part of it, %s, was in %s%s and what it called.",
              format_ns((uint64_t)ns, a), name, place);
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
void text_summary(const struct text_page *g)
{
    const struct model *m = g->m;
    unsigned p = g->t->workers ? g->t->workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!g->t->tasks && !g->t->spawns) {
        paragraph(g, "",
                  "No tasks were seen: nothing to say about its parallelism. `prof doctor PROGRAM` "
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
        paragraph(g, "", "Parallelism %s is less than its %u worker%s: some of them must idle.", a,
                  p, plural);
    else if (reads_less(m->parallelism, 10.0 * p))
        paragraph(
            g, "",
            "Parallelism %s is less than ten times its %u worker%s: load balance begins to cost, "
            "and no machine runs it more than %s times as fast as one core. Shorten the critical "
            "path.",
            a, p, plural, a);
    else
        paragraph(g, "", "Parallelism %s is ample for %u worker%s (ten times as much, or more).", a,
                  p, plural);
    if (m->burdened_parallelism * 2 < m->parallelism)
        paragraph(g, "",
                  "With the cost of steals counted only %s of it is left: the tasks are too fine "
                  "grained to be worth stealing.",
                  format_ratio(m->burdened_parallelism, b));
    print_exclusion(g);
    print_blocked(g);
    print_heaviest(g);
    print_as_executed(g);
}
