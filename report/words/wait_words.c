/* wait_words.c - see wait_words.h. */
#define _GNU_SOURCE
#include "words/wait_words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/path_wait.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/text_page.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "words/place_words.h"

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
 * of those outside every task. *NS: how long. *LINE: of its call; 0: not known, -1: several.
 * NULL: there are no off-CPU samples. */
static const struct path_node *waits_most(const struct paths *paths, bool outside, double *ns,
                                          int *line)
{
    enum { MOST = 256 };
    struct {
        const struct path_node *in;
        double ns;
        int line;
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
        int at_line;
        n = path_called_by(paths, n, &at_line);
        size_t at = 0;
        while (at < count &&
               (found[at].in->function != n->function || found[at].in->apart != n->apart))
            at++;
        if (at == MOST)
            continue;
        if (at == count) {
            found[count].in = n;
            found[count].line = at_line;
            found[count++].ns = 0;
        }
        if (found[at].line != at_line)
            found[at].line = -1;
        found[at].ns += here;
        if (found[at].ns > found[most].ns)
            most = at;
    }
    *ns = count ? found[most].ns : 0;
    *line = count ? found[most].line : 0;
    return count ? found[most].in : 0;
}

const struct path_node *wait_place(const struct paths *t, int *line)
{
    double ns;
    return waits_most(t, false, &ns, line);
}

/* " in sleep_ms (w.h:15)", where strands were off the CPU longest; "": no sample shows it. *NS: how
 * long. */
static char *longest_in(const struct paths *paths, bool outside, double *ns)
{
    int line;
    const struct path_node *in = waits_most(paths, outside, ns, &line);
    char *place = in ? place_of_call(in, line) : 0;
    char *text = format_text("%s%s", place ? " in " : "", place ? place : "");
    free(place);
    return text;
}

/* A smaller share than this is not named beside the rest. */
#define NEARLY_NONE 0.05

/* Of strands whose waits are known in part. The first thread's clocks show its early waits, and
 * off-CPU samples the others. */
static double waited_at_least(const struct summary *m)
{
    double alone = fmin(profile_waited_alone_ns(m->profile), m->standstill.waited), least, most;
    path_waited_there(m->profile, m->standstill.waited - alone, &least, &most);
    return alone + least;
}

/* Sentences that state whether strands off the CPU waited, or could have run but had no CPU. The
 * caller frees them.
 * The kernel counts a wait for a CPU when it is over, and the sampling thread reads that count
 * while the strand lives. Off-CPU samples, one each LPF_OFF_CPU_NS, find blocked strands only. So
 * short strands may be in neither. Then neither the count nor the wait is all there is, and the
 * cause of a rest is unknown (analysis/standstill.h). */
static char *why_blocked(const struct summary *m)
{
    const struct profile *p = m->profile;
    double blocked = p->totals.blocked_ns, waits = waited_at_least(m);
    static const char waited[] = "they slept, or waited for locks, condition variables, "
                                 "barriers, input or output",
                      had_none[] = "other threads and programs had the processors";
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    uint64_t delay;
    if (!profile_run_delay_ns(p, &delay))
        return format_text("Either %s, or %s", waited, had_none);
    double share = ratio(delay, blocked);
    /* a thread that yields while it waits is ready */
    bool yield = m->standstill.threads || m->standstill.unseen;
    const char *ready = yield ? "they were ready to run, as threads that yield while they wait are"
                              : "they could have run";
    if (share > 1 - NEARLY_NONE)
        return format_text("T%s, but %s", ready + 1, had_none);
    if (!m->standstill.whole) {
        bool some = waits >= WORTH_WORDS * blocked;
        char *could = delay ? format_text("For at least %s %s, but %s. ", format_ns(delay, a),
                                          ready, had_none) : 0,
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
    return format_text("For %s %s, but %s. For the rest, %s%s", format_ns(delay, b), ready,
                       had_none, waited,
                       share > STANDSTILL_READY
                           ? ", or had no processor without the kernel's counting it"
                           : "");
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

/* The wait of the first thread before the first task is named from this share of all such time. */
#define EARLY 0.1

/* " Off-CPU samples begin ...": what they cannot show; "": little. */
static char *before_samples(const struct finding *f, const struct summary *m)
{
    double early = fmin(profile_waited_alone_ns(m->profile), f->ns);
    char a[FORMAT_SIZE];
    return early < EARLY * f->ns
               ? format_text("%s", "")
               : format_text(" Off-CPU samples begin with the first task or thread: before that, "
                             "the first thread slept or waited for %s.",
                             format_short_ns(early, a));
}

/* "680 ms to 1.17 s", or "up to 303 ms": how long strands waited where off-CPU samples found them
 * for FOUND ns, of WHOLE. NULL: for less than one sample stands for. */
static char *how_long(const struct profile *p, double found, double whole)
{
    double least, most;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    path_waited_there(p, found, &least, &most);
    most = fmin(most, whole);
    if (most < LPF_OFF_CPU_NS)
        return 0;
    format_short_ns(least, a);
    format_short_ns(most, b);
    return least > 0 && strcmp(a, b) != 0 ? format_text("%s to %s", a, b)
                                          : format_text("up to %s", b);
}

/* " The largest part by off-CPU samples, 680 ms to 1.17 s, was in f (x.c:8) and what it
 * called.", or "". */
static char *largest_of(const struct paths *t)
{
    double ns;
    char *in = longest_in(t, false, &ns),
         *long_ = *in ? how_long(t->summary->profile, ns, INFINITY) : 0;
    char *largest = long_ ? format_text(" The largest part by off-CPU samples, %s, was%s "
                                        "and what it called.", long_, in)
                          : format_text("%s", "");
    free(long_);
    free(in);
    return largest;
}

/* A wait of the first thread for so much of the run is named, if strands waited longer elsewhere:
 * they may have waited for it. */
#define FIRST_THREAD 0.5

/* " Outside every task, the first thread waited 390 ms to 480 ms of 650 ms in f (x.c:8) and what
 * it called.", or "". */
static char *first_threads(const struct paths *t)
{
    const struct profile *p = t ? t->summary->profile : 0;
    double ns, first, elapsed = p ? p->totals.elapsed_ns : 0;
    char a[FORMAT_SIZE];
    int line;
    const struct path_node *all = waits_most(t, false, &ns, &line),
                           *in = waits_most(t, true, &first, &line);
    bool one = p && !p->rank_count && p->input_count < 2;       /* one first thread */
    if (!one || !in || in->function == all->function || first < FIRST_THREAD * elapsed)
        return format_text("%s", "");
    char *long_ = how_long(p, first, elapsed), *place = place_of_call(in, line);
    char *text = long_ ? format_text(" Outside every task, the first thread waited %s of %s in %s "
                                     "and what it called.",
                                     long_, format_short_ns(elapsed, a), place)
                       : format_text("%s", "");
    free(long_);
    free(place);
    return text;
}

char *wait_sentence(const struct finding *f, const struct summary *m, const struct paths *t,
                    enum wait_parts parts)
{
    double most;
    char a[FORMAT_SIZE];
    const struct row *where = most_blocked(m, &most);
    char *tasks = where && !where->root ? place_of_tasks(where) : 0, *text = 0;
    size_t size = 0;
    FILE *out = format_memory(open_memstream(&text, &size));
    fprintf(out, "Strands were off the CPU for %s, %.0f %% of %s. %.0f %% of it was %s%s.",
            format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
            100 * ratio(fmax(most, 0), f->ns), tasks ? "in " : "",
            tasks ? tasks : "outside every task");
    free(tasks);
    if (parts != WAIT_WHERE) {
        char *why = why_blocked(m), *early = before_samples(f, m);
        fprintf(out, " %s.%s%s", why,
                parts == WAIT_ALL ? " Work and span do not contain this time." : "", early);
        free(why);
        free(early);
    }
    char *largest = largest_of(t), *first = parts == WAIT_WHERE ? 0 : first_threads(t);
    fputs(largest, out);
    fputs(first ? first : "", out);
    free(largest);
    free(first);
    fclose(out);
    return format_memory(text);
}

/* Is lack of a CPU among the findings? Then more threads have no more. */
static bool lacks_processors(const struct limits *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->found[i].why == REASON_PREEMPTED)
            return true;
    return false;
}

bool wait_in_bounds(const struct summary *m)
{
    return m->standstill.much && !summary_fills_run(m);
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
                       "this. So no run that divides the work as this one did is faster than the "
                       "span, but parallelism and these bounds do not say how fast one is.%s",
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

/* So many off-CPU samples that found waits for locks show that a lock is to be changed. */
#define LOCK_SAMPLES 3

char *wait_lock(const struct paths *t, double least)
{
    const struct path_node *caller;
    int line;
    double most, ns = t ? paths_locked(t, &caller, &line, &most) : 0;
    if (ns < LOCK_SAMPLES * (double)LPF_OFF_CPU_NS || ns < least || !caller)
        return 0;
    char *long_ = how_long(t->summary->profile, most, INFINITY);
    if (!long_)
        return 0;
    char *place = place_of_call(caller, line);
    char *text = format_text("Change first: what runs inside the lock that %s takes. Off-CPU "
                             "samples found threads waiting there for %s: shorten the time inside.",
                             place, long_);
    free(place);
    free(long_);
    return text;
}

char *wait_scenarios(const struct limits *l, const struct summary *m)
{
    double entering = 0, blocked = 0;
    for (unsigned i = 0; i < l->count; i++) {
        entering += l->found[i].what == LIMITED_BY_WAITS ? l->found[i].share : 0;
        blocked += l->found[i].what == LIMITED_BY_BLOCKING ? l->found[i].share : 0;
    }
    if (entering + blocked <= 0)
        return 0;
    char *in = entering > 0 ? format_text("waited %.0f %% of %s to enter critical sections or take "
                                          "locks", 100 * entering, place_of_time(m->profile))
                            : format_text("%s", ""),
         *off = blocked > 0 ? format_text("were off the CPU for %s%.0f %% of %s",
                                          *in ? "another " : "", 100 * blocked,
                                          *in ? "it" : place_of_time(m->profile))
                            : format_text("%s", "");
    char *text = format_text("Scenarios do not shorten waits: strands %s%s%s. Where strands keep "
                             "each other out, the program gains less than its parallelism allows, "
                             "or nothing.", in, *in && *off ? ", and " : "", off);
    free(in);
    free(off);
    return text;
}
