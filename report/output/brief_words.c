/* brief_words.c - the answer of the brief report. Its sentences are those of limit_words.h: the
 * costliest finding, and what the parallelism allows unless that is ample. Then comes one action:
 * that of the sentence, or the verdict of the function that matters most for the finding. A second
 * finding follows if it costs nearly as much: on a busy machine it may be the program's fault.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "analysis/path_origin.h"
#include "analysis/path_wait.h"
#include "base/format.h"
#include "output/brief_page.h"
#include "output/limit_words.h"
#include "output/place_words.h"
#include "symbols/name_in_words.h"

/* Does R's verdict ask for a change? */
static bool asks(const struct path_row *r)
{
    return r->verdict_kind == VERDICT_CHANGE || r->verdict_kind == VERDICT_SERIAL ||
           r->verdict_kind == VERDICT_LOCK;
}

/* The function with the largest share of METRIC whose verdict asks for a change, or NULL. */
static const struct path_row *first_to_change(const struct paths *t, const char *metric)
{
    const struct path_row *best = 0;
    for (size_t i = 0; t && i < t->function_count; i++) {
        const struct path_row *r = &t->functions[i];
        double here = path_metric(&r->self, metric);
        if (asks(r) && here > 0 && here >= BRIEF_WORTH * path_metric(&t->total, metric) &&
            (!best || here > path_metric(&best->self, metric)))
            best = r;
    }
    return best;
}

static const char *metric_of(const struct finding *f)
{
    if (!f || f->what == LIMITED_BY_SPAN || f->what == LIMITED_BY_LIBPROF)
        return "span";
    return f->what == LIMITED_BY_OVERHEAD   ? "overhead"
           : f->what == LIMITED_BY_BLOCKING ? "blocked"
                                            : "idleness";
}

static const char *share_words(const char *metric)
{
    return !strcmp(metric, "span")       ? "of the critical path"
           : !strcmp(metric, "overhead") ? "of the overhead in strands"
           : !strcmp(metric, "blocked")  ? "of the time off the CPU in strands"
                                         : "of the idle time";
}

/* A function with a larger share of its cost at one place runs there, and the share is not printed.
 */
#define NEARLY_ALL 0.95

/* ", called by load (rows.c:12), in tasks of parallel_for at main (rows.c:20)", of most of R's
 * cost. What is to be changed may be there: a loop around the call, the filter that makes it.
 * KNOWN: a site that need not be named. */
static char *origin_words(const struct text_page *g, const struct path_row *r, const char *metric,
                          const struct row *known)
{
    struct path_origin from = path_origin(g->paths, r, metric);
    char *caller = 0, part[32] = "",
         *tasks = from.site && from.site != known ? place_of_tasks(from.site) : 0;
    if (from.caller) {
        char *name = name_in_words(from.caller->function, 0, 0, 0);
        char *fitted = name_in_words_fit(name, 60);
        caller = format_text("%s (%s:%d)", fitted, format_base(from.caller->file),
                             from.caller->declared);
        free(name);
        free(fitted);
    }
    if (from.share < NEARLY_ALL)
        snprintf(part, sizeof part, "%.0f %% of it ", 100 * from.share);
    char *text = caller || tasks
                     ? format_text(", %s%s%s%s%s", part, caller ? "called by " : "",
                                   caller ? caller : "", !tasks ? "" : caller ? ", in " : "in ",
                                   tasks ? tasks : "")
                     : format_text("%s", "");
    free(caller);
    free(tasks);
    return text;
}

/* The function that does most of the work of SITE's tasks. NULL: not known. */
static const struct path_row *busiest_of(const struct paths *t, const struct row *site)
{
    const struct path_row *best = 0;
    double least = BRIEF_WORTH * path_metric(&t->total, "work");
    for (size_t i = 0; i < t->function_count; i++) {
        const struct path_row *r = &t->functions[i];
        if (!path_in_brackets(r->function) && r->file && path_metric(&r->self, "work") >= least &&
            (!best || r->self.work > best->self.work) &&
            path_origin(t, r, "work").site == site)
            best = r;
    }
    return best;
}

/* R has the cost of tasks in which samples show no function on the critical path: "parts of the
 * parallel region at main (rows.c:4), most of whose work is in f (rows.c:2)". */
static char *tasks_words(const struct text_page *g, const struct path_row *r)
{
    const struct row *site = summary_heaviest(g->m);
    size_t n = strlen(r->function);
    if (!site || site->root || n < 3 || strlen(site->construct) != n - 2 ||
        strncmp(site->construct, r->function + 1, n - 2))
        return 0;
    const struct path_row *busiest = busiest_of(g->paths, site);
    char *tasks = place_of_tasks(site), *name = busiest ? brief_function_at(busiest) : 0,
         *origin = busiest ? origin_words(g, busiest, "work", site) : 0;
    char *text = format_text("%s%s%s%s", tasks, name ? ", most of whose work is in " : "",
                             name ? name : "", origin ? origin : "");
    free(tasks);
    free(name);
    free(origin);
    return text;
}

/* So many off-CPU samples that found waits for locks, and this part of what is to be explained,
 * show that a lock is to be changed. */
#define LOCK_SAMPLES 3
#define LOCK_PART 0.25

/* Prints that the lock is to be changed that threads waited for longest. Which of the program's
 * functions run inside it, no profile shows, but where threads wait for it. False: that is not
 * known, or it is less than LEAST ns. */
static bool print_lock(const struct text_page *g, double least)
{
    const struct path_node *caller;
    char a[FORMAT_SIZE];
    double ns = g->paths ? paths_locked(g->paths, &caller) : 0;
    if (ns < LOCK_SAMPLES * (double)LPF_OFF_CPU_NS || ns < least || !caller)
        return false;
    char *place = place_of_node(caller);
    paragraph(g, "", "Change first: what runs inside the lock that %s takes. Off-CPU samples found "
              "threads waiting there for %s: shorten the time inside.",
              place, format_short_ns(ns, a));
    free(place);
    return true;
}

/* Is R about a lock: by its verdict, or as the system's code that waits for it? */
static bool is_about_lock(const struct path_row *r, const char *metric)
{
    return r->verdict_kind == VERDICT_LOCK ||
           (!strcmp(metric, "blocked") && module_is_system(r->module));
}

/* Prints the function to change first, by METRIC. False: no verdict asks for a change. */
static bool print_function(const struct text_page *g, const char *metric)
{
    const struct path_row *r = first_to_change(g->paths, metric);
    if (!r)
        return false;
    if (is_about_lock(r, metric) && print_lock(g, 0.5 * r->self.blocked))
        return true;
    double share = ratio(path_metric(&r->self, metric), path_metric(&g->paths->total, metric));
    char *tasks = path_in_brackets(r->function) ? tasks_words(g, r) : 0,
         *name = tasks ? tasks : brief_function_at(r),
         *fitted = tasks ? format_text("%s", tasks) : name_in_words_fit(name, 80),
         *origin = tasks ? format_text("%s", "") : origin_words(g, r, metric, 0), margin[48] = "";
    if (!strcmp(metric, "span") && r->self.on_span)
        snprintf(margin, sizeof margin, " (+- %.0f)",
                 100 * path_margin(&r->self, &g->paths->total));
    paragraph(g, "", "Change first: %s%s, %.0f %%%s %s. Verdict: %s.", fitted, origin, 100 * share,
              margin, share_words(metric), r->verdict);
    free(name);
    free(fitted);
    free(origin);
    return true;
}

/* Prints one action. TOP: the costliest finding, or NULL. ACTION: limit_action's. True: it is a
 * function to change. */
static bool print_action(const struct text_page *g, const struct finding *top, const char *action,
                         bool span)
{
    if (top && limit_advises(top))
        return false;
    if (action) {
        paragraph(g, "", "Do first: %c%s", tolower((unsigned char)*action), action + 1);
        return false;
    }
    if (g->m->standstill.much && summary_fills_run(g->m) && print_function(g, "span"))
        return true;
    if (print_function(g, metric_of(top)))
        return true;
    if (top && top->what == LIMITED_BY_BLOCKING && print_lock(g, LOCK_PART * top->ns))
        return true;
    if (top && top->what == LIMITED_BY_BLOCKING && g->m->standstill.much) {
        /* faster code of the critical path leaves the waits as they are */
        paragraph(g, "", "Do first: see what these strands wait for, and shorten or overlap it.");
        return false;
    }
    return (span || !top) && strcmp(metric_of(top), "span") != 0 && print_function(g, "span");
}

/* What the parallelism allows. ADVISED: what to do is printed elsewhere. WAITS: that strands waited
 * is, too. */
static char *bound_of(const struct text_page *g, const struct limits *l, bool advised, bool waits)
{
    bool shorten;
    char *bound = limit_bound(l, g->m, &shorten);
    const char *more = waits ? 0 : limit_unbounded(l, g->m);
    char *text = format_text("%s%s%s%s", bound,
                             shorten && !advised ? " Shorten the critical path." : "",
                             more ? " " : "", more ? more : "");
    free(bound);
    return text;
}

/* The second finding is printed if its share is at least this, and this part of the first's; or if
 * the first is not the program's. */
#define SECOND_SHARE 0.10
#define SECOND_PART 0.5

/* NAMED: the function to change first is printed. */
static void print_second(const struct text_page *g, const struct limits *l, bool named)
{
    const struct finding *first = &l->found[0], *f = first + 1;
    if (l->count < 2 || f->share < SECOND_SHARE ||
        (f->share < SECOND_PART * first->share && first->why != REASON_PREEMPTED))
        return;
    char *text = limit_sentence(l, f, g->m, g->paths);
    const char *action = limit_advises(f) ? 0 : limit_action(l, f, g->m);
    paragraph(g, "", "Second: %s", text);
    free(text);
    if (action)
        paragraph(g, "", "Do: %c%s", tolower((unsigned char)*action), action + 1);
    else if (!named && !limit_advises(f))
        print_function(g, metric_of(f));
}

void brief_answer(const struct text_page *g)
{
    struct limits l;
    limits_new(&l, g->m, g->paths);
    const struct finding *top = l.count ? &l.found[0] : 0;
    unsigned workers = g->t->workers ? g->t->workers : 1;
    bool ample = g->m->parallelism >= (double)LIMIT_AMPLE * workers;
    bool span = !top || !ample || top->what == LIMITED_BY_SPAN;
    const char *action = top ? limit_action(&l, top, g->m) : 0;
    bool advised = (top && limit_advises(top)) || action ||
                   first_to_change(g->paths, metric_of(top)) ||
                   (span && first_to_change(g->paths, "span"));
    bool waits = top && (top->what == LIMITED_BY_WAITS || top->what == LIMITED_BY_BLOCKING);
    char *what = top ? limit_sentence(&l, top, g->m, g->paths) : 0,
         *bound = span ? bound_of(g, &l, advised, waits) : 0;
    if (!top && l.ledger.known)
        paragraph(g, "", "%.0f %% of %s was the program's own work. %s",
                  100 * ratio(l.ledger.work, l.ledger.all),
                  l.ledger.crowd ? "all threads' time" : "its worker time", bound);
    else
        paragraph(g, "", "%s%s%s", what ? what : "", what && bound ? " " : "",
                  bound ? bound : "");
    bool named = print_action(g, top, action, span);
    print_second(g, &l, named);
    free(what);
    free(bound);
}
