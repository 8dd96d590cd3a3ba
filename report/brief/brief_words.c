/* brief_words.c - the answer of the brief report. Its sentences are those of limit_words.h: the
 * costliest finding, and what the parallelism allows unless that is ample. Then comes one action:
 * that of the sentence, or the verdict of the function that matters most for the finding. A second
 * finding follows if it costs nearly as much: on a busy machine it may be the program's fault.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "analysis/path_origin.h"
#include "analysis/path_wait.h"
#include "analysis/ranks.h"
#include "base/format.h"
#include "brief/brief_page.h"
#include "symbols/construct_names.h"
#include "words/bound_words.h"
#include "words/limit_words.h"
#include "words/place_words.h"
#include "words/wait_words.h"

/* Does R's verdict ask for a change? */
static bool asks(const struct path_row *r)
{
    return r->verdict_kind == VERDICT_CHANGE || r->verdict_kind == VERDICT_SERIAL ||
           r->verdict_kind == VERDICT_LOCK || r->verdict_kind == VERDICT_GRAIN;
}

static const char *metric_of(const struct finding *f)
{
    if (!f || f->what == LIMITED_BY_SPAN || f->what == LIMITED_BY_LIBPROF ||
        f->what == LIMITED_BY_MPI)
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

/* Of R, "called by load (rows.c:12), in tasks of parallel_for at main (rows.c:20)"; 12 is the line
 * of the call. "Called below load", if load calls another function, which jumps here. NULL: FROM
 * knows neither. KNOWN: a site that need not be named. */
static char *from_words(const struct paths *t, const struct path_row *r,
                        const struct path_origin *from, const struct row *known)
{
    char *caller = 0, *tasks = from->site && from->site != known ? place_of_tasks(from->site) : 0;
    if (from->caller) {
        char *name = name_in_words(from->caller->function, 0, 0, 0);
        char *fitted = name_in_words_fit(name, 60);
        const char *file = format_base(from->caller->file);
        const char *how = path_origin_is_below(t, r, from->caller) ? "below" : "by";
        caller = from->line ? format_text("called %s %s (%s:%d)", how, fitted, file, from->line)
                            : format_text("called %s %s (%s)", how, fitted, file);
        free(name);
        free(fitted);
    }
    char *text = caller || tasks
                     ? format_text("%s%s%s%s", caller ? caller : "", caller && tasks ? ", " : "",
                                   tasks ? "in " : "", tasks ? tasks : "")
                     : 0;
    free(caller);
    free(tasks);
    return text;
}

/* Where R has most of its cost, as ", called by load (rows.c:12)": what is to be changed may be
 * there, as a loop around the call, or the filter that makes it. *PART: where that is not nearly
 * all of its cost, it becomes ", 65 % (+- 8) of it called by load (rows.c:12)", to be printed after
 * all of R's cost, which this place does not have; else "". The caller frees both. */
static char *origin_words(const struct text_page *g, const struct path_row *r, const char *metric,
                          const struct row *known, char **part)
{
    struct path_origin from = path_origin(g->paths, r, metric);
    char *words = from_words(g->paths, r, &from, known), *whole, margin[48] = "";
    bool all = from.share >= NEARLY_ALL;
    if (from.margin > 0)
        snprintf(margin, sizeof margin, " (+- %.0f)", 100 * from.margin);
    whole = words && all ? format_text(", %s", words) : format_text("%s", "");
    *part = words && !all ? format_text(", %.0f %%%s of it %s", 100 * from.share, margin, words)
                          : format_text("%s", "");
    free(words);
    return whole;
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
            path_origin(t, r, "work").likely == site)
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
    char *tasks = place_of_tasks(site), *name = busiest ? brief_function_at(busiest) : 0, *part = 0,
         *origin = busiest ? origin_words(g, busiest, "work", site, &part) : 0;
    char *text = format_text("%s%s%s%s%s", tasks, name ? ", most of whose work is in " : "",
                             name ? name : "", origin ? origin : "", part ? part : "");
    free(tasks);
    free(name);
    free(origin);
    free(part);
    return text;
}

/* Waits for locks of this part of the time off the CPU are a reason to change a lock. */
#define LOCK_PART 0.25

/* Notes the first code that a sentence names, for who asks for it. */
static void note_about(const struct text_page *g, struct text_about about)
{
    if (g->about && !g->about->row && !g->about->node)
        *g->about = about;
}

/* Prints that the lock is to be changed that threads waited for longest. False: see wait_lock. */
static bool print_lock(const struct text_page *g, double least)
{
    const struct path_node *caller;
    int line;
    double most;
    char *text = wait_lock(g->paths, least);
    bool known = text;
    if (known) {
        paragraph(g, "", "%s", text);
        paths_locked(g->paths, &caller, &line, &most);
        note_about(g, (struct text_about){ 0, caller, line, "blocked" });
    }
    free(text);
    return known;
}

/* Is R about a lock: by its verdict, or as the system's code that waits for it? */
static bool is_about_lock(const struct path_row *r, const char *metric)
{
    return r->verdict_kind == VERDICT_LOCK ||
           (!strcmp(metric, "blocked") && module_is_system(r->module));
}

/* How the sentence on the function to change begins. */
enum begin {
    CHANGE_FIRST,
    FOR_MORE,                   /* the workers had work all the time: it helps others beside them */
    THEN_CHANGE                 /* the machine was busy, and that cost most */
};

/* A function with less than this part of a serial phase is not named for all of it. */
#define PHASE_PART 0.6

/* Sets OUTSIDE to the cost of each node and of what it calls outside of tasks. TASKS: by node, does
 * it have tasks below it? */
static void sum_outside(const struct paths *t, struct path_cost *outside, bool *tasks)
{
    for (uint32_t i = 0; i < t->node_count; i++)
        if (!t->nodes[i].owner)
            outside[i] = t->nodes[i].self;
    for (uint32_t i = t->node_count; i-- > 1;) {
        path_add(&outside[t->nodes[i].parent], &outside[i]);
        tasks[t->nodes[i].parent] |= tasks[i] || t->nodes[i].owner;
    }
}

/* The outermost function of the program, below its first one, that R is called from and that has no
 * task below it; or R itself, without its tasks: the serial phase that R is in. *COST: that of the
 * phase; *TASKS: it has tasks, too. NULL: R is most of it, or it is in tasks. */
static const struct path_node *phase_of(const struct paths *t, const struct path_row *r,
                                        struct path_cost *cost, bool *has_tasks)
{
    uint32_t at = r->node;
    /* of a job, the verdict is on the ranks that have the function itself */
    if (r->verdict_kind != VERDICT_SERIAL || t->nodes[at].owner ||
        t->summary->profile->rank_count > 1)
        return 0;
    bool *tasks = format_memory(calloc(t->node_count + 1, sizeof *tasks));
    struct path_cost *outside = format_memory(calloc(t->node_count + 1, sizeof *outside));
    sum_outside(t, outside, tasks);
    for (uint32_t up = t->nodes[at].parent; up && t->nodes[up].parent && !tasks[up];
         up = t->nodes[up].parent)
        if (t->nodes[up].file && !module_is_system(t->nodes[up].module))
            at = up;
    *cost = outside[at];
    *has_tasks = tasks[at];
    free(tasks);
    free(outside);
    return r->self.span < PHASE_PART * cost->span ? &t->nodes[at] : 0;
}

/* A share whose margin is more than these parts of it: what is known without it is better; it says
 * too little to act on. */
#define HALF_KNOWN 0.5
#define LITTLE_KNOWN 0.75

/* Is the margin of R's share of the critical path, as it is named, more than PART of that share? */
static bool is_doubtful(const struct paths *t, const struct path_row *r, double part)
{
    struct path_cost cost;
    bool tasks;
    if (t->summary->profile->rank_count > 1)
        return false;
    if (!phase_of(t, r, &cost, &tasks))
        cost = r->self;
    return cost.on_span &&
           path_margin(&cost, &t->total) > part * ratio(cost.span, t->total.span);
}

/* So many samples tell which function most of some strands are. */
#define LEAST_SAMPLES 4

/* The strands that R is in, if most samples on their part of the critical path hit it. How long
 * that part is depends on no sample. *HITS of *ALL samples hit R. NULL: too few samples. */
static const struct row *strands_of(const struct paths *t, const struct path_row *r,
                                    uint64_t *hits, uint64_t *all)
{
    const struct summary *m = t->summary;
    const struct row *strands = path_origin(t, r, "span").site;
    bool outside = !t->nodes[r->node].owner;
    *hits = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].function == r->function && t->nodes[i].file == r->file &&
            !t->nodes[i].owner == outside)
            *hits += t->nodes[i].self.on_span;
    for (size_t i = 0; outside && i < m->row_count; i++)
        if (m->rows[i].root)
            strands = &m->rows[i];
    /* the tasks of one site have no more samples than those of all */
    *all = outside ? t->outside_on_span : t->total.on_span - t->outside_on_span;
    return *hits >= LEAST_SAMPLES && *hits <= *all && *hits > *all / 2 ? strands : 0;
}

/* The function with the largest share of METRIC whose verdict asks for a change, or NULL. If more
 * of METRIC was beside no function that is known, none is to blame. Nor is one if its share of the
 * critical path is in doubt, and so is that it is most of the strands that it is in. */
static const struct path_row *first_to_change(const struct paths *t, const char *metric)
{
    const struct path_row *best = 0;
    uint64_t hits, all;
    double unknown = t && !strcmp(metric, "idleness") ? path_metric(&t->nodes[0].self, metric) : 0;
    for (size_t i = 0; t && i < t->function_count; i++) {
        const struct path_row *r = &t->functions[i];
        double here = path_metric(&r->self, metric);
        if (asks(r) && here > 0 && here >= BRIEF_WORTH * path_metric(&t->total, metric) &&
            (!best || here > path_metric(&best->self, metric)))
            best = r;
    }
    if (best && (path_metric(&best->self, metric) < unknown ||
                 (!strcmp(metric, "span") && best->verdict_kind != VERDICT_GRAIN &&
                  is_doubtful(t, best, LITTLE_KNOWN) && !strands_of(t, best, &hits, &all))))
        return NULL;
    return best;
}

/* "refresh (x.cpp:39) and what it calls, 83 % (+- 9) of the critical path, of which cell_of
 * (x.cpp:19) has most. Verdict: ...", where R is a part of a serial phase, and TOP is all of it, of
 * COST. TASKS: TOP has tasks, too, which are not in COST. */
static char *phase_words(const struct text_page *g, const struct path_row *r,
                         const struct path_node *top, const struct path_cost *cost, bool tasks)
{
    const struct paths *t = g->paths;
    const struct path_row *whole = 0;
    for (size_t i = 0; i < t->function_count && !whole; i++)
        if (t->functions[i].function == top->function && t->functions[i].file == top->file)
            whole = &t->functions[i];
    if (!whole)
        return 0;
    char *name = brief_function_at(whole), *in = whole == r ? 0 : brief_function_at(r),
         margin[48] = "";
    if (cost->on_span)
        snprintf(margin, sizeof margin, " (+- %.0f)", 100 * path_margin(cost, &t->total));
    char *text = format_text("%s and what it calls%s, %.0f %%%s of the critical path%s%s%s. "
                             "Verdict: %s",
                             name, tasks ? " outside of tasks" : "",
                             100 * ratio(cost->span, t->total.span), margin,
                             in ? ", of which " : "", in ? in : "", in ? " has most" : "",
                             r->verdict);
    free(name);
    free(in);
    return text;
}

/* Notes R, of whose cost METRIC a sentence speaks, and who called it, if R is the system's code. */
static void note_function(const struct text_page *g, const struct path_row *r, const char *metric)
{
    struct path_origin from = { 0 };
    if (path_in_brackets(r->function))
        return;
    if (module_is_system(r->module))
        from = path_origin(g->paths, r, metric);
    note_about(g, (struct text_about){ r, from.caller, from.line, metric });
}

/* "the code outside every task, 93 % of the critical path, where 6 of 7 samples hit main (x.c:5).
 * Verdict: ...", of STRANDS, those of R. */
static char *strands_words(const struct row *strands, const struct path_row *r, uint64_t hits,
                           uint64_t all)
{
    char *name = brief_function_at(r), *tasks = strands->root ? 0 : place_of_tasks(strands),
         a[FORMAT_SIZE], b[FORMAT_SIZE];
    char *text = format_text("%s, %.0f %% of the critical path, where %s of %s samples hit %s. "
                             "Verdict: %s",
                             tasks ? tasks : "the code outside every task", 100 * strands->share,
                             format_count(hits, a), format_count(all, b), name, r->verdict);
    free(name);
    free(tasks);
    return text;
}

/* R's share of METRIC, 0 to 1. Beside a thread that was in R for so long, no more others idled. */
static double share_of(const struct paths *t, const struct path_row *r, const char *metric)
{
    double here = path_metric(&r->self, metric), others = t->summary->profile->totals.workers - 1.0;
    if (!strcmp(metric, "idleness"))
        here = fmin(here, fmax(others, 0) * ((double)r->self.work + r->self.blocked));
    return ratio(here, path_metric(&t->total, metric));
}

/* Prints the function to change first, by METRIC. False: no verdict asks for a change. */
static bool print_function(const struct text_page *g, const char *metric, enum begin begin)
{
    const struct path_row *r = first_to_change(g->paths, metric);
    if (!r)
        return false;
    /* its overhead is the runtime's, in tasks that need not be on the path that it is on */
    if (r->verdict_kind == VERDICT_GRAIN && !strcmp(metric, "span"))
        metric = "overhead";
    if (is_about_lock(r, metric) && print_lock(g, 0.5 * r->self.blocked))
        return true;
    double share = share_of(g->paths, r, metric);
    char *tasks = path_in_brackets(r->function) ? tasks_words(g, r) : 0,
         *name = tasks ? tasks : brief_function_at(r),
         *fitted = tasks ? format_text("%s", tasks) : name_in_words_fit(name, 80),
         *part = 0, *origin = tasks ? 0 : origin_words(g, r, metric, 0, &part), margin[48] = "";
    if (!strcmp(metric, "span") && r->self.on_span)
        snprintf(margin, sizeof margin, " (+- %.0f)",
                 100 * path_margin(&r->self, &g->paths->total));
    char *first = begin == FOR_MORE
                      ? format_text("For more than its %u worker%s, change first", g->t->workers,
                                    g->t->workers == 1 ? "" : "s")
                      : format_text("%s", begin == THEN_CHANGE ? "Then change" : "Change first");
    struct path_cost cost;
    bool has_tasks;
    bool span = !strcmp(metric, "span");
    uint64_t hits, all;
    const struct row *strands = span && is_doubtful(g->paths, r, HALF_KNOWN)
                                    ? strands_of(g->paths, r, &hits, &all)
                                    : 0;
    const struct path_node *top = span && !strands ? phase_of(g->paths, r, &cost, &has_tasks) : 0;
    char *phase = strands ? strands_words(strands, r, hits, all)
                  : top   ? phase_words(g, r, top, &cost, has_tasks)
                          : 0;
    note_function(g, r, metric);
    if (phase)
        paragraph(g, "", "%s: %s.", first, phase);
    else
        paragraph(g, "", "%s: %s%s, %.0f %%%s %s%s. Verdict: %s.", first, fitted,
                  origin ? origin : "", 100 * share, margin, share_words(metric),
                  part ? part : "", r->verdict);
    free(phase);
    free(first);
    free(name);
    free(fitted);
    free(origin);
    free(part);
    return true;
}

/* A rank's function with so much of its samples is named. */
#define MUCH 0.3

/* ", 86 % of it in energy_of (heat.c:36)", where R's samples hit one function most; else "". */
static char *busiest_in(const struct paths *t, const struct lpf_rank *r)
{
    size_t count;
    struct rank_part *parts = ranks_functions(t, &count), *best = 0;
    for (size_t i = 0; i < count; i++)
        if (&t->summary->profile->ranks[parts[i].rank] == r &&
            (!best || parts[i].samples > best->samples))
            best = &parts[i];
    double share = best ? ratio(best->samples, r->samples) : 0;
    char *name = share >= MUCH ? brief_function_at(&t->functions[best->function]) : 0;
    char *text = name ? format_text(", %.0f %% of it in %s", 100 * share, name)
                      : format_text("%s", "");
    free(name);
    free(parts);
    return text;
}

/* "Give rank 1 less of the work, or more workers", where a shorter critical path alone does not
 * help; else NULL. TOP: the costliest finding, or NULL. */
static char *relieve_words(const struct text_page *g, const struct finding *top)
{
    double needs;
    const struct lpf_rank *r = summary_slowest_rank(g->m, &needs);
    char a[FORMAT_SIZE];
    if (!r || strcmp(metric_of(top), "span") != 0)
        return 0;
    char *in = g->paths ? busiest_in(g->paths, r) : format_text("%s", "");
    char *text = format_text("Give rank %u less of the work, or more workers: it needs %s for its "
                             "work with its %u worker%s, longer than the critical path%s.",
                             r->rank, format_short_ns(needs, a), r->workers,
                             r->workers == 1 ? "" : "s", in);
    free(in);
    return text;
}

/* Prints one action. TOP: the costliest finding, or NULL. ACTION: limit_action's. True: it is a
 * function to change, and the sentence begins with BEGIN. */
static bool print_action(const struct text_page *g, const struct finding *top, const char *action,
                         bool span, enum begin begin)
{
    if (top && limit_advises(top))
        return false;
    if (action) {
        paragraph(g, "", "Do first: %c%s", tolower((unsigned char)*action), action + 1);
        return false;
    }
    if (g->m->standstill.much && summary_fills_run(g->m) && print_function(g, "span", CHANGE_FIRST))
        return true;
    if (print_function(g, metric_of(top), begin))
        return true;
    if (top && top->what == LIMITED_BY_BLOCKING && print_lock(g, LOCK_PART * top->ns))
        return true;
    if (top && top->what == LIMITED_BY_BLOCKING && g->m->standstill.much) {
        /* faster code of the critical path leaves the waits as they are */
        paragraph(g, "", "Do first: see what these strands wait for, and shorten or overlap it.");
        return false;
    }
    return (span || !top) && strcmp(metric_of(top), "span") != 0 &&
           print_function(g, "span", begin);
}

/* Notes the code that the sentence on the finding TOP names. TOP may be NULL. */
static void note_finding(const struct text_page *g, const struct finding *top)
{
    int line = 0;
    const struct path_node *in = 0;
    if (top && top->what == LIMITED_BY_BLOCKING)
        in = wait_place(g->paths, &line);
    else if (top && top->what == LIMITED_BY_SPINNING && (in = top->caller))
        line = in->line;
    if (in)
        note_about(g, (struct text_about){ 0, in, line,
                                           top->what == LIMITED_BY_SPINNING ? "work" : "blocked" });
}

/* What the parallelism allows, beside the finding TOP, or NULL. ADVISED: what to do is printed
 * elsewhere. */
static char *bound_of(const struct text_page *g, const struct limits *l, const struct finding *top,
                      bool advised)
{
    bool shorten, waits = top && (top->what == LIMITED_BY_WAITS ||
                                  top->what == LIMITED_BY_BLOCKING);
    char *bound = bound_sentence(l, g->m, !top, &shorten);
    const char *more = waits ? 0 : bound_lacks(l, g->m);
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

/* NAMED: the function to change first is printed. ACTIONS: as brief_answer states. True: the
 * function is printed now, or what else to do to the program. */
static bool print_second(const struct text_page *g, const struct limits *l, bool named,
                         bool actions)
{
    const struct finding *first = &l->found[0], *f = first + 1;
    if (l->count < 2 || f->share < SECOND_SHARE ||
        (f->share < SECOND_PART * first->share && first->why != REASON_PREEMPTED))
        return named;
    char *text = f->what == LIMITED_BY_BLOCKING ? wait_sentence(f, g->m, g->paths, WAIT_WHERE)
                                                : limit_sentence(l, f, g->m, g->paths);
    const char *action = limit_advises(f) ? 0 : limit_action(l, f, g->m);
    bool again = first->why == REASON_PREEMPTED && f->why == REASON_PREEMPTED;
    if (!actions)
        paragraph(g, "", "Second: %s%s%s", text, action && !again ? " " : "",
                  action && !again ? action : "");
    free(text);
    if (action && again)
        return named;           /* it is the first action, too */
    if (!action && !named && !limit_advises(f))
        named = print_function(g, metric_of(f), CHANGE_FIRST);
    return named || limit_advises(f) || action;
}

/* Workers that had work for this part of the time gain nothing by a shorter critical path. */
#define BUSY 0.9

/* Prints what limits the program. TOP: the costliest finding, or NULL. SPAN: also what the
 * parallelism allows. ADVISED: what to do is printed elsewhere. */
static void print_limits(const struct text_page *g, const struct limits *l,
                         const struct finding *top, bool span, bool advised)
{
    char *what = !top ? 0
                 : top->what == LIMITED_BY_BLOCKING && span && wait_in_bounds(g->m)
                     ? wait_sentence(top, g->m, g->paths, WAIT_NOT_APART)
                     : limit_sentence(l, top, g->m, g->paths),
         *bound = span ? bound_of(g, l, top, advised) : 0;
    if (!top && l->ledger.known)
        paragraph(g, "", "%.0f %% of %s was the program's own work. %s",
                  100 * ratio(l->ledger.work, l->ledger.all),
                  l->ledger.crowd ? "all threads' time" : "its worker time", bound);
    else
        paragraph(g, "", "%s%s%s", what ? what : "", what && bound ? " " : "",
                  bound ? bound : "");
    free(what);
    free(bound);
}

void brief_answer(const struct text_page *g, bool actions)
{
    struct limits l;
    limits_new(&l, g->m, g->paths);
    const struct finding *top = l.count ? &l.found[0] : 0;
    unsigned workers = g->t->workers ? g->t->workers : 1;
    bool ample = g->m->parallelism >= (double)LIMIT_AMPLE * workers;
    bool span = !top || !ample || top->what == LIMITED_BY_SPAN || bound_is_alone(g->m);
    const char *action = top ? limit_action(&l, top, g->m) : 0;
    char *relieve = action ? 0 : relieve_words(g, top);
    action = action ? action : relieve;
    bool advised = (top && limit_advises(top)) || action ||
                   first_to_change(g->paths, metric_of(top)) ||
                   (span && first_to_change(g->paths, "span"));
    if (!actions)
        print_limits(g, &l, top, span, advised);
    bool busy = !top && l.ledger.known && l.ledger.work > BUSY * l.ledger.all &&
                g->m->parallelism > workers / LIMIT_SERIAL;
    bool named = print_action(g, top, action, span, busy ? FOR_MORE : CHANGE_FIRST);
    named = print_second(g, &l, named, actions);
    if (!named && top && top->why == REASON_PREEMPTED)
        print_function(g, "span", THEN_CHANGE);
    free(relieve);
    note_finding(g, top);
}
