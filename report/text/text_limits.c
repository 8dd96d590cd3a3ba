/* text_limits.c - what limits the program, in sentences. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "text/sections.h"
#include "words/bound_words.h"
#include "words/limit_words.h"
#include "words/place_words.h"
#include "words/wait_words.h"

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
    if (summary_loops_divide(m)) /* bound_parallelism states it */
        return "";
    if (l && l->chunks && !l->chunks_divided && !l->chunks_unknown)
        return " Chunks of one iteration do not divide further. Loops with a static schedule may "
               "be more parallel than that: small chunks (schedule(dynamic, ...)) or tasks would "
               "show it.";
    return " If these regions have loops, the loops may be more parallel than that: small chunks "
           "(schedule(dynamic, ...)) or tasks would show it.";
}

/* Regions with so many times the work of their own code have tasks, too. */
#define TASKS_TOO 1.05

/* The parallelism of a region as executed is that of its threads, not the program's. The reader
 * should not take it for a limit. */
static void print_as_executed(const struct text_page *g)
{
    double share = 0, work = 0, span = 0;
    bool of_one = false, tasks = false;
    for (size_t i = 0; i < g->m->row_count; i++) {
        const struct row *r = &g->m->rows[i];
        if (!r->as_executed)
            continue;
        tasks |= r->top.work > TASKS_TOO * r->local.work;
        share += r->share;
        work += r->local.work;
        span += r->local.span;
        of_one |= r->of_one.executions != 0;
    }
    if (share < 0.1 || span <= 0)
        return;
    char a[FORMAT_SIZE];
    char *shared = of_one ? format_text("how this run divided their work, some of it among teams "
                                        "of one thread")
                          : format_text("how evenly this run shared %s among its %u thread%s",
                                        tasks ? "that code" : "the work", g->t->workers,
                                        g->t->workers == 1 ? "" : "s");
    paragraph(g, "",
              "%.1f %% of the critical path is in parallel regions that libprof measures as this "
              "run's threads executed them: what one thread does alone is one strand, be it a "
              "single block, a share of a static loop, or a chunk of a dynamic loop. So the "
              "%s, %s, shows %s, not what the code allows. The bounds below hold "
              "for this run's division of the work. Parallelism below the number of threads means "
              "that some threads had more work than others, or that one executed code for all%s.%s",
              100 * share,
              tasks ? "parallelism of their own code, without the tasks in them"
                    : "regions' parallelism",
              format_ratio(work / span, a), shared,
              tasks ? ", as one that creates tasks does" : "", of_loops(g->m));
    free(shared);
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
    paragraph(g, "", "The program made %s child process%s, which no figure here contains.%s "
                     "Those that ran tasks have left profiles, which `prof merge` adds.",
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

void text_in_mpi(const struct text_page *g)
{
    struct limits l;
    if (!summary_is_one_rank(g->m))
        return;
    limits_new(&l, g->m, g->paths);
    for (unsigned i = 0; i < l.count; i++)
        if (l.found[i].what == LIMITED_BY_MPI) {
            char *sentence = limit_sentence(&l, &l.found[i], g->m, g->paths);
            paragraph(g, "", "%s", sentence);
            free(sentence);
        }
}

/* States that steals cost much of the parallelism. Too few steals do not show what one takes. */
static void print_burdened(const struct text_page *g, const struct limits *l)
{
    const struct summary *m = g->m;
    char b[FORMAT_SIZE];
    if (m->burdened_parallelism * 2 >= m->parallelism || limit_few_steals(g->p))
        return;
    format_ratio(m->burdened_parallelism, b);
    char *own = limit_own_code(l, m), *steal = limit_steal(m);
    if (l->task_own < LIMIT_FINE_NS)
        paragraph(g, "",
                  "With the cost of steals, parallelism is only %s. A steal %s, and a task has "
                  "%s%s of the program's own code: too little to be worth a steal.",
                  b, steal, strncmp(own, "at most", 7) ? "only " : "", own);
    else
        paragraph(g, "",
                  "With the cost of steals, parallelism is only %s. A steal %s, though tasks are "
                  "not small: %s of the program's own code each.",
                  b, steal, own);
    free(own);
    free(steal);
}

/* States what limits the program: first the costs of this run, by the ledger, then what its
 * parallelism allows. */
void text_summary(const struct text_page *g)
{
    const struct summary *m = g->m;
    struct limits l;
    text_children(g);
    if (profile_is_serial(g->p)) {
        text_in_mpi(g);
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
    char *overview = limit_overview(&l, m), *parallelism = bound_parallelism(&l, m);
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
    print_burdened(g, &l);
    print_heaviest(g);
    print_as_executed(g);
}
