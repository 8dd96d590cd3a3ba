/* path_verdict.c - the verdict on a function, from what is known of it: the table of docs/JSON.md,
 * in its order.
 *
 * A verdict on grain depends on the number of tasks that execute the function, on their length and
 * on the number of threads (struct path_grain). There is a verdict on idleness only if threads were
 * idle for want of tasks, not for want of a CPU.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/limits.h"
#include "analysis/path_judged.h"
#include "analysis/path_origin.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/wait_functions.h"
#include "base/format.h"
#include "profile/profile.h"

/* Overhead is a share of the function's own work. Above this, tasks are too small for their
 * cost. */
#define HIGH_OVERHEAD 0.20
/* Locks limit tasks that wait for them for this share of their work's time. The same share holds
 * for the waits that OpenMP's agent measures (excluded): below a tenth, the tasks would be faster
 * by less than that. */
#define LOCKED_SHARE 0.10
/* If tasks are few, the others wait for one that is so many times longer than the mean. */
#define UNEVEN 1.5
/* The first step of a recursion is so many times longer than the mean one. */
#define STEPPED 3.0
/* They fill their threads if their part of the critical path, on all threads, is no more than their
 * work by this factor. */
#define FILLED 0.85
/* A function of a region is balanced if its own work is about this share of the threads times its
 * own span: samples split both, each with an error. */
#define BALANCED 0.9
/* Others idle beside a function if they do for this share of its time. */
#define MOSTLY_IDLE 0.8
/* So many equal tasks at a time for each worker cost at most a quarter of the time by their
 * grain. */
#define COARSE 4.0

/* A verdict that asks for a change. */
static struct verdict change(const char *words)
{
    return (struct verdict){ VERDICT_CHANGE, words };
}

/* No verdict, and no other function is asked. */
static const struct verdict none = { VERDICT_NONE, "" };
static const struct verdict undecided = { VERDICT_NONE, 0 };

static const struct verdict serial = { VERDICT_SERIAL, "serial on the critical path: parallelise" };
/* All of it is on one path, so no two threads execute it at a time. Whether that is all of its
 * tasks in turn, as of a serial filter, or few of them, is not known. */
static const struct verdict one_at_a_time = {
    VERDICT_SERIAL, "one at a time on the critical path: parallelise or shorten it"
};

/* Did one thread do nearly all the work of a region's own strands? Of chunks that threads ask for,
 * one that is long may be nearly all. */
static bool alone(const struct path_grain *g)
{
    return g->regions && !g->hands_out && g->busiest_work >= LIMIT_ALONE * g->work;
}

/* Do J's tasks get smaller with every level of a recursion, as the steps that divide its data do?
 * Its leaves do not: they are equal, and there are enough of them. */
static bool is_divided(const struct paths *t, const struct judged *j)
{
    return j->recursive && j->g &&
           profile_ns(t->summary->profile, j->g->longest) >= STEPPED * j->mean;
}

/* The verdict on code that nothing else runs beside. It is a step of a recursion, or the work of
 * one thread of a region while the others execute tasks. A recursion's tasks get smaller with every
 * level, so the length of the first ones shows no imbalance. Undecided: the code is neither, or
 * there is ample parallelism. */
static struct verdict of_step(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    double ample = LIMIT_AMPLE * j->workers;
    if (j->span < HIGH_SHARE || t->summary->parallelism >= ample)
        return undecided;
    return (g && alone(g)) || (is_divided(t, j) && ratio(j->c->work, j->c->span) < ample)
               ? serial
               : undecided;
}

/* A verdict of KIND with TEXT, which is interned among T's names and freed. */
static struct verdict made(struct paths *t, enum verdict_kind kind, char *text)
{
    struct verdict v = { kind, path_intern(t, text) };
    free(text);
    return v;
}

/* The verdict on tasks of which the longest is far above the mean. */
static struct verdict of_longest(struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    double longest = profile_ns(t->summary->profile, g->longest);
    if (g->beside)
        return made(t, VERDICT_CHANGE,
                    format_text("imbalanced: what one thread does beside its chunks is %.0f %% of "
                                "the region's work",
                                100 * ratio(g->longest, g->work)));
    /* a task has the joins that its thread executes up the tree; how much they are is not known */
    if (g->reduces)
        return made(t, VERDICT_CHANGE,
                    format_text("longest of %s tasks %.1f x the mean, perhaps by its joins: then a "
                                "cheaper join, or fewer parts",
                                format_count(g->parts, a), ratio(longest, j->mean)));
    const char *words = g->cut && g->long_chunk
                            ? "uneven chunks: %s, longest %.1f x the mean: perhaps one iteration: "
                              "divide it"
                        : g->cut ? "uneven chunks: %s, longest %.1f x the mean: cut smaller ones"
                        : g->iteration
                            ? "imbalanced: %s tasks, longest %.1f x the mean: split that iteration"
                            : "imbalanced: %s tasks, longest %.1f x the mean";
    return made(t, VERDICT_CHANGE,
                format_text(words, format_count(g->parts, a), ratio(longest, j->mean)));
}

/* Do the tasks' parts of the critical path take no longer than all of them take on their threads?
 * Of few that are repeated, one may be long by an interrupt. That makes no other wait. */
static bool fills_threads(const struct judged *j)
{
    const struct path_grain *g = j->g;
    double threads = g->threads > 1 ? g->threads : j->workers;
    return FILLED * threads * g->span <= g->work;
}

/* Did libprof take as much off G's tasks as is left of them? Then the length of none is known. */
static bool is_taken(const struct paths *t, const struct path_grain *g)
{
    double taken = summary_taken(t->summary, g->tasks);
    return taken > 0 && taken >= profile_ns(t->summary->profile, g->work);
}

/* The verdict on tasks of which the longest is far above the mean, and is a good part of the
 * critical path or one of FEW. Undecided: it is not. If no worker idles, long tasks cost nothing
 * where parallelism is ample, and chunks of a loop never: a runtime makes some larger than
 * others. */
static struct verdict of_imbalance(struct paths *t, const struct judged *j, bool few)
{
    const struct path_grain *g = j->g;
    double longest = profile_ns(t->summary->profile, g->longest);
    if (longest < UNEVEN * j->mean || g->parts <= 1 || g->unlike || j->recursive || alone(g) ||
        is_taken(t, g) || (g->cut && !j->idles) ||
        ((!few || fills_threads(j)) && longest < HIGH_SHARE * t->summary->span) ||
        (!j->idles && t->summary->parallelism >= (double)LIMIT_AMPLE * j->workers))
        return undecided;
    return of_longest(t, j);
}

/* The verdict on the tasks that execute the function. Undecided: nothing stands out. */
static struct verdict of_grain(struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double at_a_time = limits_at_a_time(g->parts, g->on_count);
    if (g->tasks >= 2.0 * j->workers && !g->started && g->busiest_work >= LIMIT_ALONE * g->work)
        return made(t, VERDICT_SERIAL,
                    format_text("one thread executed %s of %s tasks",
                                format_count(g->busiest_tasks, a), format_count(g->tasks, b)));
    bool few = g->on_count && at_a_time < LIMIT_AMPLE * j->workers;
    struct verdict uneven = of_imbalance(t, j, few && at_a_time >= 2);
    if (uneven.words)
        return uneven;
    if (g->on_count && !g->unlike && at_a_time < COARSE * j->workers && at_a_time > LIMIT_SERIAL &&
        j->mean >= LIMIT_FINE_NS)
        return made(t, VERDICT_CHANGE,
                    format_text("too coarse for P: about %.*f tasks at a time, of %s",
                                at_a_time < 10, at_a_time, format_short_ns(j->mean, a)));
    return undecided;
}

/* A single, a master or a section cannot be balanced, and nothing shows that it is no loop. */
static const struct verdict one_share = {
    VERDICT_SERIAL,
    "one thread's part of a region, on the critical path: split it (a loop: balance it)"
};
/* A function with more of the critical path is not off it. */
#define OFF_PATH 0.03

static const struct verdict beside_share = {
    VERDICT_CHANGE, "off the critical path, beside a longer share of its region"
};
static const struct verdict beside_longer = {
    VERDICT_CHANGE, "off the critical path, beside something longer"
};
static const struct verdict beside_path = {
    VERDICT_CHANGE, "off the critical path: optimise serially"
};
/* Of a team of one thread, no finer or more even loop makes more. */
static const struct verdict inner = {
    VERDICT_CHANGE, "its teams, inside other tasks, may have one thread each: see their number of "
                    "threads"
};
static const struct verdict of_one = {
    VERDICT_CHANGE, "its region ran in teams of one thread: see its `if` clause, its number of "
                    "threads, and nesting"
};
static const struct verdict locked = {
    VERDICT_LOCK, "its tasks wait for a critical section or lock: shorten the time inside"
};

static const struct verdict spinning = {
    VERDICT_CHANGE, "its tasks yield or spin while they wait for others: see what they wait for"
};

static struct verdict off_path(const struct judged *j, struct verdict v)
{
    return j->span < OFF_PATH ? v : none;
}

/* Did all threads of a region have about as much of it? The region itself may be uneven by what is
 * beside it. */
static bool balanced(const struct judged *j)
{
    double threads = j->g && j->g->threads > 1 ? j->g->threads : j->workers;
    double part = 1 / (BALANCED * threads), samples = path_equal_samples(j->c);
    /* samples split both: of equal shares, this part of the samples is on the path, by chance more
     * or less */
    double error = samples >= 1 && part < 1 ? 2 * sqrt(part * (1 - part) / samples) : 0;
    return threads > 1 && j->c->span && (part + error) * j->c->work >= j->c->span;
}

/* Did all threads of a region have about as much of it, neither more nor less? Code of one thread
 * is on the critical path as a whole, or off it. */
static bool shared(const struct judged *j)
{
    double threads = j->g && j->g->threads > 1 ? j->g->threads : j->workers;
    double part = BALANCED / threads, samples = path_equal_samples(j->c);
    double error = samples >= 1 ? 2 * sqrt(part * (1 - part) / samples) : 0;
    return balanced(j) && j->c->span >= (part - error) * j->c->work;
}

/* Is its own parallelism as much as the workers, or can they not have more of it? */
static bool is_enough(const struct judged *j)
{
    if (j->region)
        return shared(j);
    return LIMIT_SERIAL * j->c->work >= (double)j->workers * j->c->span;
}

/* Is it in a region whose threads had unequal shares of it? */
static bool uneven(const struct judged *j)
{
    return j->region && !j->even && !balanced(j);
}

/* Is nearly all of it on the critical path, so that its own parallelism is 1? */
static bool in_turn(const struct judged *j)
{
    return j->span >= HIGH_SHARE && j->c->work <= LIMIT_SERIAL * j->c->span;
}

/* Is one task of G's most of their part of the critical path, and far longer than the MEAN? */
static bool is_one_task(const struct path_grain *g, const struct profile *p, double mean)
{
    return limits_at_a_time(g->parts, g->on_count) > LIMIT_SERIAL && g->longest >= MOST * g->span &&
           !alone(g) && !g->unlike && profile_ns(p, g->longest) >= UNEVEN * mean;
}

/* The verdict on code that is in_turn. A pipeline whose filter is not serial may have too few
 * tokens. */
static struct verdict of_turns(struct paths *t, const struct path_row *r, const struct judged *j)
{
    if (j->g && !is_taken(t, j->g) && is_one_task(j->g, t->summary->profile, j->mean))
        return of_longest(t, j);
    const struct row *site = j->g ? path_origin(t, r, "span").likely : 0;
    if (site && !strcmp(site->construct, "parallel_pipeline"))
        return change("one item at a time on the critical path: more tokens, or a cheaper or "
                      "parallel filter");
    if (j->g && j->g->regions)
        return one_share;
    if (j->g && j->g->cut)
        return change("one chunk at a time on the critical path: cut its loop into smaller chunks");
    return !j->g || limits_at_a_time(j->g->parts, j->g->on_count) <= LIMIT_SERIAL ? serial
                                                                                  : one_at_a_time;
}

/* Do the others of a region that hands out chunks idle nearly all the time that it runs? No sample
 * on the critical path is needed to see that it is no chunk beside others. */
static bool others_idle(const struct judged *j)
{
    return j->g->hands_out && j->workers > 1 &&
           j->c->idleness >= MOSTLY_IDLE * (j->workers - 1) * j->c->work;
}

/* The verdict on a function beside which workers idle. Undecided: nothing stands out. */
static struct verdict of_idleness(struct paths *t, const struct path_row *r, const struct judged *j)
{
    const struct path_cost *c = j->c;
    bool high = j->span >= HIGH_SHARE;
    if (j->asleep > c->work)
        return change("off the CPU while others idle: shorten or overlap the wait");
    if (c->excluded > MOST * c->idleness) {
        /* as far as no other wait explains so much idleness */
        if (c->idleness - (j->g ? j->g->idle_other : 0) > MOST * c->idleness)
            return change("runs while others wait for a critical section or lock: shorten the "
                          "time inside");
        if (j->few || !uneven(j))
            return locked;
    }
    if (j->region && (j->few || !uneven(j)))
        return undecided;
    if (j->region)
        return high ? one_share : off_path(j, beside_share);
    if (!j->g) /* on the critical path if it has a good part of it, or is mostly there */
        return high || c->span > MOST * c->work
                   ? serial
                   : change("serial beside the critical path, while others idle");
    if (j->few && others_idle(j))
        return one_share;
    struct verdict step = of_step(t, j);
    return step.words ? step : in_turn(j) ? of_turns(t, r, j) : of_grain(t, j);
}

/* The verdict on tasks that waited for locks that no agent sees, or for other threads on the CPU,
 * for a good part of their time. Undecided: they did not. */
static struct verdict of_waits(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    if (!g || g->wait_samples < LEAST_SAMPLES ||
        g->locked + g->spun < LOCKED_SHARE * profile_ns(t->summary->profile, g->work))
        return undecided;
    /* a thread that yields may wait for a lock, for its turn, for data */
    return g->locked + g->spun_lock >= MOST * (g->locked + g->spun) ? locked : spinning;
}

/* The verdict on a function of which most is a wait for a lock, or a serial filter. Undecided: it
 * is neither. */
static struct verdict of_marks(const struct path_row *r, const struct judged *j)
{
    if (j->marked.spun > MOST * j->c->work)
        return change(wait_name_yields(r->function)
                          ? "yields while it waits: see which code its caller waits for"
                          : "spins while it waits: see which code it waits for");
    if (j->marked.filtered > MOST * j->c->work)
        return change("serial filter: one item at a time; make it cheaper, or parallel");
    return undecided;
}

/* The verdict on a function with high overhead. SPAWNS: the function spawns tasks. */
static struct verdict of_overhead(const struct judged *j, bool spawns)
{
    const char *words = j->g && !spawns && j->mean >= LIMIT_FINE_NS
                            ? "overhead, though its tasks are long: fewer calls of the runtime"
                        : j->idles ? "idleness and overhead both high: change the decomposition"
                                   : "fine-grained: coarsen";
    return (struct verdict){ VERDICT_GRAIN, words };
}

/* Is it on the critical path, which limits the program most, outside every task, for what is no
 * overhead? Then the overhead of the tasks that it spawns is not what others wait for. */
static bool is_apart(const struct judged *j)
{
    return j->outside && j->idles && j->span_first && j->span >= HIGH_SHARE &&
           j->c->on_span >= LEAST_SAMPLES && j->marked.path_overhead < HIGH_OVERHEAD * j->c->span;
}

/* The verdict on a region with many short strands between barriers. Undecided: it has none. */
static struct verdict of_barriers(struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    if (!g || !g->regions || g->strands < LIMIT_MANY_STRANDS * g->regions ||
        j->mean >= LIMIT_FINE_NS ||
        limits_are_chunks(t->summary->profile, g->tasks, g->busiest_tasks, g->threads))
        return undecided;
    return made(t, VERDICT_CHANGE,
                format_text("barriers in inner loops: %s",
                            format_count(g->strands - g->regions, a)));
}

/* "at most ", where dependences were not seen: the span is longer, or perhaps so. */
static const char *bound(const struct paths *t)
{
    return certainty_of_ratio(certainty_span(t->summary)) == CERTAIN_UPPER_BOUND ? "at most " : "";
}

/* R's parallelism. Tasks of its site that no sample hit have a row in brackets: R may be what they
 * executed, or not. "1.40 to 1.60" has both, if they differ by more than a twentieth. Readers that
 * join call paths have fewer such tasks, so the one number may be either. The caller frees it. */
static char *own_parallelism(const struct paths *t, const struct path_row *r,
                             const struct judged *j)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct row *site = j->g ? path_origin(t, r, "work").site : 0;
    double work = j->c->work, span = j->c->span, more = 0, longer = 0;
    for (size_t i = 0; site && i < t->function_count; i++) {
        const char *name = t->functions[i].function;
        size_t n = strlen(site->construct);
        if (*name == '[' && !strncmp(name + 1, site->construct, n) && !strcmp(name + 1 + n, "]")) {
            more += t->functions[i].self.work;
            longer += t->functions[i].self.span;
        }
    }
    double least = fmax(1, ratio(work, span + longer)), most = ratio(work + more, span);
    return most > LIMIT_SERIAL * least
               ? format_text("%s to %s", format_ratio(least, a), format_ratio(most, b))
               : format_text("%s", format_ratio(ratio(work, span), a));
}

/* The verdict on a function with a good part of the span, and too little work beside that to keep
 * all workers busy, even if some of it is in tasks. Undecided: it has enough work, or it is in a
 * loop that was cut for these workers, kept them busy, and allows more. Of a loop that the program
 * cut, more workers get no more chunks. */
static struct verdict of_parallelism(struct paths *t, const struct path_row *r,
                                     const struct judged *j)
{
    double own = ratio(j->c->work, j->c->span);
    bool cut = j->g && j->g->cut, by_run = cut && !summary_cut_by_program(t->summary);
    /* no figure of the code: other threads, or more, may divide it otherwise */
    bool threads = j->g && j->g->started && j->g->tasks > 1 &&
                   j->c->work <= LIMIT_SERIAL * profile_ns(t->summary->profile, j->g->work);
    const char *advice;
    if (j->region) { /* balanced, perhaps in a team of few threads */
        if (j->span < HIGH_SHARE || j->even || own >= BALANCED * j->workers)
            return undecided;
        advice = "a larger team, or less of the critical path";
    } else {
        if (j->span < HIGH_SHARE || own <= LIMIT_SERIAL ||
            own >= (by_run ? 1 : SCALES) * j->workers)
            return undecided;
        advice = cut && j->g->reduces      ? "cheaper joins, or parts of another size"
                 : cut && j->g->long_chunk ? "one chunk has most, perhaps one iteration: divide it"
                 : cut                     ? "cut its loop into smaller chunks"
                 : threads                 ? "see their number and shares"
                                           : "shorten its part of the critical path";
    }
    char *own_text = own_parallelism(t, r, j);
    char *text = format_text("parallelism of its own %s%s%s: %s", bound(t), own_text,
                             threads ? ", as the program's threads divided it" : "", advice);
    free(own_text);
    return made(t, VERDICT_CHANGE, text);
}

static const struct verdict too_few = {
    VERDICT_UNKNOWN,
    "too few samples on the critical path: run longer, or with PROF_SAMPLE=task-clock:1000"
};
/* A sample in each strand favours none. */
static const struct verdict too_rare = {
    VERDICT_UNKNOWN, "too few samples for strands as short as those of the critical path: run it "
                     "with PROF_SAMPLE=task-clock:4000"
};

/* Where threads ask for short chunks and the path is long, it may have few of them. */
static const struct verdict which = {
    VERDICT_UNKNOWN, "on the critical path or not, samples do not show: see what one thread of its "
                     "region executes alone"
};

/* The path may lead from turn to turn, and samples do not follow it. */
static const struct verdict turns = {
    VERDICT_UNKNOWN, "on the critical path or not, samples do not show: a loop's blocks ran in "
                     "their order"
};

static struct verdict few_samples(const struct paths *t, const struct judged *j)
{
    double ns;
    if (j->g && j->region && summary_in_order(t->summary))
        return turns;
    if (j->chosen && j->g && j->g->hands_out && summary_long_between(t->summary, &ns))
        return which;
    return j->chosen ? too_rare : too_few;
}

/* Did samples find the tasks of G waiting on the CPU, more than by chance? */
static bool spins(const struct paths *t, const struct path_grain *g)
{
    return g && g->spins >= LIMIT_SPIN_SAMPLES &&
           g->spun >= LIMIT_SPIN_PART * profile_ns(t->summary->profile, g->work);
}

/* Is all of J's work beside the critical path, so that something longer is beside each part of it?
 * None of its tasks is on the path; or samples found far less of it there than of the other code of
 * these tasks. */
static bool is_beside(const struct paths *t, const struct judged *j)
{
    const struct path_cost *all = &t->total;
    double part = ratio(j->c->work, profile_ns(t->summary->profile, j->g->work));
    /* the number of samples of one weight, for a weight of 1 */
    double scale = ratio(stats_equal(all->on_span, all->on_span_squares), all->on_span);
    return !j->g->span ||
           scale * (MOST * fmin(part, 1) * j->g->on_span - j->c->on_span) >= LEAST_SAMPLES;
}

/* Is J's work in chunks of loops on the critical path, and too much of it to be in one at a time?
 * Chunks of one loop are parallel to each other. */
static bool is_spread(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    double span = profile_ns(t->summary->profile, g->span);
    return g->chunks && g->span && g->on_work >= LIMIT_ALONE * g->work &&
           j->c->work >= j->workers * span;
}

/* The verdict on a function of whose span and idleness nothing stands out. */
static struct verdict of_the_rest(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    const struct profile *p = t->summary->profile;
    if (j->work < HIGH_SHARE || j->whole || path_equal_samples(j->c) < LEAST_SAMPLES)
        return none;
    if (g && g->excluded >= HIGH_SHARE * profile_ns(p, g->work))
        return locked;
    if (j->waits >= HIGH_SHARE)
        return change("off the CPU inside its strands: shorten or overlap the wait");
    /* without g it is the program's own strand, or that of a task that has not ended */
    if (!g && j->few)
        return few_samples(t, j);
    if (!g)
        return j->outside && j->span_ns < MOST * j->c->work
                   ? change("serial beside the critical path")
                   : none;
    if (g->parts == 1 && !g->executed)
        return change("in one task: more workers do not help it");
    if (j->few)
        return few_samples(t, j);
    bool high = j->span >= HIGH_SHARE;
    if (j->region && !high && uneven(j))
        return off_path(j, beside_share);
    /* a team of one has all of a region in turn: loops, and what no team can share */
    if (j->region && (j->workers < 2 || g->threads == 1))
        return none;
    /* few tasks may have it, perhaps one: whether more workers help it is not known */
    if (!g->recursive && !(j->region && j->even) && g->parts < (double)LIMIT_AMPLE * j->workers &&
        j->c->work <= profile_ns(p, g->longest))
        return *bound(t) || !is_beside(t, j) ? none : off_path(j, beside_longer);
    /* and so much work may all be in turn beside the path: a chain, or one task a round */
    if (!j->region && !high && j->c->work <= LIMIT_SERIAL * t->summary->span && !is_spread(t, j)) {
        bool longer = t->summary->parallelism < j->workers &&
                      j->c->work <= BALANCED * t->summary->span;
        return *bound(t) || (longer && !is_beside(t, j))
                   ? none
                   : off_path(j, longer ? beside_longer : beside_path);
    }
    /* of other work of the function, a team of one may have had much */
    if (!is_enough(j) || summary_of_one(t->summary, NULL))
        return none;
    /* whether the work grew with the threads, as by cache lines that they share, is not known */
    return (struct verdict){
        VERDICT_ENOUGH,
        *bound(t)     ? "parallelism is enough here, unless unseen dependences forbid it: make its "
                        "work less"
        : spins(t, g) ? "parallelism is enough here, unless waits on the CPU forbid it: make its "
                        "work less"
                      : "parallelism is enough here: make its work less"
    };
}

/* Is it in a region that is a good part of the critical path, and whose threads waited for their
 * turn? That order, not the division of the work, decides on the balance. */
static bool takes_turns(const struct paths *t, const struct judged *j)
{
    return j->g && j->span_ns >= HIGH_SHARE * t->summary->span && path_takes_turns(t, j->g);
}

/* Is R most of the path through such a region? No sample on that path shows it, but the region's
 * other code has less work than the path is long. */
static bool is_in_turns(const struct paths *t, const struct path_row *r, const struct judged *j)
{
    double work = profile_ns(t->summary->profile, j->g->work),
           own = (double)t->nodes[r->node].self.work;
    return j->span_ns - (work - own) >= MOST * j->span_ns;
}

struct verdict path_verdict(struct paths *t, const struct path_row *r, const struct judged *j)
{
    const struct path_cost *c = j->c;
    bool high = j->span >= HIGH_SHARE, good = high || j->work >= HIGH_SHARE;
    struct verdict found = good ? of_barriers(t, j) : undecided;
    if (found.words)
        return found;
    if (good && (found = of_marks(r, j)).words)
        return found;
    if (ratio(c->overhead, c->work) >= HIGH_OVERHEAD && good && !is_apart(j))
        return of_overhead(j, r->self.tasks != 0);
    if (good && takes_turns(t, j))
        return change(
            high || is_in_turns(t, r, j)
                     ? "in a region whose threads wait for their turn: shorten what is in order"
            : j->few ? "in a region whose threads wait for their turn: see what is in order"
                     : "in a region whose threads wait for their turn");
    if (good && j->asleep <= c->work && (found = of_waits(t, j)).words)
        return found;
    if (good && j->g && j->g->of_one)
        return j->g->inner && !j->idles ? none : of_one;
    if (good && j->g && j->g->inner && !j->region)
        return j->idles ? inner : none;
    if (j->idles && (found = of_idleness(t, r, j)).words)
        return found;
    if (!j->region && (found = of_step(t, j)).words)
        return found;
    /* no idle worker shows it: there are too few workers, or none idles beside it */
    if (j->g && !j->region && in_turn(j))
        return of_turns(t, r, j);
    if (j->g && !j->region && high && (found = of_imbalance(t, j, false)).words)
        return found;
    if (j->outside && !j->region && in_turn(j))
        return serial;
    if (high && j->span > 2 * j->work)
        return change("on the critical path: limits larger machines");
    if (!j->g && !j->region && in_turn(j))
        return serial;
    if (j->region && high && uneven(j))
        return one_share;
    if ((found = of_parallelism(t, r, j)).words)
        return found;
    return of_the_rest(t, j);
}
