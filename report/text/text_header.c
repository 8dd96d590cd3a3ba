/* text_header.c - what ran, when, how it ended, and what a merged file adds up. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/format.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "text/sections.h"

/* Do programs die of signal NUMBER by a fault of their own? Of others they are ended: by a user, a
 * timer, another program. */
static bool is_fault(uint32_t number)
{
    switch (number) {
    case SIGSEGV: case SIGABRT: case SIGBUS: case SIGFPE: case SIGILL: case SIGSYS: case SIGTRAP:
        return true;
    default:
        return false;
    }
}

/* The figures are those until a signal, but for a fault. A merged file has no signal of its own. */
static bool is_ended(uint32_t flags, uint32_t end, uint32_t status)
{
    return flags & LPF_F_CRASHED && end == LPF_END_SIGNAL && !is_fault(status);
}

void text_state(const struct text_page *g)
{
    char name[FORMAT_SIZE];
    if (is_ended(g->p->flags, g->t->end, g->t->exit_status))
        paragraph(g, "!", "The program was ended by %s: figures are up to that moment",
                  format_signal(g->t->exit_status, name));
    else if (g->p->flags & LPF_F_CRASHED)
        paragraph(g, "!",
                  "CRASHED: the program was killed or aborted; figures are up to that moment");
    else if (g->p->flags & LPF_F_CHECKPOINT)
        paragraph(g, "!",
                  "CHECKPOINT: the program had not ended; figures are up to the last checkpoint");
}

/* States which figures of a merged file are sums and which are maxima. */
static void print_merged(const struct text_page *g)
{
    const struct lpf_input *in = g->p->inputs, *longest = in;
    size_t n = g->p->input_count, commands = 1, crashed = 0, ended = 0, running = 0;
    uint64_t profiles = 0, spans = 0;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (!n)
        return;
    for (size_t i = 0; i < n; i++) {
        profiles += in[i].profiles;
        spans += in[i].span_cost <= UINT64_MAX - spans ? in[i].span_cost : UINT64_MAX - spans;
        longest = in[i].span_cost > longest->span_cost ? &in[i] : longest;
        bool by_signal = is_ended(in[i].flags, in[i].end, in[i].exit_status);
        ended += by_signal;
        crashed += !by_signal && in[i].flags & LPF_F_CRASHED;
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
    } else if (in->mode == LPF_MERGE_JOB) {
        uint32_t size = g->p->rank_count ? g->p->ranks->size : 0;
        if (g->p->rank_count < size)
            paragraph(g, "!",
                      "Of the %u ranks of this job, %zu are here: work and times lack the others, "
                      "and POP's efficiencies are not known.",
                      size, g->p->rank_count);
        paragraph(g, "!",
                  "JOB of MPI: %zu profile%s. Work, times of threads and counts are SUMS. The "
                  "critical path is the job's: it may lead from rank to rank. Elapsed is the time "
                  "in which at least one of them lived; workers are the most slots at one time.",
                  n, n == 1 ? "" : "s");
    } else {
        char *name = format_clean(profile_string(g->p, longest->name));
        char *most = ended + crashed + running
                         ? format_text("at least this span, because not all came to their end")
                         : format_text("between this span and the sum of the spans, %s",
                                             cost_text(g->p, profile_ns(g->p, spans), a));
        paragraph(g, "!",
                  "MERGED from %zu process%s: work, times of threads and counts are SUMS. Span "
                  "and critical path are those of the LONGEST process (%s, pid %u). How the "
                  "processes waited for each other is not known: the span of the whole job is "
                  "%s. Elapsed is the time in which at least one of them lived; workers are the "
                  "most slots at one time.",
                  n, n == 1 ? "" : "es side by side", name, longest->pid, most);
        free(most);
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
    if (ended)
        paragraph(g, "!", "%zu of them %s ended by signals.", ended, ended == 1 ? "was" : "were");
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
    char *on = text_processors(g->p);
    paragraph(g, "", "%u worker%s%s, %s elapsed, %s CPU, clock %s%s%s%s", t->workers,
              t->workers == 1 ? "" : "s", on, format_ns(t->elapsed_ns, a),
              format_ns(profile_cpu_ns(g->p), b), profile_string(g->p, t->clock),
              *detail ? " (" : "", detail, *detail ? ")" : "");
    free(on);
    print_merged(g);
    if (!g->p->input_count)
        text_state(g);
}
