/* wait_words.c - see wait_words.h. */
#define _GNU_SOURCE
#include "output/wait_words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "output/cost.h"
#include "output/place_words.h"
#include "output/text_page.h"
#include "profile/profile.h"
#include "symbols/names.h"

/* A smaller part of the time off the CPU than this is left out where more is unknown. */
#define WORTH_WORDS 0.05

/* Did strands off the CPU lack one for a good part of that time? Off-CPU samples then find the
 * program's own code, too, which waits for nothing. WAITING: samples found calls of the system. */
static bool were_preempted(const struct paths *paths, bool waiting)
{
    const struct profile *p = paths->summary->profile;
    uint64_t delay;
    return waiting && profile_run_delay_ns(p, &delay) &&
           delay > WORTH_WORDS * p->totals.blocked_ns;
}

static bool in_system(const struct path_node *n)
{
    return n->foreign || module_is_system(n->module);
}

/* The program's function below which strands were blocked longest by the off-CPU samples. OUTSIDE:
 * of those outside every task. *NS: how long. NULL: there are no off-CPU samples. */
static const struct path_node *waits_most(const struct paths *paths, bool outside, double *ns)
{
    enum { MOST = 256 };
    struct {
        const struct path_node *in;
        double ns;
    } found[MOST];
    size_t count = 0, most = 0;
    bool waiting = false;
    for (size_t i = 1; paths && i < paths->node_count; i++)
        waiting |= paths->nodes[i].self.blocked && in_system(&paths->nodes[i]) &&
                   !path_in_brackets(paths->nodes[i].function);
    bool preempted = paths && were_preempted(paths, waiting);
    for (size_t i = 1; paths && paths->off_cpu_samples && i < paths->node_count; i++) {
        const struct path_node *n = &paths->nodes[i];
        if (!n->self.blocked || path_in_brackets(n->function) || (outside && n->owner))
            continue;
        if (preempted && !in_system(n))
            continue;
        double here = n->self.blocked;
        while (n->parent && module_is_system(n->module))
            n = &paths->nodes[n->parent];
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

/* " in sleep_ms (w.h:15)", where strands were off the CPU longest; "": no sample shows it. *NS: how
 * long. */
static char *longest_in(const struct paths *paths, bool outside, double *ns)
{
    const struct path_node *in = waits_most(paths, outside, ns);
    char *place = in ? place_of_node(in) : 0;
    char *text = format_text("%s%s", place ? " in " : "", place ? place : "");
    free(place);
    return text;
}

/* A smaller share than this is not named beside the rest. */
#define NEARLY_NONE 0.05

/* Sentences that state whether strands off the CPU waited, or could have run but had no CPU. The
 * caller frees them.
 * The kernel counts a wait for a CPU when it is over, and the sampling thread reads that count
 * while the strand lives. Off-CPU samples, one each LPF_OFF_CPU_NS, find blocked strands only. So
 * short strands may be in neither. Then neither the count nor the wait is all there is, and the
 * cause of a rest is unknown (analysis/standstill.h). */
static char *why_blocked(const struct summary *m)
{
    const struct profile *p = m->profile;
    double blocked = p->totals.blocked_ns, waits = m->standstill.waited;
    static const char waited[] = "they slept, or waited for locks, condition variables, "
                                 "barriers, input or output",
                      had_none[] = "other threads and programs had the processors";
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    uint64_t delay;
    if (!profile_run_delay_ns(p, &delay))
        return format_text("Either %s, or %s", waited, had_none);
    double share = ratio(delay, blocked);
    if (share > 1 - NEARLY_NONE)
        return format_text("They could have run, but %s", had_none);
    if (!m->standstill.whole) {
        bool some = waits >= WORTH_WORDS * blocked;
        char *could = delay ? format_text("For at least %s they could have run, but %s. ",
                                          format_ns(delay, a), had_none) : 0,
             *did = some ? format_text("For at least %s, %s. ", format_ns(waits, b), waited) : 0,
             *text = could || did
                         ? format_text("%s%sThe cause of the rest is unknown: too few off-CPU "
                                       "samples found them",
                                       could ? could : "", did ? did : "")
                         : format_text("Either %s, or %s: too few off-CPU samples found them to "
                                       "show which",
                                       waited, had_none);
        free(could);
        free(did);
        return text;
    }
    if (share < NEARLY_NONE)
        return format_text("T%s", waited + 1);
    return format_text("For %s they could have run, but %s. For the rest, %s", format_ns(delay, b),
                       had_none, waited);
}

/* The site whose strands were off the CPU longest. *MOST: how long, in ns. NULL: there are no
 * sites. */
static const struct row *most_blocked(const struct summary *m, double *most)
{
    const struct profile *p = m->profile;
    double *of = format_memory(calloc(p->site_count + 1, sizeof *of)), own = p->totals.blocked_ns;
    const struct row *where = 0;
    for (size_t i = 0; i < p->context_count; i++)
        if (p->contexts[i].site < p->site_count) {
            of[p->contexts[i].site] += p->contexts[i].blocked_ns;
            own -= p->contexts[i].blocked_ns;
        }
    *most = -1;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        double here = r->root ? own : 0;
        for (uint32_t s = r->first; s < p->site_count; s = m->next_site[s])
            here += of[s];
        if (here > *most) {
            *most = here;
            where = r;
        }
    }
    free(of);
    return where;
}

char *wait_sentence(const struct finding *f, const struct summary *m, const struct paths *t)
{
    double most, ns;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct row *where = most_blocked(m, &most);
    char *tasks = where && !where->root ? place_of_tasks(where) : 0,
         *why = why_blocked(m), *in = longest_in(t, false, &ns);
    /* what no sample found may all be elsewhere, in one place */
    double unseen = t ? f->ns - (double)t->off_cpu_samples * LPF_OFF_CPU_NS : 0;
    char *largest = *in ? format_text(" %s, %s, was%s and what it called.",
                                      ns < unseen ? "The largest part that off-CPU samples found"
                                                  : "The largest part of it",
                                      format_short_ns(ns, b), in)
                        : format_text("%s", "");
    char *text = format_text("Strands were off the CPU for %s, %.0f %% of %s. %.0f %% of it was "
                             "%s%s. %s. Work and span do not contain this time.%s",
                             format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
                             100 * ratio(fmax(most, 0), f->ns),
                             tasks ? "in " : "", tasks ? tasks : "outside every task", why,
                             largest);
    free(tasks);
    free(why);
    free(in);
    free(largest);
    return text;
}

/* Is lack of a CPU among the findings? Then more threads have no more. */
static bool lacks_processors(const struct limits *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->found[i].why == REASON_PREEMPTED)
            return true;
    return false;
}

char *wait_bounds(const struct limits *l, const struct summary *m)
{
    if (!m->standstill.much)
        return 0;
    double share = fmin(1, ratio(m->span, m->profile->totals.elapsed_ns));
    if (summary_fills_run(m))
        return format_text("The critical path is %.0f %% of the elapsed time: unless it gets "
                           "shorter, the program gains at most %.0f %%, though strands slept or "
                           "waited %.0f %% of %s.",
                           100 * share, ceil(fmax(1, 100 * (1 - share))),
                           100 * ratio(m->standstill.waited, profile_slots_ns(m->profile)),
                           place_of_time(m->profile));
    return format_text("Strands slept or waited %.0f %% of %s. Work and span do not contain "
                       "this, so parallelism and these bounds say nothing about elapsed time "
                       "here.%s",
                       100 * ratio(m->standstill.waited, profile_slots_ns(m->profile)),
                       place_of_time(m->profile),
                       lacks_processors(l) ? ""
                                           : " Where strands do not wait for each other, more "
                                             "threads than cores may overlap the waiting.");
}

char *wait_outside(const struct summary *m, const struct paths *t)
{
    char a[FORMAT_SIZE];
    double ns;
    char *in = longest_in(t, true, &ns);
    char *text = format_text("The first thread was off the CPU for %s outside every task%s%s.",
                             format_short_ns(m->standstill.root, a), *in ? ", longest" : "", in);
    free(in);
    return text;
}

char *wait_serial(const struct summary *m, const struct paths *t)
{
    const struct lpf_totals *k = &m->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    double ns, share = ratio(k->blocked_ns, k->elapsed_ns);
    uint64_t children_cpu;
    uint64_t delay; /* 0: not known. Code that runs for less waits less for a CPU */
    bool known = profile_run_delay_ns(m->profile, &delay);
    double fixed = ratio(k->blocked_ns - delay, k->elapsed_ns);
    if (share < LIMIT_WORTH)
        return 0;
    char *in = longest_in(t, true, &ns);
    char *why = !known ? format_text("It slept or waited, or others had the processors.")
                : delay > 0.1 * k->blocked_ns
                    ? format_text("For %s of it, it could have run, but others had the processors.",
                                  format_short_ns(delay, c))
                    : format_text("It slept, or waited for other processes, locks, input or "
                                  "output.");
    uint64_t children = profile_children(m->profile, &children_cpu);
    const char *apart = children ? ", apart from the time that it waits for child processes" : "";
    char *most = fixed < 0.005 ? format_text("%s", "")
                               : format_text(" Faster or parallel code changes at most "
                                             "%s%.0f %%%s.",
                                             delay > 0.1 * k->blocked_ns ? "" : "the other ",
                                             100 * (1 - fmin(fixed, 1)), apart);
    char *text = format_text("The program was off the CPU for %s of %s (%.0f %%)%s%s. %s%s%s",
                             format_short_ns(k->blocked_ns, a), format_short_ns(k->elapsed_ns, b),
                             100 * share, *in ? ", longest" : "", in, why,
                             *in ? "" : " Where, this profile does not show: off-CPU samples begin "
                                        "with the first task or thread.",
                             most);
    free(most);
    free(in);
    free(why);
    return text;
}
