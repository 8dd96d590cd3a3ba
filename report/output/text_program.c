/* text_program.c - what ran, and what limits it, in sentences. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "analysis/limits.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "output/cost.h"
#include "output/limit_words.h"
#include "output/place_words.h"
#include "output/text_page.h"
#include "output/wait_words.h"
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

/* States which figures of a merged file are sums and which are maxima. */
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
            "SUMS over them. The average run has work %s, span %s, elapsed %s. Parallelism, "
            "shares and bounds are those of the average run.",
            n, n == 1 ? "" : "s", cost_text(g->p, g->m->work / n, a),
            cost_text(g->p, g->m->span / n, b), format_ns((double)g->t->elapsed_ns / n, c));
    } else {
        char *name = format_clean(profile_string(g->p, longest->name));
        paragraph(g, "!",
                  "MERGED from %zu process%s: work, times of threads and counts are SUMS. Span "
                  "and critical path are those of the LONGEST process (%s, pid %u). How the "
                  "processes waited for each other is not known: the span of the whole job is "
                  "between this span and the sum of the spans, %s. Elapsed is the time in which at "
                  "least one of them lived; workers are the most slots at one time.",
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
    char how[64] = "", name[FORMAT_SIZE];
    if (t->end == LPF_END_SIGNAL)
        snprintf(how, sizeof how, ", killed by %s", format_signal(t->exit_status, name));
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

/* Strands outside every task are also the runtime's, as it starts and ends. Only samples show whose
 * code they ran. */
static void print_outside(const struct text_page *g, double share)
{
    char a[FORMAT_SIZE];
    uint64_t all = g->paths ? g->paths->outside_on_span : 0;
    if (!all) {
        paragraph(g, "",
                  "%.1f %% of the critical path is code outside every task. No sample hit it: it "
                  "is the program's, or the runtime's start and end.",
                  100 * share);
        return;
    }
    double hit = ratio(g->paths->outside_program, all);
    paragraph(g, "",
              "%.1f %% of the critical path is code outside every task, between the parallel "
              "constructs or beside their tasks: %.0f %% of its %s sample%s hit the program%s.",
              100 * share, 100 * hit, format_count(all, a), all == 1 ? "" : "s",
              hit < 0.995 ? ", the others the runtime" : "");
}

static void print_heaviest(const struct text_page *g)
{
    const struct row *r = summary_heaviest(g->m);
    if (!r)
        return;
    if (r->root) {
        print_outside(g, r->share);
        return;
    }
    char *tasks = place_of_tasks(r);
    paragraph(g, "", "%.1f %% of the critical path is in %s%s.", 100 * r->share, tasks,
              r->tasks ? "" : ", none of which had ended when this profile was written");
    free(tasks);
}

/* What loops in regions as executed may allow. */
static const char *of_loops(const struct summary *m)
{
    const struct lpf_loops *l = m->profile->loop_count ? m->profile->loops : 0;
    for (size_t i = 0; i < m->wait_count; i++)
        if (m->waits[i].in_order && m->waits[i].top.count)
            return " Threads waited there for their turn in the order of a loop (ordered, "
                   "doacross): smaller chunks do not change that.";
    if (summary_loops_divide(m)) /* limit_parallelism states it */
        return "";
    if (l && l->chunks && !l->chunks_divided && !l->chunks_unknown)
        return " Chunks of one iteration do not divide further. Loops with a static schedule may "
               "be more parallel than that: small chunks (schedule(dynamic, ...)) or tasks would "
               "show it.";
    return " If these regions have loops, the loops may be more parallel than that: small chunks "
           "(schedule(dynamic, ...)) or tasks would show it.";
}

/* The parallelism of a region as executed is that of its threads, not the program's. The reader
 * should not take it for a limit. */
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
              "%.1f %% of the critical path is in parallel regions. libprof measures a region as "
              "this run's threads executed it: what one thread does alone is one strand, be it a "
              "single block, a share of a static loop, or a chunk of a dynamic loop. So the "
              "regions' parallelism, %s, shows how evenly this run shared the work among its %u "
              "thread%s, not what "
              "the code allows. The bounds below hold for this run's division of the work. "
              "Parallelism below the number of threads means that some threads had more work than "
              "others, or that one executed code for all.%s",
              100 * share, format_ratio(work / span, a), g->t->workers,
              g->t->workers == 1 ? "" : "s", of_loops(g->m));
}

/* Children have profiles of their own, unless they became programs that libprof is not in. */
void text_children(const struct text_page *g)
{
    uint64_t cpu, n = g->p->input_count ? 0 : profile_children(g->p, &cpu);
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!n)
        return;
    char *used = cpu ? format_text(" They used %s of CPU time%s.", format_short_ns(cpu, b),
                                   cpu > g->t->cpu_ns ? ", more than the program itself" : "")
                     : format_text("%s", "");
    paragraph(g, "", "The program made %s child process%s, in no figure here.%s `prof merge` adds "
                     "their profiles.",
              format_count(n, a), n == 1 ? "" : "es", used);
    free(used);
}

void text_off_cpu(const struct text_page *g)
{
    char *off = wait_serial(g->m, g->paths);
    if (off)
        paragraph(g, "", "%s", off);
    free(off);
}

/* States what limits the program: first the costs of this run, by the ledger, then what its
 * parallelism allows. */
void text_summary(const struct text_page *g)
{
    const struct summary *m = g->m;
    struct limits l;
    char b[FORMAT_SIZE];
    text_children(g);
    if (!g->t->tasks && !g->t->spawns) {
        text_off_cpu(g);
        paragraph(g, "",
                  "No tasks were seen: %s. If the program has some, `prof doctor PROGRAM` shows "
                  "whether libprof can see its runtime.",
                  g->t->span_cost ? "what libprof saw is serial, so its parallelism is 1"
                                  : "no cost was measured");
        return;
    }
    if (!g->t->span_cost) {
        paragraph(g, "", "No cost was measured: work and span are 0.");
        return;
    }
    limits_new(&l, m, g->paths);
    char *overview = limit_overview(&l, m), *parallelism = limit_parallelism(&l, m);
    if (overview)
        paragraph(g, "", "%s", overview);
    for (unsigned i = 0; i < l.count; i++) {
        char *sentence = limit_sentence(&l, &l.found[i], m, g->paths);
        paragraph(g, "", "%s", sentence);
        free(sentence);
    }
    paragraph(g, "", "%s", parallelism);
    free(overview);
    free(parallelism);
    if (m->burdened_parallelism * 2 < m->parallelism) {
        char steal[FORMAT_SIZE], task[FORMAT_SIZE];
        format_ratio(m->burdened_parallelism, b);
        cost_short_text(g->p, m->burden, steal);
        cost_short_text(g->p, l.task_own, task);
        if (l.task_own < LIMIT_FINE_NS)
            paragraph(g, "",
                      "With the cost of steals, parallelism is only %s. A steal took %s, and a "
                      "task has only %s of the program's own code: too little to be worth a steal.",
                      b, steal, task);
        else
            paragraph(g, "",
                      "With the cost of steals, parallelism is only %s. A steal took %s, though "
                      "tasks are not small: %s of the program's own code each.",
                      b, steal, task);
    }
    print_heaviest(g);
    print_as_executed(g);
}
