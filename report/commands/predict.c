/* predict.c - `prof predict`: how long the program takes on P workers, by simulating schedulers on the dag that
 * it recorded (PROF_DAG), beside Cilkview's bounds. docs/PREDICT.md has the model and what it leaves out. */
#define _GNU_SOURCE
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/dag.h"
#include "analysis/model.h"
#include "analysis/schedule.h"
#include "analysis/simulate.h"
#include "base/format.h"
#include "commands/commands.h"
#include "output/cost.h"
#include "output/options.h"
#include "output/page.h"
#include "output/table.h"
#include "profile/newest.h"
#include "profile/profile.h"

#define PROCESSORS 64           /* in a list */
#define MAX_P 1024
#define SEEDS 64
#define SHOWN_SPREAD 0.0005     /* of the mean */
#define BOUND 1.000001          /* what rounding may add to a bound */

struct prediction {
    unsigned p;
    double greedy, mean, low, high;     /* T_P; work stealing's over seeds */
    double steals;
    double lower, upper;        /* Cilkview's, on the speedup */
};

struct predictor {
    unsigned p[PROCESSORS], p_count, seeds;
    size_t limit;
    struct options options;
    const struct profile *profile;
    struct model model;
    struct recorded recorded;
    double overhead;            /* of a task, in the profile's unit of cost */
    double work, all;           /* of the dag; with overhead */
    size_t tasks;
    bool coarse;
    struct prediction out[PROCESSORS];
};

/* The dag's own span and work, as times. */
static double in_time(const struct predictor *q, double cost)
{
    return cost * (profile_ns(q->profile, 1u << 30) / (1u << 30));
}

/* ---- the prediction ---- */

/* Time between strands that is the runtime's, ns. */
static double dispatching(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    const char *clock = profile_string(p, t->clock);
    if (!strcmp(clock, "virtual") || t->dispatch_ns <= t->own_ns)
        return 0;
    /* It holds what the estimate of libprof's own time lacks, which may be as much again. */
    double ns = t->dispatch_ns - t->own_ns, cpu = (double)t->cpu_ns - t->own_ns - profile_ns(p, t->work_cost);
    /* And time in which the thread was preempted there, on a busy machine most of it: the CPU time has no room for that. */
    return t->cpu_ns && !strcmp(clock, "tsc") && ns > cpu ? cpu > 0 ? cpu : 0 : ns;
}

static bool predict(struct predictor *q)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    q->recorded = recorded_of(p);
    if (t->ns_num && t->tasks)
        q->overhead = dispatching(p) * t->ns_den / t->ns_num / t->tasks;
    struct schedule *s = schedule_new(p, q->overhead, q->limit);
    if (!s)
        return false;
    q->tasks = schedule_tasks(s);
    q->coarse = schedule_coarse(s);
    q->work = in_time(q, q->recorded.work);
    q->all = in_time(q, schedule_work(s));
    for (unsigned i = 0; i < q->p_count; i++) {
        struct prediction *o = &q->out[i];
        o->p = q->p[i];
        struct simulated r = simulate_greedy(s, o->p);
        if (r.circle) {
            fprintf(stderr, "prof: %s: damaged: strands of the dag wait for one another\n", p->path);
            schedule_free(s);
            return false;
        }
        o->greedy = in_time(q, r.time);
        for (unsigned k = 0; k < q->seeds; k++) {
            r = simulate_stealing(s, o->p, t->burden_cost, k);
            double time = in_time(q, r.time);
            o->mean += time / q->seeds;
            o->steals += (double)r.steals / q->seeds;
            o->low = !k || time < o->low ? time : o->low;
            o->high = time > o->high ? time : o->high;
            if (o->p == 1) {    /* there is nobody to steal from: nothing is random */
                o->mean = time;
                o->steals = r.steals;
                break;
            }
        }
        o->lower = model_lower(&q->model, o->p);
        o->upper = model_upper(&q->model, o->p);
    }
    schedule_free(s);
    return true;
}

/* Work of the program that the dag does not have, as a part of it; and span. */
static double missing(double had, double of)
{
    return of > 0 ? 1 - had / of : 0;
}

static bool impossible(const struct prediction *o, double speedup)
{
    return speedup > o->upper * BOUND;
}

/* ---- output ---- */

static const char *spread_text(const struct prediction *o, char *b)
{
    double part = ratio(o->high - o->low, 2 * o->mean);
    if (part < SHOWN_SPREAD)
        return "";
    snprintf(b, FORMAT_SIZE, "%.1f%%", 100 * part);
    return b;
}

static void add_percent(struct table *t, double part)
{
    char b[FORMAT_SIZE];
    snprintf(b, sizeof b, "%.1f", 100 * part);
    table_add(t, b);
}

static void print_notes(const struct predictor *q, FILE *out)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], *text;
    double part = missing(q->work, q->model.work);
    #define SAY(mark, ...) (text = format_text(__VA_ARGS__), page_paragraph(out, &q->options, mark, "%s", text), free(text))
    putc('\n', out);
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_DAG)
            SAY("!", "approximate: %s (%s) are in the dag as times, not as dependences: between P = 1 and the span's limit, expect "
                "less speedup", profile_string(p, p->notes[i].name), format_count(p->notes[i].count, b));
    if (!t->exact)
        SAY("!", "the span is a lower bound (prof report says why): with many workers, expect less speedup");
    for (size_t i = 0, n = 0; i < q->model.row_count; i++)
        if (q->model.rows[i].as_executed && !n++)
            SAY("!", "what the threads of a region of %s executed is taken for all the parallelism that it has: with more than %u of them a loop "
                "in it would make more of it", q->model.rows[i].function, t->workers);
    if (fabs(part) > 0.005)
        SAY("!", "the dag has %.1f%% of the profile's work", 100 * (1 - part));
    if (p->dag->lost)
        SAY("!", "%s tasks have no record: there was no memory", format_count(p->dag->lost, b));
    if (q->coarse)
        SAY("!", "small tasks were taken together to simulate no more than %s: with very many workers, expect more speedup (--tasks)",
            format_count(q->tasks, b));
    for (unsigned i = 0; i < q->p_count; i++)
        if (impossible(&q->out[i], ratio(q->work, q->out[i].mean)) || impossible(&q->out[i], ratio(q->work, q->out[i].greedy))) {
            SAY("!", "P = %u: a speedup above the upper bound is impossible: the dag and the profile differ", q->out[i].p);
            break;
        }
    for (unsigned i = 0; i < q->p_count; i++)
        if (ratio(q->work, q->out[i].mean) < q->out[i].lower) {
            SAY("-", "P = %u: below the lower estimate, which knows neither the runtime's time for each task nor who is idle when",
                q->out[i].p);
            break;
        }
    if (q->model.short_strands)
        SAY("!", "strands are so short (%s on average) that libprof itself is part of what they cost: the program is faster than predicted",
            format_ns(q->model.average_strand, b));
    if (t->blocked_ns > 0.02 * q->model.work)
        SAY("!", "strands were off the CPU for %s, waiting or preempted: no prediction has that", format_ns(t->blocked_ns, b));
    SAY("", "Estimated: T_P of the work as it was in this run, with %u worker%s, on machines whose memory keeps up with P workers "
        "(work inflation is not predicted). Steal latency %s (the burden), dispatch of a task %s, as measured in this run; speedup "
        "is T1 / T_P.", t->workers, t->workers == 1 ? "" : "s", cost_short_text(p, profile_ns(p, t->burden_cost), b),
        cost_short_text(p, in_time(q, q->overhead), c));
    #undef SAY
}

static void print_text(const struct predictor *q, FILE *out)
{
    static const struct table_column columns[] = {
        { "P", 0, TABLE_NUMBER, 0 },
        { "T_P", "work stealing", TABLE_NUMBER, 0 }, { "+-", "work stealing", TABLE_NUMBER, 4 },
        { "speedup", "work stealing", TABLE_NUMBER, 0 }, { "effic. %", "work stealing", TABLE_NUMBER, 3 },
        { "idle %", "work stealing", TABLE_NUMBER, 1 }, { "steals", "work stealing", TABLE_NUMBER, 5 },
        { "T_P", "greedy", TABLE_NUMBER, 2 }, { "speedup", "greedy", TABLE_NUMBER, 1 },
        { "lower", "bounds", TABLE_NUMBER, 1 }, { "upper", "bounds", TABLE_NUMBER, 1 },
    };
    const struct profile *p = q->profile;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], *name = format_clean(p->path);
    page_paragraph(out, &q->options, "", "%s: T1 %s, span %s, parallelism %s", name, cost_text(p, q->model.work, b),
                   cost_text(p, q->model.span, c), format_ratio(q->model.parallelism, d));
    free(name);
    char *arcs = q->recorded.arcs ? format_text("%s dependences that are no joins, ", format_count(q->recorded.arcs, b)) : 0;
    char *rest = p->dag->grain_cost == UINT64_MAX
                     ? format_text("all contracted at the end: the budget is used up")
                     : format_text("subtrees below %s contracted", cost_short_text(p, profile_ns(p, p->dag->grain_cost), b));
    page_paragraph(out, &q->options, "", "dag: %s tasks in %s records, %s%s", format_count(q->recorded.tasks, b), format_count(q->recorded.records, c),
                   arcs ? arcs : "", rest);
    free(arcs);
    free(rest);
    putc('\n', out);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < q->p_count; i++) {
        const struct prediction *o = &q->out[i];
        double speedup = ratio(q->work, o->mean);
        table_add(t, format_count(o->p, b));
        table_add(t, cost_short_text(p, o->mean, b));
        table_add(t, spread_text(o, b));
        table_add(t, format_ratio(speedup, b));
        add_percent(t, speedup / o->p);
        add_percent(t, 1 - ratio(q->all, o->mean * o->p));
        table_add(t, format_count((uint64_t)(o->steals + 0.5), b));
        table_add(t, cost_short_text(p, o->greedy, b));
        table_add(t, format_ratio(ratio(q->work, o->greedy), b));
        table_add(t, format_ratio(o->lower, b));
        table_add(t, format_ratio(o->upper, b));
    }
    table_print(t, out, q->options.width);
    table_free(t);
    print_notes(q, out);
}

static json_t *whole(double v)
{
    return json_integer((json_int_t)(v + 0.5));
}

static void print_json(const struct predictor *q, FILE *out)
{
    const struct profile *p = q->profile;
    json_t *list = json_array(), *notes = json_array();
    for (unsigned i = 0; i < q->p_count; i++) {
        const struct prediction *o = &q->out[i];
        json_t *j = json_object();
        json_object_set_new(j, "processors", json_integer(o->p));
        json_object_set_new(j, "time_ns", whole(o->mean));
        json_object_set_new(j, "least_time_ns", whole(o->low));
        json_object_set_new(j, "largest_time_ns", whole(o->high));
        json_object_set_new(j, "speedup", json_real(ratio(q->work, o->mean)));
        json_object_set_new(j, "efficiency", json_real(ratio(q->work, o->mean * o->p)));
        json_object_set_new(j, "idle", json_real(1 - ratio(q->all, o->mean * o->p)));
        json_object_set_new(j, "steals", json_real(o->steals));
        json_object_set_new(j, "greedy_time_ns", whole(o->greedy));
        json_object_set_new(j, "greedy_speedup", json_real(ratio(q->work, o->greedy)));
        json_object_set_new(j, "lower", json_real(o->lower));
        json_object_set_new(j, "upper", json_real(o->upper));
        json_object_set_new(j, "impossible", json_boolean(impossible(o, ratio(q->work, o->mean)) ||
                                                          impossible(o, ratio(q->work, o->greedy))));
        json_array_append_new(list, j);
    }
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_DAG) {
            char *clean = format_clean(profile_string(p, p->notes[i].name));
            json_array_append_new(notes, json_pack("{s:s, s:I}", "name", clean, "count", (json_int_t)p->notes[i].count));
            free(clean);
        }
    char *name = format_clean(p->path);
    json_t *dag = json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "work_ns", (json_int_t)profile_whole_ns(p, q->recorded.work), "span_ns",
                            (json_int_t)profile_whole_ns(p, q->recorded.span), "tasks", (json_int_t)q->recorded.tasks, "records",
                            (json_int_t)q->recorded.records, "simulated_tasks", (json_int_t)q->tasks, "coarse", q->coarse,
                            "approximate", notes);
    json_object_set_new(dag, "dependences", json_integer((json_int_t)q->recorded.arcs));
    json_object_set_new(dag, "grain_ns", p->dag->grain_cost == UINT64_MAX ? json_null()
                                         : json_integer((json_int_t)profile_whole_ns(p, p->dag->grain_cost)));
    json_t *all = json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:i, s:o, s:o}", "profile", name, "unit", profile_unit(p), "work_ns",
                            (json_int_t)profile_whole_ns(p, p->totals.work_cost), "span_ns",
                            (json_int_t)profile_whole_ns(p, p->totals.span_cost), "burden_ns",
                            (json_int_t)profile_whole_ns(p, p->totals.burden_cost), "dispatch_ns", in_time(q, q->overhead), "seeds",
                            (int)q->seeds, "dag", dag, "predictions", list);
    free(name);
    json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putc('\n', out);
    json_decref(all);
}

static void print_csv(const struct predictor *q, FILE *out)
{
    fputs("processors,time_ns,least_time_ns,largest_time_ns,speedup,efficiency,idle,steals,greedy_time_ns,greedy_speedup,lower,upper\r\n",
          out);
    for (unsigned i = 0; i < q->p_count; i++) {
        const struct prediction *o = &q->out[i];
        fprintf(out, "%u,%.0f,%.0f,%.0f,%.12g,%.12g,%.12g,%.12g,%.0f,%.12g,%.12g,%.12g\r\n", o->p, o->mean, o->low, o->high,
                ratio(q->work, o->mean), ratio(q->work, o->mean * o->p), 1 - ratio(q->all, o->mean * o->p), o->steals, o->greedy,
                ratio(q->work, o->greedy), o->lower, o->upper);
    }
}

/* ---- the command ---- */

static const char usage[] =
    "usage: prof predict [options] [FILE]\n"
    "How long the program would take on P workers: simulates a work-stealing and a greedy scheduler on the dag of\n"
    "a profile made with prof run --dag (or PROF_DAG=64m).\n"
    "  -P, --processors LIST  numbers of workers, from 1 to 1024 (1,2,4,...,1024)\n"
    "  -n, --seeds N          simulations of work stealing, whose victims are random, at each P (3)\n"
    "      --tasks N          simulate at most so many; small ones are taken together beyond (1000000)\n"
    "      --json, --csv      for programs; JSON.md describes it\n"
    "  -h, --help             this\n";

/* A whole number from LOW to HIGH at *TEXT, which moves behind it. */
static bool parse_whole(const char **text, unsigned long low, unsigned long high, unsigned long *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoul(*text, &end, 10);
    *text = end;
    return *value >= low && *value <= high;
}

static bool parse_processors(struct predictor *q, const char *list)
{
    const char *s = list;
    unsigned long v;
    for (q->p_count = 0; q->p_count < PROCESSORS && parse_whole(&s, 1, MAX_P, &v); s++) {
        q->p[q->p_count++] = v;
        if (!*s)
            return true;
        if (*s != ',')
            break;
    }
    char *clean = format_clean(list);
    fprintf(stderr, "prof: --processors %s: at most %d numbers from 1 to %d, with commas between them, are expected\n", clean, PROCESSORS,
            MAX_P);
    free(clean);
    return false;
}

static bool parse_count(const char *option, const char *text, unsigned long high, unsigned long *value)
{
    const char *s = text;
    if (parse_whole(&s, 1, high, value) && !*s)
        return true;
    char *clean = format_clean(text);
    fprintf(stderr, "prof: --%s %s: a whole number from 1 to %lu is expected\n", option, clean, high);
    free(clean);
    return false;
}

static int predict_file(struct predictor *q, const char *path)
{
    struct profile p;
    if (profile_open(&p, path))
        return 2;
    if (!p.dag_count) {
        char *clean = format_clean(path);
        fprintf(stderr, "prof: %s: %s\n", clean, p.flags & LPF_F_CHECKPOINT
                ? "a checkpoint has no dag: it is written when the program ends"
                : "there is no dag in it: record one with prof run --dag, or PROF_DAG=64m");
        free(clean);
        profile_close(&p);
        return 2;
    }
    q->profile = &p;
    model_new(&q->model, &p, false);
    bool ok = predict(q);
    if (ok && q->options.form == FORM_JSON)
        print_json(q, stdout);
    else if (ok && q->options.form == FORM_CSV)
        print_csv(q, stdout);
    else if (ok)
        print_text(q, stdout);
    model_free(&q->model);
    profile_close(&p);
    if (ok && (fflush(stdout) || ferror(stdout))) {
        perror("prof: standard output");
        return 2;
    }
    return ok ? 0 : 2;
}

int predict_main(int argc, char **argv)
{
    enum { OPT_JSON = 256, OPT_CSV, OPT_TASKS };
    static const struct option longs[] = {
        { "processors", required_argument, 0, 'P' }, { "seeds", required_argument, 0, 'n' }, { "tasks", required_argument, 0, OPT_TASKS },
        { "json", no_argument, 0, OPT_JSON }, { "csv", no_argument, 0, OPT_CSV }, { "help", no_argument, 0, 'h' }, { 0 },
    };
    struct predictor *q = format_memory(calloc(1, sizeof *q));
    unsigned long v;
    int c, status = 2;
    options_defaults(&q->options, stdout);
    q->seeds = 3;
    q->limit = 1000000;
    while (q->p_count < 11)
        q->p[q->p_count] = 1u << q->p_count, q->p_count++;
    while ((c = getopt_long(argc, argv, "P:n:h", longs, 0)) != -1) {
        switch (c) {
        case 'P':
            if (!parse_processors(q, optarg))
                goto out;
            break;
        case 'n':
            if (!parse_count("seeds", optarg, SEEDS, &v))
                goto out;
            q->seeds = v;
            break;
        case OPT_TASKS:
            if (!parse_count("tasks", optarg, 100000000, &v))
                goto out;
            q->limit = v;
            break;
        case OPT_JSON: case OPT_CSV:
            if (!options_form(&q->options, c == OPT_JSON ? FORM_JSON : FORM_CSV))
                goto out;
            break;
        case 'h':
            fputs(usage, stdout);
            status = 0;
            goto out;
        default: goto out;
        }
    }
    if (argc - optind > 1) {
        fputs("prof: one profile is expected\n", stderr);
        goto out;
    }
    char *newest = optind < argc ? 0 : profile_newest("predict");
    const char *file = optind < argc ? argv[optind] : newest;
    status = file ? predict_file(q, file) : 2;
    free(newest);
out:
    free(q);
    return status;
}
