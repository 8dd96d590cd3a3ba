/* forms.c - a prediction as text, JSON and CSV. */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/paragraphs.h"
#include "layout/table.h"
#include "layout/text_page.h"
#include "predict/predict.h"
#include "profile/profile.h"

#define SHOWN_SPREAD 0.0005     /* a smaller spread, as a share of the mean, is not shown */

/* The share of the program's work or span that the dag does not have. HAD: the dag's. */
static double missing(double had, double of)
{
    return of > 0 ? 1 - had / of : 0;
}

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

/* The time that strands waited for locks and other threads, by samples and as it was measured. */
static double locks_of(const struct predictor *q)
{
    return q->waits.spun + q->waits.locked + q->waits.excluded;
}

static bool has_locks(const struct predictor *q)
{
    return locks_of(q) > 0 && locks_of(q) >= STRAND_WAITS_WORTH * q->waits.sampled;
}

#define SAY(mark, ...)                                                                             \
    (text = format_text(__VA_ARGS__), page_paragraph(out, &q->options, mark, "%s", text),          \
     free(text))

/* Are work and span estimates, because much of what strands took is libprof's, or was taken off? */
static bool is_estimate(const struct predictor *q)
{
    return q->own.taken > 0 || q->own.large;
}

/* States that the chunks of the recorded dag are those of this run. */
static void print_loops(const struct predictor *q, FILE *out)
{
    const struct summary *m = &q->summary;
    const struct row *longest = summary_long_chunk(m);
    char b[FORMAT_SIZE], *text;
    if (!summary_loops_divide(m))
        return;
    SAY("!",
        "loops are simulated in the chunks of this run, with %u worker%s. Their iterations allow a "
        "parallelism of about %s (estimated%s)",
        m->profile->totals.workers, m->profile->totals.workers == 1 ? "" : "s",
        format_about(m->divisible_parallelism, b),
        has_locks(q) ? ", if none waits for another" : "");
    if (longest || (longest = summary_unlike_chunk(m)))
        SAY("!",
            "one chunk took %s, longer than others of its loop: so one of its iterations may, and "
            "no cut makes that shorter",
            format_short_ns(profile_ns(m->profile, longest->longest), b));
}

/* States that the dag has as parallel what no team shared. */
static void print_of_one(const struct predictor *q, FILE *out)
{
    double work;
    char b[FORMAT_SIZE], *text;
    if (summary_of_one(&q->summary, &work))
        SAY("!",
            "tasks and chunks of regions count as parallel, whatever the size of their teams: "
            "teams of one thread had %s of the work, %.0f %% of it",
            format_short_ns(work, b), 100 * ratio(work, q->summary.work));
}

/* States that the recorded dag has outliers at their full length. */
static void print_outliers(const struct predictor *q, FILE *out)
{
    char b[FORMAT_SIZE];
    if (!summary_has_outliers(&q->summary))
        return;
    char *text = format_text(
        "strands are simulated as long as they were, also those that took far longer than "
        "comparable strands. Without these, parallelism is about %s: where the speedup stays near "
        "\"upper\", interrupts may be why.",
        format_about(q->summary.typical_parallelism, b));
    page_paragraph(out, &q->options, "!", "%s", text);
    free(text);
}

/* States what the recorded dag lacks. */
static void print_notes_on_dag(const struct predictor *q, FILE *out)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    char b[FORMAT_SIZE], *text;
    double part = missing(q->work, q->summary.work);
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_DAG)
            SAY("!",
                "approximate: %s (%s) are in the dag as times, not as dependences: between P = 1 "
                "and the span's limit, expect less speedup",
                profile_string(p, p->notes[i].name), format_count(p->notes[i].count, b));
    const char *caveat = certainty_caveat(&q->summary, false);
    if (caveat)
        SAY("!", "the span is %s (prof report names why): %s, with few workers, too", caveat,
            certainty_span(&q->summary) == CERTAIN_NOT ? "the speedup may be lower or higher"
                                                     : "expect less speedup");
    print_loops(q, out);
    print_of_one(q, out);
    print_outliers(q, out);
    for (size_t i = 0, n = 0; i < q->summary.row_count; i++)
        if (q->summary.rows[i].as_executed && !n++)
            SAY("!",
                "what the threads of a region of %s executed is taken for all the parallelism that "
                "it has: with more than %u of them a loop in it may make more of it",
                q->summary.rows[i].function, t->workers);
    if (summary_limited_by_threads(&q->summary))
        SAY("!",
            "what each thread that the program started executed is taken as given: with more "
            "threads, or another division of their work, the program may be faster or slower");
    if (fabs(part) > 0.005)
        SAY("!", "the dag has %.1f%% of the profile's work", 100 * (1 - part));
    if (p->dag->lost)
        SAY("!", "%s tasks have no record: there was no memory", format_count(p->dag->lost, b));
}

/* States that strands kept each other out, which no dag shows. */
static void print_waits(const struct predictor *q, FILE *out)
{
    const struct row *at;
    char b[FORMAT_SIZE], *text;
    double waits = summary_exclusion(&q->summary, &at);
    if (!at || waits <= 0.02 * q->summary.work)
        return;
    char *name = text_function(at), *place = text_place(at);
    SAY("!",
        "strands waited %s to enter critical sections or take locks, longest in %s (%s%s%s): "
        "no prediction has that. What is inside them runs one at a time: the speedup may be far "
        "below all that is predicted, and below \"lower\"",
        format_ns(waits, b), name, place, *place ? ", " : "", at->construct);
    free(name);
    free(place);
}

/* If one scheduler needs less than this part of the other's time, the order of tasks matters. */
#define ORDER_MATTERS 0.9

static bool in_openmp(const struct predictor *q)
{
    const struct row *most = summary_heaviest(&q->summary);
    return most && !strcmp(most->runtime, "openmp");
}

/* May OpenMP tasks, or the parts of loops and graphs, be taken in their order, and do the two
 * schedulers differ by that? Greedy takes them in their order. */
static bool order_matters(const struct predictor *q, const struct prediction *o)
{
    return (in_openmp(q) || q->recorded.arcs) && o->p > 1 &&
           fmin(o->greedy, o->mean) < ORDER_MATTERS * fmax(o->greedy, o->mean);
}

/* A run that took so many times as long as predicted is compared with the prediction. */
#define TOOK_LONGER 1.3

/* States that the run itself was not as the prediction for its number of workers is. */
static void print_run(const struct predictor *q, FILE *out)
{
    const struct lpf_totals *t = &q->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], *text;
    bool timed = t->ns_num && strcmp(profile_string(q->profile, t->clock), "virtual") != 0;
    for (unsigned i = 0; timed && i < q->p_count; i++) {
        double expected = q->out[i].mean;
        if (q->out[i].p == t->workers && t->elapsed_ns > TOOK_LONGER * expected)
            SAY("!",
                "This run took %s with its %u worker%s, not %s: what else kept its workers from "
                "these tasks, such as waits, time off the CPU, a runtime's limits and other "
                "programs, is not in this prediction.",
                format_ns(t->elapsed_ns, a), t->workers, t->workers == 1 ? "" : "s",
                format_ns(expected, b));
    }
}

/* States before the table what it leaves out, and by how much. */
static void print_left_out(const struct predictor *q, FILE *out)
{
    double locks = locks_of(q);
    char a[FORMAT_SIZE], *text;
    print_run(q, out);
    if (has_locks(q))
        SAY("!",
            "Waits for locks and other threads, %.0f %% of the strands' time (%s), are not in this "
            "prediction. What a lock protects runs one at a time, whatever P is: with locks, "
            "expect less.",
            100 * ratio(locks, q->waits.strands), format_ns(locks, a));
    if (q->waits.slept >= STRAND_WAITS_WORTH * q->waits.sampled && q->waits.slept > 0)
        SAY("!",
            "Samples found strands asleep for %.0f %% of their time (%s): that is not in this "
            "prediction. The "
            "program takes longer than T_P, and its speedup may be more, because more workers "
            "sleep at the same time.",
            100 * ratio(q->waits.slept, q->waits.strands), format_ns(q->waits.slept, a));
}

/* States how far the simulation can be trusted. */
static void print_notes_on_prediction(const struct predictor *q, FILE *out)
{
    char b[FORMAT_SIZE], *text;
    if (q->coarse)
        SAY("!",
            "small tasks were taken together to simulate no more than %s: with very many workers, "
            "expect more speedup (--tasks)",
            format_count(q->tasks, b));
    for (unsigned i = 0; i < q->p_count; i++)
        if (predict_impossible(&q->out[i], ratio(q->work, q->out[i].mean)) ||
            predict_impossible(&q->out[i], ratio(q->work, q->out[i].greedy))) {
            SAY("!",
                "P = %u: a speedup above the upper bound is impossible: the dag and the profile "
                "differ",
                q->out[i].p);
            break;
        }
    for (unsigned i = 0; i < q->p_count; i++)
        if (q->out[i].p > 1 && ratio(q->work, q->out[i].mean) < q->out[i].lower) {
            SAY("-",
                "P = %u: below the lower estimate, which knows neither the runtime's time for each "
                "task nor who is idle when",
                q->out[i].p);
            break;
        }
    for (unsigned i = 0; i < q->p_count; i++)
        if (order_matters(q, &q->out[i])) {
            SAY("-",
                "P = %u: %sT_P depends on which task a worker takes next. The simulated worker "
                "takes its newest one. A runtime that takes them in their order, as a loop's "
                "chunks%s, may come nearer to greedy",
                q->out[i].p, q->recorded.arcs ? "by dependences that are no joins, " : "",
                in_openmp(q) ? ", or as libgomp's idle threads take tasks"
                             : " or a graph's messages");
            break;
        }
}

/* States how far the figures of the strands and of steals can be trusted. */
static void print_notes_on_figures(const struct predictor *q, FILE *out)
{
    const struct lpf_totals *t = &q->profile->totals;
    char b[FORMAT_SIZE], *text, *why = certainty_estimate(&q->own);
    if (why)
        SAY("!",
            "work and span are estimates: %s. So \"upper\" bounds nothing, and the program may be "
            "faster or slower than predicted. Larger tasks show more",
            why);
    else if (q->summary.short_strands)
        SAY("!",
            "strands are so short (%s on average) that libprof itself is part of what they cost, "
            "or takes too much off: the program may be faster or slower than predicted",
            format_ns(q->summary.average_strand, b));
    free(why);
    unsigned steals = certainty_few_steals(q->profile);
    if (steals)
        SAY("!",
            "the steal latency is that of %u steal%s in this run: too few to show what a steal "
            "takes. On a busy machine it may be far longer than usual: where greedy is much faster "
            "than work stealing, that may be why (PROF_BURDEN sets another)",
            steals, steals == 1 ? "" : "s");
    print_waits(q, out);
    double other = t->blocked_ns - q->waits.locked - q->waits.slept;
    if (other > 0.02 * q->summary.work)
        SAY("!", "strands were off the CPU for %s%s: no prediction has that", format_ns(other, b),
            q->waits.locked + q->waits.slept > 0 ? " more; samples do not show why"
                                                 : ", waiting or preempted");
}

/* What the simulation adds to each task, and where that is from. The caller frees it. */
static char *dispatch_words(const struct predictor *q)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    char b[FORMAT_SIZE];
    if (q->overhead > 0 || !t->ns_num || !strcmp(profile_string(p, t->clock), "virtual"))
        return format_text("dispatch of a task %s, this run's mean time between strands, in which "
                           "waits for work may be",
                           cost_short_text(p, predict_in_time(q, q->overhead), b));
    return format_text("dispatch of a task not known, and taken for 0: this run's %s a task "
                       "between strands may all be libprof's",
                       format_short_ns(ratio(t->dispatch_ns, t->tasks), b));
}

static void print_notes(const struct predictor *q, FILE *out)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    char b[FORMAT_SIZE], *text, *dispatch = dispatch_words(q);
    putc('\n', out);
    print_notes_on_dag(q, out);
    print_notes_on_prediction(q, out);
    print_notes_on_figures(q, out);
    SAY("",
        "Estimated: T_P of the work as it was in this run, with %u worker%s, on machines whose "
        "memory keeps up with P workers (work inflation is not predicted). Steal latency %s (the "
        "burden); %s; speedup is T1 / T_P.",
        t->workers, t->workers == 1 ? "" : "s",
        cost_short_text(p, profile_ns(p, t->burden_cost), b), dispatch);
    free(dispatch);
}
#undef SAY

void predict_text(const struct predictor *q, FILE *out)
{
    const char *bounds = is_estimate(q) ? "about" : "bounds";
    const struct table_column columns[] = {
        { "P", 0, TABLE_NUMBER, 0 },
        { "T_P", "work stealing", TABLE_NUMBER, 0 },
        { "+-", "work stealing", TABLE_NUMBER, 4 },
        { "speedup", "work stealing", TABLE_NUMBER, 0 },
        { "effic. %", "work stealing", TABLE_NUMBER, 3 },
        { "idle %", "work stealing", TABLE_NUMBER, 1 },
        { "steals", "work stealing", TABLE_NUMBER, 5 },
        { "T_P", "greedy", TABLE_NUMBER, 2 },
        { "speedup", "greedy", TABLE_NUMBER, 1 },
        { "lower", bounds, TABLE_NUMBER, 1 },
        { "upper", bounds, TABLE_NUMBER, 1 },
        { "loops divided", bounds, TABLE_NUMBER, 1 }, /* only if loops divide */
    };
    bool divides = summary_loops_divide(&q->summary);
    const struct profile *p = q->profile;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], *name = format_clean(p->path);
    page_paragraph(out, &q->options, "", "%s: T1 %s, span %s, parallelism %s%s", name,
                   cost_text(p, q->summary.work, b), cost_text(p, q->summary.span, c),
                   format_ratio(q->summary.parallelism, d),
                   is_estimate(q) ? " (all estimated)" : "");
    free(name);
    char *arcs = q->recorded.arcs ? format_text("%s dependences that are no joins, ",
                                                format_count(q->recorded.arcs, b))
                                  : 0;
    char *rest = p->dag->grain_cost == UINT64_MAX
                     ? format_text("all contracted at the end: the budget is used up")
                     : format_text("subtrees below %s contracted",
                                   cost_short_text(p, profile_ns(p, p->dag->grain_cost), b));
    page_paragraph(out, &q->options, "", "dag: %s tasks in %s records, %s%s",
                   format_count(q->recorded.tasks, b), format_count(q->recorded.records, c),
                   arcs ? arcs : "", rest);
    free(arcs);
    free(rest);
    print_left_out(q, out);
    putc('\n', out);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0] - !divides);
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
        if (divides)
            table_add(t, format_ratio(o->upper_divided, b));
    }
    table_print(t, out, q->options.width);
    table_free(t);
    print_notes(q, out);
}

static json_t *whole(double v)
{
    return json_integer(v < 0x1p63 ? (json_int_t)(v + 0.5) : INT64_MAX);
}

static json_t *prediction(const struct predictor *q, const struct prediction *o)
{
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
    json_object_set_new(j, "upper_divided", json_real(o->upper_divided));
    json_object_set_new(j, "impossible",
                        json_boolean(predict_impossible(o, ratio(q->work, o->mean)) ||
                                     predict_impossible(o, ratio(q->work, o->greedy))));
    return j;
}

/* What was recorded, and what the record does not show. */
static json_t *dag(const struct predictor *q)
{
    const struct profile *p = q->profile;
    json_t *notes = json_array();
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_DAG) {
            char *clean = format_clean(profile_string(p, p->notes[i].name));
            json_array_append_new(notes, json_pack("{s:s, s:I}", "name", clean, "count",
                                                   (json_int_t)p->notes[i].count));
            free(clean);
        }
    json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "work_ns",
                          (json_int_t)profile_whole_ns(p, q->recorded.work), "span_ns",
                          (json_int_t)profile_whole_ns(p, q->recorded.span), "tasks",
                          (json_int_t)q->recorded.tasks, "records",
                          (json_int_t)q->recorded.records, "simulated_tasks",
                          (json_int_t)q->tasks, "coarse", q->coarse, "approximate", notes);
    json_object_set_new(j, "simulated_work_ns", whole(ceil(q->all)));
    json_object_set_new(j, "simulated_span_ns", whole(ceil(q->longest)));
    json_object_set_new(j, "dependences", json_integer((json_int_t)q->recorded.arcs));
    json_object_set_new(j, "grain_ns",
                        p->dag->grain_cost == UINT64_MAX
                            ? json_null()
                            : json_integer((json_int_t)profile_whole_ns(p, p->dag->grain_cost)));
    return j;
}

void predict_json(const struct predictor *q, FILE *out)
{
    const struct profile *p = q->profile;
    json_t *list = json_array();
    for (unsigned i = 0; i < q->p_count; i++)
        json_array_append_new(list, prediction(q, &q->out[i]));
    char *name = format_clean(p->path);
    json_t *all = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:f, s:i, s:o, s:o}", "profile", name, "unit", profile_unit(p),
        "work_ns", (json_int_t)profile_whole_ns(p, p->totals.work_cost), "span_ns",
        (json_int_t)profile_whole_ns(p, p->totals.span_cost), "burden_ns",
        (json_int_t)profile_whole_ns(p, p->totals.burden_cost), "dispatch_ns",
        predict_in_time(q, q->overhead), "seeds", (int)q->seeds, "dag", dag(q), "predictions",
        list);
    free(name);
    const struct row *longest;
    json_object_set_new(all, "waits_ns",
                        whole(p->totals.ns_num ? summary_exclusion(&q->summary, &longest) : 0));
    json_object_set_new(all, "spun_ns", whole(q->waits.spun));
    json_object_set_new(all, "locked_ns", whole(q->waits.locked));
    json_object_set_new(all, "slept_ns", whole(q->waits.slept));
    json_object_set_new(all, "blocked_ns", json_integer((json_int_t)p->totals.blocked_ns));
    json_object_set_new(all, "strands_ns", whole(q->waits.strands));
    json_object_set_new(all, "workers", json_integer(p->totals.workers));
    json_object_set_new(all, "span_divisible_ns",
                        json_integer((json_int_t)profile_whole_ns(p, profile_divisible_span(p))));
    json_object_set_new(all, "span_typical_ns",
                        p->typical_count ? json_integer((json_int_t)profile_whole_ns(
                                               p, profile_typical_span(p)))
                                         : json_null());
    json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putc('\n', out);
    json_decref(all);
}

void predict_csv(const struct predictor *q, FILE *out)
{
    fputs("processors,time_ns,least_time_ns,largest_time_ns,speedup,efficiency,idle,steals,greedy_"
          "time_ns,greedy_speedup,lower,upper,upper_divided\r\n",
          out);
    for (unsigned i = 0; i < q->p_count; i++) {
        const struct prediction *o = &q->out[i];
        fprintf(out, "%u,%.0f,%.0f,%.0f,%.12g,%.12g,%.12g,%.12g,%.0f,%.12g,%.12g,%.12g,%.12g\r\n",
                o->p, o->mean, o->low, o->high, ratio(q->work, o->mean),
                ratio(q->work, o->mean * o->p), 1 - ratio(q->all, o->mean * o->p), o->steals,
                o->greedy, ratio(q->work, o->greedy), o->lower, o->upper, o->upper_divided);
    }
}
