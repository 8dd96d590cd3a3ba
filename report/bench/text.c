/* text.c - a bench as text: what limits the program, what the cores' time went into, its speedups
 * between the bounds, the factored speedups, and how reliable the trials are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"

/* If others took more than this part of T_1, it shows the machine as much as the program. */
#define MUCH_DELAYED 0.1

struct page {
    const struct factored *f;
    const struct options *o;
    FILE *out;
};

#define heading(g, text) page_heading((g)->out, (g)->o, text)
#define say(g, ...) page_paragraph((g)->out, (g)->o, __VA_ARGS__)

static void add(struct table *t, const char *format, double v)
{
    char text[64] = "-";
    if (isfinite(v))
        snprintf(text, sizeof text, format, fabs(v) < 1e15 ? v : 1e15);
    table_add(t, text);
}

static void add_ns(struct table *t, double v)
{
    char b[FORMAT_SIZE + 1] = "-";
    if (isfinite(v))
        format_short_ns(fabs(v), v < 0 ? b + 1 : b);
    table_add(t, b);
}

static void add_p(struct table *t, const struct point *x)
{
    char text[16];
    snprintf(text, sizeof text, "%u%s", x->p, x->over ? " *" : "");
    table_add(t, text);
}

/* ---- header ---- */

static void print_header(const struct page *g)
{
    const struct bench *b = g->f->bench;
    const struct bench_machine *m = &b->machine;
    char *line = NULL, when[64] = "at an unknown time", mixed[64] = "";
    size_t size;
    FILE *f = format_memory(open_memstream(&line, &size));
    for (char **c = b->command; *c; c++)
        fprintf(f, "%s%s", c == b->command ? "" : " ", *c);
    fclose(f);
    format_memory(line);
    char *command = format_clean(line);
    format_fit(command, g->o->width - 12);
    fprintf(g->out, g->o->color ? "prof bench: \033[1m%s\033[0m\n" : "prof bench: %s\n", command);
    free(command);
    free(line);
    time_t start = b->start_unix_ns / 1e9;
    struct tm tm;
    if (start && localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    if (m->quota > 0)
        snprintf(mixed, sizeof mixed, ", a quota of %.2f cores", m->quota);
    say(g, "", "%s, %u round%s on %s, %.0f of %.0f CPUs%s%s%s%s", when, b->rounds,
        b->rounds == 1 ? "" : "s", *m->host ? m->host : "this machine", m->allowed, m->cpus, mixed,
        *m->cpu ? " (" : "", m->cpu, *m->cpu ? ")" : "");
    const char *how =
        !strcmp(b->control, "runtime")
            ? "its runtime's own setting, oneTBB's max_allowed_parallelism or OMP_NUM_THREADS. "
              "Native trials are the program without libprof: what is preloaded into them sets "
              "oneTBB's number of workers, and interposes nothing"
        : !strcmp(b->control, "affinity")
            ? "the CPUs that it may run on (affinity); native trials are the program as it is"
            : "nobody but the program itself";
    if (b->virtual)
        say(g, "",
            "The clock is virtual: costs are what the program declares, T_P is the length of a "
            "greedy schedule of its dag on P workers, whatever this machine has, and I_P what is "
            "idle in it.%s",
            b->placeholder ? " {P} in the arguments is the number of workers." : "");
    else
        say(g, "", "Workers are set by %s%s.", how,
            b->placeholder ? "; and by {P} in its arguments" : "");
}

static void print_words(const struct page *g, bool warnings)
{
    for (size_t i = 0; i < g->f->word_count; i++) {
        const struct words *w = &g->f->words[i];
        if ((w->mark == MARK_WARNING) == warnings)
            say(g, warnings ? "!" : "", "%s", w->text);
    }
}

/* ---- what the cores' time went into ---- */

static void add_interval(struct table *t, double v, double half, double scale)
{
    add(t, "%.1f", scale * v);
    add(t, "%.1f", isfinite(v) ? scale * half : NAN);
}

enum { BAR = 60 };

/* Prints P x T_P as a bar: # the baseline's work, a gap A, . idle, ~ inflation. */
static void print_bars(const struct page *g)
{
    const struct factored *f = g->f;
    const int width = g->o->width < BAR + 10 ? g->o->width - 10 : BAR;
    fputc('\n', g->out);
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        double core = x->p * x->native.mean, at = 0;
        const struct {
            double part;
            char mark;
        } parts[] = { { f->t_s.mean, '#' },
                      { x->one.mean - f->t_s.mean, 'a' },
                      { isfinite(x->f) ? x->idle.mean : NAN, '.' },
                      { x->f, '~' } };
        char line[BAR + 1];
        int used = 0;
        if (!(core > 0) || x->over)
            continue;
        for (unsigned k = 0; k < 4; k++) {
            at += parts[k].part > 0 ? parts[k].part : 0;
            int end = at / core * width + 0.5;
            for (; used < end && used < width; used++)
                line[used] = parts[k].mark;
        }
        line[used] = 0;
        fprintf(g->out, "  %4u%s%s\n", x->p, used ? "  " : "", line);
    }
    say(g, "",
        "# T_s: the work of the baseline, a: T_1 - T_s (gap A), .: idle I_P (gap B), ~: work "
        "inflation F_P (gap C). Negative parts, and unknown ones, are not drawn.");
}

/* Prints each term of P x T_P, and the figures that follow from them. */
static void print_shares(const struct page *g)
{
    static const char efficiency[] = "T_s, efficiency", idle[] = "idle, I_P",
                      inflation[] = "inflation, F_P", serial[] = "serial", work[] = "work";
    static const struct table_column columns[] = {
        { "P", 0, TABLE_NUMBER, 0 },         { "%", efficiency, TABLE_NUMBER, 0 },
        { "+-", efficiency, TABLE_NUMBER, 1 }, { "T_1 - T_s, %", 0, TABLE_NUMBER, 0 },
        { "%", idle, TABLE_NUMBER, 0 },      { "+-", idle, TABLE_NUMBER, 1 },
        { "%", inflation, TABLE_NUMBER, 0 }, { "+-", inflation, TABLE_NUMBER, 1 },
        { "%", serial, TABLE_NUMBER, 2 },    { "+-", serial, TABLE_NUMBER, 2 },
        { "x", work, TABLE_NUMBER, 3 },      { "+-", work, TABLE_NUMBER, 3 },
    };
    const struct factored *f = g->f;
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    heading(g, "What the cores' time, P x T_P, went into");
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        double percent = 100 / (x->p * x->native.mean);
        add_p(t, x);
        add_interval(t, x->efficiency, x->efficiency_half, 100);
        add(t, "%.1f", percent * (x->one.mean - f->t_s.mean));
        add_interval(t, x->idle.mean, x->idle.half < 0 ? NAN : x->idle.half, percent);
        add_interval(t, x->f, x->f_error, percent);
        add_interval(t, x->serial, x->serial_half, 100);
        add(t, "%.2f", x->growth);
        add(t, "%.2f", x->growth_half);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    print_bars(g);
    say(g, "",
        "+-: half a 95 %% interval, by the trials. serial: the serial fraction of Karp and Flatt, "
        "(1/S - 1/P) / (1 - 1/P) of the speedup S = T_1 / T_P; by Amdahl's law it is the same at "
        "every P. work: of the profiles with P workers, per that with one.");
}

/* Prints the functions whose work grew. */
static void print_grown(const struct page *g)
{
    const struct factored *f = g->f;
    char several[24];
    if (!f->grown_count)
        return;
    snprintf(several, sizeof several, "P = %u", f->points[f->judged].p);
    const struct table_column columns[] = {
        { "P = 1", 0, TABLE_NUMBER, 1 }, { several, 0, TABLE_NUMBER, 0 },
        { "more", 0, TABLE_NUMBER, 0 },  { "+-", 0, TABLE_NUMBER, 0 },
        { "function", 0, TABLE_NAME, 0 }, { "file", 0, TABLE_TEXT, 2 },
    };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    heading(g, "Functions whose work grew, by samples");
    for (unsigned i = 0; i < f->grown_count; i++) {
        const struct grown *x = &f->grown[i];
        add_ns(t, x->function->work[0]);
        add_ns(t, x->function->work[f->judged]);
        add_ns(t, x->more);
        add_ns(t, x->half);
        table_add(t, x->function->function);
        table_add(t, format_base(x->function->file));
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
}

/* ---- speedup over one worker ---- */

enum { STRIP = 56 };

/* The column of the value AT on a line of WIDTH columns that ends at MOST. -1: it has none; WIDTH +
 * 1: it is beyond the line. */
static int strip_column(double at, double most, int width)
{
    double column = at / most * width;
    return column >= 0 && column <= width ? (int)column : column > width ? width + 1 : -1;
}

/* Prints a line for each P: [ lower bound, ] upper bound, * measured, | linear. */
static void print_strips(const struct page *g)
{
    const struct factored *f = g->f;
    double most = 1;
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        most = x->p > most ? x->p : most;
        most = x->speedup > most ? x->speedup : most;
    }
    int width = g->o->width < STRIP + 12 ? g->o->width - 12 : STRIP;
    fprintf(g->out, "\n  %4s  0\n", "P");
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        char line[STRIP + 2];
        const struct {
            double at;
            char mark;
        } marks[] = { { x->p, '|' },
                      { f->bounds < 0 ? NAN : x->upper, ']' },
                      { f->bounds < 0 ? NAN : x->lower, '[' },
                      { x->speedup, x->over ? 'o' : '*' } };
        memset(line, ' ', width + 1);
        line[width + 1] = 0;
        for (int k = strip_column(marks[2].at, most, width) + 1,
                 to = strip_column(marks[1].at, most, width);
             k < to && k <= width; k++)
            line[k] = '.';
        for (unsigned k = 0; k < 4; k++) {
            int at = strip_column(marks[k].at, most, width);
            if (at >= 0 && at <= width)
                line[at] = marks[k].mark;
        }
        int end = width + 1;
        while (end && line[end - 1] == ' ')
            line[--end] = 0;
        fprintf(g->out, "  %4u  %s\n", x->p, line);
    }
    fprintf(g->out, "        %*.4g\n", width + 1, most);
    say(g, "", "* measured%s, | linear%s",
        f->cores < f->points[f->count - 1].p ? " (o: oversubscribed)" : "",
        f->bounds < 0       ? ""
        : f->bound_estimated ? ", [ burdened lower estimate, ] upper estimate min(P, parallelism)"
                            : ", [ burdened lower bound, ] upper bound min(P, parallelism)");
}

/* Names the profile that the bounds come from. */
static void print_bounds(const struct page *g)
{
    const struct factored *f = g->f;
    char about[FORMAT_SIZE];
    if (f->bounds >= 0)
        say(g, "",
            "Bounds: of the profile of median parallelism at P = %u: T1 / (T1/P + 1.7 burdened "
            "span), and min(P, T1 / span)%s. No bound contains waits for locks or other threads.",
            f->points[f->bounds].p,
            f->bound_exact ? "" : ", whose span is NOT EXACT (prof report names why)");
    if (f->few_steals)
        say(g, "!",
            "lower rests on what a steal takes, by %u steal%s of that profile: too few to show it. "
            "On a busy machine a steal may take far longer than usual.",
            f->few_steals, f->few_steals == 1 ? "" : "s");
    if (f->bound_taken > 0)
        say(g, "!",
            "These rest on work and span, which are estimates here: libprof took %s of its own "
            "cost off the strands, and no more than that is left.",
            format_short_ns(f->bound_taken, about));
    else if (f->bound_own_part > 0)
        say(g, "!",
            "These rest on work and span, which are estimates here: %.0f %% of the samples in "
            "strands are libprof's.", 100 * f->bound_own_part);
    if (f->loops_divide && f->cut_by_program)
        say(g, "",
            "lower and upper hold for the loops as the program cut them, whatever P is. Their "
            "iterations allow a parallelism of about %s (estimated): the bound \"loops "
            "divided\".",
            format_about(ratio(f->bound_work, f->bound_divisible), about));
    else if (f->loops_divide && f->cut_by_either)
        say(g, "",
            "lower and upper hold for the loops as they were cut on %u workers. More workers, or a "
            "smaller chunk or grain size if the program sets one, cut them finer. Their iterations "
            "allow a parallelism of about %s (estimated): the bound \"loops divided\".",
            f->points[f->bounds].p, format_about(ratio(f->bound_work, f->bound_divisible), about));
    else if (f->loops_divide)
        say(g, "",
            "lower and upper hold for the loops as they were cut for %u workers. A runtime cuts "
            "them finer for more workers. Their iterations allow a parallelism of about %s "
            "(estimated): the bound \"loops divided\".",
            f->points[f->bounds].p, format_about(ratio(f->bound_work, f->bound_divisible), about));
    if (f->has_outliers)
        say(g, "",
            "Its span has strands that took far longer than comparable strands, for example by "
            "interrupts. Without them parallelism is about %s (estimated).",
            format_about(ratio(f->bound_work, f->bound_typical), about));
}

static void print_speedup(const struct page *g)
{
    static const char native[] = "native";
    const struct factored *f = g->f;
    const char *bounds = f->bound_estimated ? "about" : "bounds";
    const struct table_column columns[] = {
        { "P", 0, TABLE_NUMBER, 0 },
        { "trials", native, TABLE_NUMBER, 7 },
        { "median", native, TABLE_NUMBER, 0 },
        { "mean", native, TABLE_NUMBER, 3 },
        { "+- %", native, TABLE_NUMBER, 4 },
        { "spread %", native, TABLE_NUMBER, 2 },
        { "speedup", native, TABLE_NUMBER, 0 },
        { "+-", native, TABLE_NUMBER, 5 },
        { "profiled", 0, TABLE_NUMBER, 1 },
        { "/ native", 0, TABLE_NUMBER, 1 },
        { "threads", 0, TABLE_NUMBER, 6 },
        { "parallelism", 0, TABLE_NUMBER, 6 },
        { "lower", bounds, TABLE_NUMBER, 0 },
        { "upper", bounds, TABLE_NUMBER, 0 },
        { "loops divided", bounds, TABLE_NUMBER, 0 }, /* only if loops divide */
    };
    const unsigned shown = sizeof columns / sizeof columns[0] - !f->loops_divide;
    heading(g, "1) Speedup over one worker, and the bounds of a profile");
    struct table *t = table_new(columns, shown);
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        add_p(t, x);
        add(t, "%.0f", x->native.n);
        add_ns(t, x->native.median);
        add_ns(t, x->native.mean);
        add(t, "%.1f", x->native.half < 0 ? NAN : 100 * x->native.half / x->native.mean);
        add(t, "%.1f",
            x->native.n < 2 ? NAN : 100 * (x->native.max - x->native.min) / x->native.median);
        add(t, "%.2f", x->speedup);
        add(t, "%.2f", x->speedup_half);
        add_ns(t, x->profiled.mean);
        add(t, "%.3f", x->perturbation);
        add(t, "%.0f", x->threads > 0 ? x->threads : NAN);
        add(t, "%.2f", x->parallelism > 0 ? x->parallelism : NAN);
        add(t, "%.2f", f->bounds < 0 ? NAN : x->lower);
        add(t, "%.2f", f->bounds < 0 ? NAN : x->upper);
        if (f->loops_divide)
            add(t, "%.2f", x->upper_divided);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    print_strips(g);
    say(g, "",
        "speedup: median T_1 / median T_P. +-: 95 %% confidence of the mean, and what it makes of "
        "the speedup. spread: largest less smallest, of the median.%s",
        f->cores < f->points[f->count - 1].p ? " *: P above the cores." : "");
    print_bounds(g);
}

/* ---- factored speedups ---- */

/* T_s without a baseline's trials. */
static void print_estimate(const struct page *g, const char *ts)
{
    const struct factored *f = g->f;
    say(g, "",
        "T_s = %s, ESTIMATED: there is neither --baseline nor --elision, so it is T_1 less the "
        "%.1f %% of its CPU time%s that the one-worker profiles show as the runtime's (sampled, "
        "and between tasks).",
        ts, 100 * f->tasking_share,
        f->delayed > 0 && f->tasking_share >= 0.0005
            ? ", and of the time in which it had no CPU,"
            : "");
    if (f->delayed > MUCH_DELAYED)
        say(g, "!",
            "For %.0f %% of T_1, others had the CPU, while it could have run. So T_1 and T_s are "
            "longer than on a quiet machine, and the speedups and gaps below are those of a busy "
            "one.",
            100 * f->delayed);
}

static void print_sources(const struct page *g)
{
    const struct factored *f = g->f;
    char ts[FORMAT_SIZE], te[FORMAT_SIZE];
    if (!(f->t_s.mean > 0))
        return;
    format_short_ns(f->t_s.mean, ts);
    switch (f->source) {
    case BASELINE_COMMAND:
        say(g, "", "T_s = %s: the baseline, %s (%u trials).", ts, f->bench->baseline, f->t_s.n);
        break;
    case BASELINE_ELISION:
        say(g, "", "T_s = %s: the elision, %s (%u trials); there is no --baseline.", ts,
            f->bench->elision, f->t_s.n);
        break;
    case BASELINE_ESTIMATE:
        print_estimate(g, ts);
        break;
    default:
        if (isfinite(f->implausible))
            say(g, "!",
                "T_s = %s: T_1 itself. There is neither --baseline nor --elision, and the %.0f %% "
                "of the one-worker profiles that look like the runtime's are more than its tasks "
                "can cost: code of the program, perhaps, that was inlined into the runtime's "
                "templates (-g separates it).",
                ts, 100 * f->implausible);
        else if (f->bench->virtual)
            say(g, "",
                "T_s = %s: T_1 itself. There is neither --baseline nor --elision, and the virtual "
                "clock has no samples: gap A is 0.",
                ts);
        else
            say(g, "",
                "T_s = %s: T_1 itself. There is neither --baseline nor --elision, and too few "
                "samples to estimate the tasking overhead: gap A is 0.",
                ts);
    }
    if (f->source == BASELINE_COMMAND && f->t_elision.n)
        say(g, "", "T_elision = %s%s.", format_short_ns(f->t_elision.mean, te),
            f->elision_estimated
                ? ", ESTIMATED: T_1 less what the one-worker profiles show as the runtime's"
                : ": the elision");
    for (unsigned i = 1; i < f->count; i++)
        if (f->points[i].one.mean != f->points[0].native.mean) {
            say(g, "",
                "T_1 with %u in place of {P} is %s, with 1 it is %s: each P is compared with its "
                "own (T_1^P).",
                f->points[i].p, format_short_ns(f->points[i].one.mean, te),
                format_short_ns(f->points[0].native.mean, ts));
            break;
        }
    if (isfinite(f->copies))
        say(g, "",
            "Copies: %u of the one-worker program at once take %.2f times as long as one alone.",
            f->judged < 0 ? 1 : f->points[f->judged].p, f->copies);
}

static void print_factored(const struct page *g)
{
    static const char measured[] = "measured", derived[] = "derived",
                      speedups[] = "speedup over T_s", gaps[] = "gap";
    static const struct table_column columns[] = {
        { "P", 0, TABLE_NUMBER, 0 },
        { "T_P", measured, TABLE_NUMBER, 1 },
        { "I_P", measured, TABLE_NUMBER, 1 },
        { "W_P", derived, TABLE_NUMBER, 4 },
        { "F_P", derived, TABLE_NUMBER, 1 },
        { "+-", derived, TABLE_NUMBER, 3 },
        { "linear", speedups, TABLE_NUMBER, 5 },
        { "elision", speedups, TABLE_NUMBER, 0 },
        { "maximal", speedups, TABLE_NUMBER, 0 },
        { "idle-sp.", speedups, TABLE_NUMBER, 0 },
        { "infl.-sp.", speedups, TABLE_NUMBER, 0 },
        { "actual", speedups, TABLE_NUMBER, 0 },
        { "A", gaps, TABLE_NUMBER, 2 },
        { "B", gaps, TABLE_NUMBER, 2 },
        { "C", gaps, TABLE_NUMBER, 2 },
        { "D", gaps, TABLE_NUMBER, 2 },
    };
    const struct factored *f = g->f;
    heading(g, "2) Factored speedups");
    print_sources(g);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        add_p(t, x);
        add_ns(t, x->native.mean);
        add_ns(t, x->idle.mean);
        add_ns(t, x->w);
        add_ns(t, x->f);
        add_ns(t, x->f_error);
        for (unsigned k = 0; k < CURVES; k++)
            add(t, "%.2f", x->curve[k]);
        for (unsigned k = 0; k < 4; k++)
            add(t, "%.2f", x->gap[k]);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    say(g, "",
        "Ratios of means. %sW_P = P T_P - I_P, F_P = W_P - T_1. Gaps: A linear - maximal, overhead "
        "of algorithm and tasking; B maximal - idle-specific, idle time; C maximal - "
        "inflation-specific, work inflation; D maximal - actual, both.",
        f->bench->virtual ? "" : "I_P is measured in the profiled runs, T_P in native ones; ");
}

void bench_text(const struct factored *f, const struct options *o, FILE *out)
{
    struct page g = { f, o, out };
    bool any = false;
    print_header(&g);
    heading(&g, "What limits it");
    print_words(&g, false);
    if (f->findings) {
        say(&g, "", "Of the profiled trial with %u workers that is nearest to the mean:",
            f->points[f->judged].p);
        findings_text(f->findings, o, out);
    }
    print_shares(&g);
    print_grown(&g);
    for (size_t i = 0; i < f->word_count; i++)
        any |= f->words[i].mark == MARK_WARNING;
    if (any) {
        heading(&g, "What the trials are worth");
        print_words(&g, true);
    }
    print_speedup(&g);
    print_factored(&g);
}
