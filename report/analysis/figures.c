/* figures.c - see figures.h. */
#include "analysis/figures.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/ledger.h"
#include "analysis/stats.h"
#include "profile/profile.h"
#include "symbols/name_to_code.h"

const struct figure_kind figure_kinds[FIGURES] = {
    [FIGURE_ELAPSED] = { "elapsed", "elapsed_ns", FIGURE_TIME, -1, "wall time" },
    [FIGURE_CPU] = { "cpu", "cpu_ns", FIGURE_TIME, -1, "CPU time of the process" },
    [FIGURE_WORK] = { "work", "work_ns", FIGURE_COST, -1, "cost of all strands" },
    [FIGURE_SPAN] = { "span", "span_ns", FIGURE_COST, -1, "cost of the critical path" },
    [FIGURE_BURDENED_SPAN] = { "burdened-span", "burdened_span_ns", FIGURE_COST, -1,
                               "span with the cost of steals" },
    [FIGURE_DIVISIBLE_SPAN] = { "divisible-span", "span_divisible_ns", FIGURE_COST, -1,
                                "span if loops were cut into single iterations" },
    [FIGURE_TYPICAL_SPAN] = { "typical-span", "span_typical_ns", FIGURE_COST, -1,
                              "span without outliers" },
    [FIGURE_PARALLELISM] = { "parallelism", "parallelism", FIGURE_RATIO, 1, "work / span" },
    [FIGURE_BURDENED] = { "burdened-parallelism", "burdened_parallelism", FIGURE_RATIO, 1,
                          "work / burdened span" },
    [FIGURE_DIVISIBLE] = { "divisible-parallelism", "parallelism_divisible", FIGURE_RATIO, 1,
                           "work / divisible span" },
    [FIGURE_TYPICAL] = { "typical-parallelism", "parallelism_typical", FIGURE_RATIO, 1,
                         "work / typical span" },
    [FIGURE_TASKS] = { "tasks", "tasks", FIGURE_COUNT, -1, "tasks that ran" },
    [FIGURE_SPAWNS] = { "spawns", "spawns", FIGURE_COUNT, -1, "spawns" },
    [FIGURE_SYNCS] = { "syncs", "syncs", FIGURE_COUNT, -1, "joins" },
    [FIGURE_STEALS] = { "steals", "steals", FIGURE_COUNT, -1,
                        "tasks that another thread ran" },
    [FIGURE_STRAND] = { "strand", "avg_maximal_strand_ns", FIGURE_COST, 1,
                        "work of a mean strand" },
    [FIGURE_STRAND_GRAIN] = { "strand-grain", "own_code_per_strand_ns", FIGURE_COST, 1,
                              "the program's own code in a mean strand" },
    [FIGURE_GRAIN] = { "grain", "own_code_per_task_ns", FIGURE_COST, 1,
                       "the program's own code in a mean task" },
    [FIGURE_IDLE] = { "idle", "idle_ns", FIGURE_WORKER_TIME, -1, "worker slots without a strand" },
    [FIGURE_SEARCH] = { "search", "search_ns", FIGURE_WORKER_TIME, -1, "of idle: on the CPU" },
    [FIGURE_SLEEP] = { "sleep", "sleep_ns", FIGURE_WORKER_TIME, -1, "of idle: off the CPU" },
    [FIGURE_WITHOUT_THREAD] = { "without-thread", "without_thread_ns", FIGURE_WORKER_TIME, -1,
                                "of idle: slots without a thread" },
    [FIGURE_WAITS] = { "waits", "waits_ns", FIGURE_WORKER_TIME, -1,
                       "of idle: for critical sections, locks" },
    [FIGURE_OVERHEAD] = { "overhead", "overhead_ns", FIGURE_WORKER_TIME, -1, "the runtime's time" },
    [FIGURE_INSIDE] = { "overhead-in-strands", "overhead_in_strands_ns", FIGURE_WORKER_TIME, -1,
                        "of overhead: in strands" },
    [FIGURE_BETWEEN] = { "overhead-between-strands", "overhead_between_strands_ns",
                         FIGURE_WORKER_TIME, -1, "of overhead: between strands" },
    [FIGURE_BLOCKED] = { "blocked", "blocked_ns", FIGURE_WORKER_TIME, -1,
                         "strands off the CPU" },
    [FIGURE_RUN_DELAY] = { "run-delay", "run_delay_ns", FIGURE_WORKER_TIME, -1,
                           "of blocked: strands that had no processor" },
    [FIGURE_WAITED] = { "waited", "waited_ns", FIGURE_WORKER_TIME, -1,
                        "of blocked: strands that slept or waited" },
    [FIGURE_OWN] = { "profiler-overhead", "own_ns", FIGURE_WORKER_TIME, -1, "libprof itself" },
    [FIGURE_MPI] = { "mpi", "mpi_ns", FIGURE_WORKER_TIME, -1, "in MPI, in no figure above" },
    [FIGURE_LATE_SENDERS] = { "late-senders", "mpi_late_sender_ns", FIGURE_WORKER_TIME, -1,
                              "of mpi: for late senders" },
    [FIGURE_LATE_RECEIVERS] = { "late-receivers", "mpi_late_receiver_ns", FIGURE_WORKER_TIME, -1,
                                "of mpi: for late receivers" },
    [FIGURE_COLLECTIVES] = { "collectives", "mpi_collective_ns", FIGURE_WORKER_TIME, -1,
                             "of mpi: for ranks late at collectives" },
    [FIGURE_POP_PARALLEL] = { "parallel-efficiency", "parallel", FIGURE_RATIO, 1,
                              "POP's, 0 to 1" },
    [FIGURE_POP_BALANCE] = { "load-balance", "load_balance", FIGURE_RATIO, 1, "POP's, 0 to 1" },
    [FIGURE_POP_COMMUNICATION] = { "communication", "communication", FIGURE_RATIO, 1,
                                   "POP's, 0 to 1" },
    [FIGURE_WORKERS] = { "workers", "workers", FIGURE_COUNT, 0, "worker slots" },
};

static const char no_job[] = "it is no profile of an MPI job";

static struct figure_value absent(const char *why)
{
    return (struct figure_value){ NAN, NAN, NAN, NAN, CERTAIN_EXACT, why };
}

/* VALUE, of which C states how surely it is known. */
static struct figure_value known(double value, enum certainty c)
{
    return (struct figure_value){
        .value = value,
        .least = c == CERTAIN_UPPER_BOUND || c == CERTAIN_NOT ? 0 : value,
        .most = c == CERTAIN_LOWER_BOUND || c == CERTAIN_NOT ? INFINITY : value,
        .deviation = NAN,
        .certainty = c,
    };
}

static struct figure_value sampled(double value, double deviation)
{
    struct figure_value v = known(value, CERTAIN_SAMPLED);
    v.deviation = deviation;
    return v;
}

/* An estimate, of a figure that is as sure as OF. A bound stays one. */
static enum certainty estimate(enum certainty of)
{
    return of > CERTAIN_ESTIMATED ? of : CERTAIN_ESTIMATED;
}

static struct figure_value parallelism(double value, enum certainty of_span)
{
    return value > 0 ? known(value, certainty_of_ratio(of_span)) : absent("its span is 0");
}

bool figures_cut(const struct profile *p)
{
    return p->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED);
}

/* Work, the spans of all dags, and their ratios. */
static void of_dags(const struct summary *m, const struct own_share *own, struct figure_value *to)
{
    static const char old[] = "its format is older than the figure";
    const struct profile *p = m->profile;
    enum certainty span = certainty_of_measured(certainty_span(m), own->estimate),
                   divisible = certainty_of_measured(certainty_divisible(m), own->estimate),
                   typical = p->typical_count && p->typical->flags & LPF_TYPICAL_CLEAN
                                 ? span
                                 : estimate(span);
    to[FIGURE_WORK] = known(m->work, certainty_of_measured(CERTAIN_EXACT, own->estimate));
    if (own->large)
        to[FIGURE_WORK].least = profile_ns(p, paths_work_at_least(own, p->totals.work_cost));
    to[FIGURE_SPAN] = known(m->span, span);
    to[FIGURE_BURDENED_SPAN] = known(m->burdened_span, estimate(span));
    to[FIGURE_DIVISIBLE_SPAN] = known(m->divisible_span, divisible);
    to[FIGURE_TYPICAL_SPAN] = p->typical_count ? known(m->typical_span, typical) : absent(old);
    to[FIGURE_PARALLELISM] = parallelism(m->parallelism, span);
    to[FIGURE_BURDENED] = parallelism(m->burdened_parallelism, estimate(span));
    to[FIGURE_DIVISIBLE] = parallelism(m->divisible_parallelism, divisible);
    to[FIGURE_TYPICAL] =
        p->typical_count ? parallelism(m->typical_parallelism, typical) : absent(old);
}

/* The deviation by sampling of the runtime's time in strands, whose cost is ALL. */
static double inside_deviation(const struct summary *m, const struct path_cost *all)
{
    double part = ratio(all->overhead, m->work);
    return m->work * stats_share_deviation(part * all->samples, part * all->squares, all->samples,
                                           all->squares);
}

struct own_code figures_own_code(const struct summary *m, const struct paths *t)
{
    struct ledger l = ledger_of(m, t);
    bool sampled = t && t->total.samples;
    return (struct own_code){ .ns = l.known ? fmax(l.work, 0) : m->work,
                              .deviation = sampled ? inside_deviation(m, &t->total) : NAN };
}

/* What a mean strand and a mean task are. */
static void of_grain(const struct summary *m, const struct paths *t, struct figure_value *to)
{
    double tasks = m->profile->totals.tasks, strands = m->strands;
    struct own_code own = figures_own_code(m, t);
    bool sampled_code = !isnan(own.deviation);
    to[FIGURE_STRAND] = known(m->average_strand, to[FIGURE_WORK].certainty);
    to[FIGURE_STRAND].least = to[FIGURE_WORK].least / strands;
    to[FIGURE_STRAND_GRAIN] = sampled_code ? sampled(own.ns / strands, own.deviation / strands)
                                           : known(own.ns / strands, CERTAIN_UPPER_BOUND);
    to[FIGURE_GRAIN] = !(tasks > 0)   ? absent("it has no tasks")
                       : sampled_code ? sampled(own.ns / tasks, own.deviation / tasks)
                                      : known(own.ns / tasks, CERTAIN_UPPER_BOUND);
}

/* Where the worker time went. */
static void of_ledger(const struct summary *m, const struct paths *t, struct figure_value *to)
{
    const struct profile *p = m->profile;
    struct ledger l = ledger_of(m, t);
    if (!l.known) {
        for (unsigned i = 0; i < FIGURES; i++)
            if (figure_kinds[i].unit == FIGURE_WORKER_TIME)
                to[i] = absent("its clock does not count time");
        return;
    }
    double waits = 0, deviation = inside_deviation(m, &t->total);
    for (size_t i = 0; i < m->wait_count; i++)
        waits += profile_ns(p, m->waits[i].top.work);
    uint64_t delay;
    bool has_delay = profile_run_delay_ns(p, &delay);
    to[FIGURE_IDLE] = known(ledger_idle_shown(&l, p), CERTAIN_EXACT);
    to[FIGURE_SEARCH] = known(l.search, CERTAIN_EXACT);
    to[FIGURE_SLEEP] = known(l.sleep, CERTAIN_EXACT);
    to[FIGURE_WITHOUT_THREAD] = known(l.absent, CERTAIN_EXACT);
    to[FIGURE_WAITS] = known(waits, CERTAIN_EXACT);
    to[FIGURE_BETWEEN] = known(l.between, CERTAIN_ESTIMATED);
    if (t->total.samples) {
        to[FIGURE_OVERHEAD] = sampled(l.inside + l.between, deviation);
        to[FIGURE_INSIDE] = sampled(l.inside, deviation);
    } else {
        to[FIGURE_OVERHEAD] = known(l.between, CERTAIN_LOWER_BOUND);
        to[FIGURE_INSIDE] = absent("it has no samples");
    }
    to[FIGURE_BLOCKED] = known(l.blocked, CERTAIN_EXACT);
    to[FIGURE_RUN_DELAY] =
        has_delay ? known(delay, CERTAIN_ESTIMATED) : absent("the kernel's count is not in it");
    to[FIGURE_WAITED] = known(m->standstill.waited, CERTAIN_ESTIMATED);
    to[FIGURE_OWN] = known(l.own, CERTAIN_ESTIMATED);
    if (ledger_has_mpi(&l, p)) {
        struct mpi_time mpi = summary_mpi(m);
        to[FIGURE_MPI] = known(l.mpi_waits + l.mpi_transfer, CERTAIN_EXACT);
        to[FIGURE_LATE_SENDERS] = known(mpi.late_sender, CERTAIN_EXACT);
        to[FIGURE_LATE_RECEIVERS] = known(mpi.late_receiver, CERTAIN_EXACT);
        to[FIGURE_COLLECTIVES] = known(mpi.collective, CERTAIN_EXACT);
    } else {
        to[FIGURE_MPI] = to[FIGURE_LATE_SENDERS] = to[FIGURE_LATE_RECEIVERS] =
            to[FIGURE_COLLECTIVES] = absent(no_job);
    }
}

static void of_job(const struct summary *m, struct figure_value *to)
{
    struct efficiencies e;
    bool known_all = summary_efficiencies(m, &e) && m->profile->rank_count > 1;
    const char *why = m->profile->rank_count > 1 ? "its ranks are not all in it, or have no common "
                                                   "time"
                                                 : no_job;
    to[FIGURE_POP_PARALLEL] = known_all ? known(e.parallel, CERTAIN_EXACT) : absent(why);
    to[FIGURE_POP_BALANCE] = known_all ? known(e.load_balance, CERTAIN_EXACT) : absent(why);
    to[FIGURE_POP_COMMUNICATION] = known_all ? known(e.communication, CERTAIN_EXACT) : absent(why);
}

void figures_of(const struct summary *m, const struct paths *t, struct figure_value to[FIGURES])
{
    const struct lpf_totals *k = &m->profile->totals;
    struct own_share own = paths_own_share_all(m, t);
    of_dags(m, &own, to);
    of_grain(m, t, to);
    of_ledger(m, t, to);
    of_job(m, to);
    to[FIGURE_ELAPSED] = known(k->elapsed_ns, CERTAIN_EXACT);
    to[FIGURE_CPU] = known(k->cpu_ns, CERTAIN_EXACT);
    to[FIGURE_TASKS] = known(k->tasks, CERTAIN_EXACT);
    to[FIGURE_SPAWNS] = known(k->spawns, CERTAIN_EXACT);
    to[FIGURE_SYNCS] = known(k->syncs, CERTAIN_EXACT);
    to[FIGURE_STEALS] = known(k->steals, CERTAIN_EXACT);
    to[FIGURE_WORKERS] = known(k->workers, CERTAIN_EXACT);
    for (unsigned i = 0; figures_cut(m->profile) && i < FIGURES; i++) {
        /* what has been so far only grows; a mean or a ratio may go either way */
        bool grows = figure_kinds[i].unit != FIGURE_RATIO && i != FIGURE_STRAND &&
                     i != FIGURE_STRAND_GRAIN && i != FIGURE_GRAIN;
        enum certainty c = grows && to[i].certainty != CERTAIN_NOT ? CERTAIN_LOWER_BOUND
                                                                   : CERTAIN_NOT;
        if (!isnan(to[i].value))
            to[i] = known(to[i].value, c);
    }
}

struct figure_value figure_share(const struct figure_value *v, const struct summary *m)
{
    double part = 100 / profile_slots_ns(m->profile);
    struct figure_value s = *v;
    s.value *= part;
    s.least *= part;
    s.most *= part;
    s.deviation *= part;
    if (figures_cut(m->profile) && !isnan(v->value))
        s = known(s.value, CERTAIN_NOT);
    s.most = fmin(s.most, 100);
    return s;
}

bool figure_of_functions(enum figure k)
{
    return k == FIGURE_WORK || k == FIGURE_SPAN || k == FIGURE_OVERHEAD || k == FIGURE_IDLE ||
           k == FIGURE_BLOCKED || k == FIGURE_TASKS;
}

static double cost_of(const struct path_cost *c, enum figure k)
{
    return k == FIGURE_SPAN       ? c->span
           : k == FIGURE_OVERHEAD ? c->overhead
           : k == FIGURE_IDLE     ? c->idleness
           : k == FIGURE_BLOCKED  ? c->blocked
           : k == FIGURE_TASKS    ? c->tasks
                                  : c->work;
}

/* The deviation by sampling of figure K of the functions whose cost is C. */
static double function_deviation(enum figure k, const struct path_cost *c,
                                 const struct path_cost *all)
{
    if (k == FIGURE_SPAN)
        return all->span * stats_share_deviation(c->on_span, c->on_span_squares, all->on_span,
                                                 all->on_span_squares);
    if (k == FIGURE_OVERHEAD) {
        double part = ratio(c->overhead, all->work);
        return all->work * stats_share_deviation(part * all->samples, part * all->squares,
                                                 all->samples, all->squares);
    }
    return k == FIGURE_WORK ? all->work * stats_share_deviation(c->samples, c->squares,
                                                                all->samples, all->squares)
                            : NAN;
}

struct figure_value figure_of_function(enum figure k, const char *name, bool share,
                                       const struct summary *m, const struct paths *t,
                                       const struct cost_row **first)
{
    struct path_cost sum = { 0 };
    bool split = false;
    *first = 0;
    for (size_t i = 0; i < t->function_count; i++) {
        const struct cost_row *r = &t->functions[i];
        if (strcmp(name, r->function) && !code_names(name, r->function, r->file))
            continue;
        if (!*first || cost_of(&r->self, k) > cost_of(&(*first)->self, k))
            *first = r;
        split |= certainty_is_sampled(r->function, &r->self);
        path_add(&sum, &r->self);
    }
    if (!*first)
        return absent("it has no function of that name");
    enum certainty c = k == FIGURE_TASKS                         ? CERTAIN_EXACT
                       : k == FIGURE_IDLE || k == FIGURE_BLOCKED ? CERTAIN_ESTIMATED
                       : split                                   ? CERTAIN_SAMPLED
                       : k == FIGURE_SPAN                        ? certainty_span(m)
                                                                 : CERTAIN_EXACT;
    if (k == FIGURE_SPAN && certainty_span(m) >= CERTAIN_LOWER_BOUND)
        c = CERTAIN_NOT;        /* another path may be the longest, without the function */
    if (figures_cut(m->profile))
        c = share || k == FIGURE_SPAN ? CERTAIN_NOT : CERTAIN_LOWER_BOUND;
    struct figure_value v = known(cost_of(&sum, k), c);
    if (c == CERTAIN_SAMPLED)
        v.deviation = function_deviation(k, &sum, &t->total);
    if (share) {
        double whole = cost_of(&t->total, k);
        if (!(whole > 0))
            return absent("the program's is 0");
        v.value *= 100 / whole;
        v.least *= 100 / whole;
        v.most = fmin(100, v.most * (100 / whole));
        v.deviation *= 100 / whole;
    }
    return v;
}

/* Is NAME this figure's, with blanks and '_' for '-', and without its unit? */
static bool is_called(const char *name, const char *figure)
{
    while (*name && *figure) {
        char c = *name == '_' || *name == ' ' ? '-' : *name, d = *figure == '_' ? '-' : *figure;
        if (c != d)
            break;
        name++;
        figure++;
    }
    return !*name && (!*figure || !strcmp(figure, "_ns"));
}

enum figure figure_named(const char *name)
{
    for (enum figure i = 0; i < FIGURES; i++)
        if (is_called(name, figure_kinds[i].name) || is_called(name, figure_kinds[i].key))
            return i;
    return FIGURES;
}
