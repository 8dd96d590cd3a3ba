/* text_paths.c - call paths as tables: functions, lines, the paths from the program down, functions
 * with their callers. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "libprof_format.h"
#include "output/table.h"
#include "output/text_page.h"

static void add_share(struct table *t, double part, double all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, all > 0 && part > 0 ? "%.1f" : "", 100 * ratio(part, all));
    table_add(t, text);
}

/* Adds the margin of C's share of the span, in percentage points; nothing if C has no samples
 * there. */
static void add_margin(struct table *t, const struct path_cost *c, const struct path_cost *all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, c->on_span ? "%.1f" : "", 100 * path_margin(c, all));
    table_add(t, text);
}

/* The title of a metric that has a column only with --metric; NULL: one of the usual four is asked
 * for. */
static const char *extra_metric(const struct text_page *g)
{
    return !strcmp(g->o->metric, "blocked") ? "% blkd" : !strcmp(g->o->metric, "own") ? "% own" : 0;
}

/* A table of COLUMNS, with the extra metric's column before them. OUT has room for one more. */
static struct table *path_table(const struct text_page *g, const struct table_column *columns,
                                unsigned count, struct table_column *out)
{
    const char *extra = extra_metric(g);
    if (!extra)
        return table_new(columns, count);
    out[0] = (struct table_column){ extra, columns[0].group, TABLE_NUMBER, 0 };
    memcpy(out + 1, columns, count * sizeof *columns);
    return table_new(out, count + 1);
}

/* Adds the four metrics of C as shares of their totals; or, with --effort, as shares of work,
 * overhead and idleness together (Tallent, figure 4). */
static void add_path_costs(const struct text_page *g, struct table *t, const struct path_cost *c,
                           bool margin)
{
    const struct path_cost *all = &g->paths->total;
    if (extra_metric(g))
        add_share(t, path_metric(c, g->o->metric), path_metric(all, g->o->metric));
    add_share(t, c->span, all->span);
    if (margin)
        add_margin(t, c, all);
    if (g->o->effort) {
        double effort = all->work + all->idleness;
        add_share(t, c->work - c->overhead, effort);
        add_share(t, c->idleness, effort);
        add_share(t, c->overhead, effort);
        return;
    }
    add_share(t, c->work, all->work);
    add_share(t, c->idleness, all->idleness);
    add_share(t, c->overhead, all->work);
}

static void add_source(struct table *t, const char *file, int line)
{
    const char *base = file ? strrchr(file, '/') : 0;
    char *place = !file  ? format_text("%s", "")
                  : line ? format_text("%s:%d", base ? base + 1 : file, line)
                         : format_text("%s", base ? base + 1 : file);
    table_add(t, place);
    free(place);
}

/* The squares of the samples' weights over the weights. A quiet machine has 1.2; the report warns
 * above this. */
#define MANY_LATE 1.5
/* If strands had no CPU for more than this share of the work, samples may be in step with the
 * kernel's tick. */
#define MUCH_DELAY 0.25

/* Timers of CPU time expire at the kernel's tick. A strand that loses its CPU in a system call goes
 * on after a tick, so the next tick may strike the same part of it again and again. No statistic of
 * the samples shows this, and the interval does not include it. */
static void text_in_step(const struct text_page *g)
{
    char a[FORMAT_SIZE];
    uint64_t delay = profile_all_run_delay_ns(g->p);
    bool timer = strstr(profile_string(g->p, g->t->sample_source), "CPU timer") != 0;
    if (!timer || delay < MUCH_DELAY * profile_ns(g->p, g->t->work_cost))
        return;
    paragraph(g, "",
              "Strands could have run for %s more, but others had the processors. Where parts of "
              "the program end in system calls, samples may then fall in step with the kernel's "
              "tick, and +- is too small: in trials it held for 57 %% of such shares, not for "
              "95 %%. PROF_SAMPLE=task-clock:250 does not depend on the tick.",
              format_ns(delay, a));
}

/* States what the split of the idle time rests on. LATE: how many samples one stands for, on
 * average. */
static void idle_samples(const struct text_page *g, double late)
{
    uint64_t idle = llround(g->paths->idle_samples);
    char b[FORMAT_SIZE];
    if (!g->paths->idle_scaled || g->t->workers <= 1)
        return;
    if (idle)
        paragraph(g, "",
                  "The split of the idle time rests on %s%s %s: a share of 50 %% is +- %.1f "
                  "points.",
                  g->t->workers > 2 ? "at least " : "", format_count(idle, b),
                  g->paths->off_cpu_samples ? "of them and off-CPU samples" : "of them",
                  100 * stats_half(idle, idle * late));
    else
        paragraph(g, "",
                  "The split of the idle time rests on less than one sample: it may be anywhere.");
}

/* States what the split of the blocked time rests on. */
static void off_cpu_samples(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE];
    if (g->paths->off_cpu_samples)
        paragraph(g, "",
                  "The split of blocked time rests on %s off-CPU samples, %u ms apart: a share of "
                  "50 %% is +- %.1f points.",
                  format_count(g->paths->off_cpu_samples, b), LPF_OFF_CPU_NS / 1000000,
                  100 * stats_half(g->paths->off_cpu_samples, g->paths->off_cpu_samples));
    else if (t->blocked_ns && !t->tasks && !t->spawns)
        paragraph(g, "",
                  "No off-CPU sample shows where strands were blocked: these samples begin with "
                  "the first task or thread.");
}

void text_samples(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!t->samples) {
        paragraph(g, "", "There are no samples: costs stand at the spawn, in brackets.");
        return;
    }
    const struct path_cost *all = &g->paths->total;
    if (!all->samples) {
        paragraph(g, "", "No sample hit the program: costs stand at the spawn, in brackets.");
        return;
    }
    const struct row *heaviest = summary_heaviest(g->m);
    paragraph(g, "",
              "Totals are exact. The split of work within tasks rests on %s sample%s: a share of "
              "50 %% is +- %.1f points, with 95 %% confidence.",
              format_count(all->samples, a), all->samples == 1 ? "" : "s",
              100 * stats_half(all->samples, all->squares));
    if (all->on_span)
        paragraph(g, "",
                  "The split of the span rests on the %s of them that hit the critical path: a "
                  "share of 50 %% is +- %.1f points.",
                  format_count(all->on_span, b),
                  100 * stats_half(all->on_span, all->on_span_squares));
    else if (heaviest && !heaviest->root && !heaviest->tasks)
        paragraph(g, "",
                  "Whether they hit the critical path is not known, because the task there had not "
                  "ended: the span is split by spawn, in brackets.");
    else
        paragraph(g, "",
                  "None of them hit the critical path: the span is split by spawn, in brackets. "
                  MORE_SAMPLES);
    double late = ratio(all->squares, all->samples);
    double equal = stats_equal(all->samples, all->squares);
    if (late > MANY_LATE)
        paragraph(g, "",
                  "Many samples came late, as where other programs use the processors. A late one "
                  "stands for several, so all are only as precise as %s on time. With "
                  "PROF_SAMPLE=task-clock:250 none comes late, where perf events are allowed.",
                  format_count(equal < 1 ? 1 : llround(equal), b));
    text_in_step(g);
    idle_samples(g, late);
    if (!strcmp(g->o->metric, "blocked"))
        off_cpu_samples(g);
    if (t->samples_cut)
        paragraph(g, "", "%s samples have paths with unknown frames.",
                  format_count(t->samples_cut, a));
}

/* Has C nothing to show? */
static bool nothing(const struct text_page *g, const struct path_cost *c)
{
    return !c->span && !c->work && c->idleness <= 0 && !c->samples &&
           path_metric(c, g->o->metric) <= 0;
}

void text_functions(const struct text_page *g)
{
    static const char self[] = "self", all[] = "with callees";
    static const struct table_column columns[] = {
        { "% span", self, TABLE_NUMBER, 0 }, { "+-", self, TABLE_NUMBER, 1 },
        { "% work", self, TABLE_NUMBER, 0 }, { "% idle", self, TABLE_NUMBER, 0 },
        { "% ovhd", self, TABLE_NUMBER, 4 }, { "% span", all, TABLE_NUMBER, 2 },
        { "% work", all, TABLE_NUMBER, 3 },  { "% idle", all, TABLE_NUMBER, 6 },
        { "par.", all, TABLE_NUMBER, 7 },    { "function", 0, TABLE_NAME, 0 },
        { "file", 0, TABLE_TEXT, 5 },        { "verdict", 0, TABLE_ADVICE, 1 },
    };
    heading(g, "Functions: span beside idleness");
    struct table_column room[sizeof columns / sizeof columns[0] + 1];
    struct table *t = path_table(g, columns, sizeof columns / sizeof columns[0], room);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < g->paths->function_count; i++) {
        const struct path_row *r = &g->paths->functions[i];
        if (nothing(g, &r->self))
            continue;
        if (g->o->limit && shown == g->o->limit) {
            more++;
            continue;
        }
        shown++;
        add_path_costs(g, t, &r->self, true);
        add_share(t, r->all.span, g->paths->total.span);
        add_share(t, r->all.work, g->paths->total.work);
        add_share(t, r->all.idleness, g->paths->total.idleness);
        text_add_ratio(t, r->all.work, r->all.span);
        table_add(t, r->function);
        add_source(t, r->file, 0);
        table_add(t, r->verdict);
    }
    table_print(t, g->out, g->o->width);
    const char *quotient = table_shows(t, "par.") ? " par.: work per span." : "";
    table_free(t);
    if (more)
        paragraph(g, "", "... %zu more (--all)", more);
    text_samples(g);
    if (g->o->effort)
        paragraph(
            g, "",
            "%% work (without overhead), %% idle and %% ovhd are shares of the effort, their sum.");
    else
        paragraph(g, "",
                  "%% idle: share of the idle time during which another worker ran this function. "
                  "%% ovhd: work in the runtime, called from this function, as a share of all "
                  "work.%s",
                  quotient);
}

void text_lines(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "samples on span", 0, TABLE_NUMBER, 0 },
        { "samples", 0, TABLE_NUMBER, 0 },
        { "% of span samples", 0, TABLE_NUMBER, 1 },
        { "+-", 0, TABLE_NUMBER, 2 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
    };
    heading(g, "Lines that samples hit");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    size_t n = g->o->limit && g->o->limit < g->paths->line_count ? g->o->limit
                                                                 : g->paths->line_count;
    for (size_t i = 0; i < n; i++) {
        const struct path_row *r = &g->paths->lines[i];
        text_add_count(t, r->self.on_span);
        text_add_count(t, r->self.samples);
        add_share(t, r->self.on_span, g->paths->total.on_span);
        add_margin(t, &r->self, &g->paths->total);
        table_add(t, r->function);
        add_source(t, r->file, r->line);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (n < g->paths->line_count)
        paragraph(g, "", "... %zu more (--all)", g->paths->line_count - n);
}

/* Trees leave out paths with less than this share of every metric. */
#define SMALL_PATH 0.005

static bool is_small(const struct text_page *g, const struct path_cost *c)
{
    const struct path_cost *all = &g->paths->total;
    return ratio(c->span, all->span) < SMALL_PATH && ratio(c->work, all->work) < SMALL_PATH &&
           ratio(c->idleness, all->idleness) < SMALL_PATH &&
           ratio(path_metric(c, g->o->metric), path_metric(all, g->o->metric)) < SMALL_PATH;
}

static const struct table_column tree_columns[] = {
    { "% span", 0, TABLE_NUMBER, 0 },  { "% work", 0, TABLE_NUMBER, 0 },
    { "% idle", 0, TABLE_NUMBER, 0 },  { "% ovhd", 0, TABLE_NUMBER, 2 },
    { "par.", 0, TABLE_NUMBER, 3 },    { "path", 0, TABLE_TREE, 0 },
    { "file:line", 0, TABLE_TEXT, 1 },
};

static void add_tree_row(const struct text_page *g, struct table *t, const struct path_cost *c,
                         unsigned depth, const char *function, const char *file, int line)
{
    add_path_costs(g, t, c, false);
    text_add_ratio(t, c->work, c->span);
    char *text = format_text("%*s%s", depth < 40 ? (int)depth : 40, "", function);
    table_add(t, text);
    free(text);
    add_source(t, file, line);
}

struct ordered {
    uint32_t node;
    double value;
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return x->value < y->value   ? 1
           : x->value > y->value ? -1
                                 : (x->node > y->node) - (x->node < y->node);
}

/* Prints the tree in depth-first order, the largest child first. It does not recurse, because paths
 * may be deep. */
void text_paths(const struct text_page *g)
{
    const struct paths *p = g->paths;
    size_t n = p->node_count, used = 0, left_out = 0;
    uint32_t *first = format_memory(calloc(n + 1, sizeof *first)),
             *child = format_memory(calloc(n + 1, sizeof *child));
    struct ordered *order = format_memory(calloc(n + 1, sizeof *order));
    struct { uint32_t node, depth; } *stack = format_memory(calloc(n + 1, sizeof *stack));
    /* groups the children by parent, and sorts each group */
    for (size_t i = 1; i < n; i++)
        first[p->nodes[i].parent + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = 1; i < n; i++) {
        uint32_t parent = p->nodes[i].parent;
        order[first[parent] + child[parent]++] = (struct ordered){ i, path_metric(&p->nodes[i].all,
                                                                                  g->o->metric) };
    }
    for (size_t i = 0; i < n; i++)
        if (child[i] > 1)
            qsort(&order[first[i]], child[i], sizeof *order, compare_ordered);
    heading(g, "Call paths, with all they called and spawned");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0],
                                 room);
    stack[used++].node = 0;
    while (used) {
        uint32_t at = stack[--used].node, depth = stack[used].depth;
        const struct path_node *node = &p->nodes[at];
        if (at && g->o->limit && is_small(g, &node->all)) {
            left_out++;
            continue;
        }
        add_tree_row(g, t, &node->all, depth, node->function, node->file, node->line);
        for (uint32_t i = child[at]; i-- > 0; used++) {
            stack[used].node = order[first[at] + i].node;
            stack[used].depth = depth + 1;
        }
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (left_out)
        paragraph(g, "", "... %zu paths with less than %.1f %% of every metric (--all)", left_out,
                  100 * SMALL_PATH);
    free(first);
    free(child);
    free(order);
    free(stack);
}

/* The bottom-up view: each function with costs of its own, and the paths to it, merged by caller. A
 * climb starts at OWN, a node with costs of its own, and has come up to AT. Climbs are grouped by
 * FUNCTION and FILE, which are interned. */
struct climb {
    const char *function, *file;
    uint32_t own, at;
};

/* A group of COUNT climbs, the first of which is START. */
struct caller {
    const char *function;
    size_t start, count;
    struct path_cost cost;
};

static int compare_pointers(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_climbs(const void *a, const void *b)
{
    const struct climb *x = a, *y = b;
    int c = compare_pointers(x->function, y->function);
    if (!c)
        c = compare_pointers(x->file, y->file);
    return c ? c : (x->own > y->own) - (x->own < y->own);
}

struct caller_order {
    const struct climb *climbs;
    const char *metric;
};

/* Sorts by cost, then by name, then by the first node: pointers differ from run to run. */
static int compare_callers(const void *a, const void *b, void *order)
{
    const struct caller *x = a, *y = b;
    const struct caller_order *o = order;
    double u = path_metric(&x->cost, o->metric), v = path_metric(&y->cost, o->metric);
    int c = u < v ? 1 : u > v ? -1 : strcmp(x->function, y->function);
    uint32_t i = o->climbs[x->start].own, k = o->climbs[y->start].own;
    return c ? c : (i > k) - (i < k);
}

/* Moves the N CLIMBS up by one level, in place, and prints their largest callers. Recurses for
 * each. */
static void print_caller_levels(const struct text_page *g, struct table *t, struct climb *climbs,
                                size_t n, unsigned depth)
{
    enum { LEVELS = 12, SHOWN = 3 };
    const struct paths *p = g->paths;
    size_t count = 0, going = 0;
    for (size_t i = 0; i < n; i++)
        if (climbs[i].at) {
            uint32_t at = p->nodes[climbs[i].at].parent;
            climbs[going++] = (struct climb){ p->nodes[at].function, p->nodes[at].file,
                                              climbs[i].own, at };
        }
    qsort(climbs, going, sizeof *climbs, compare_climbs);
    struct caller *list = format_memory(calloc(going + 1, sizeof *list));
    for (size_t i = 0; i < going; i++) {
        if (!i || climbs[i].function != climbs[i - 1].function ||
            climbs[i].file != climbs[i - 1].file)
            list[count++] = (struct caller){ .function = climbs[i].function, .start = i };
        list[count - 1].count++;
        path_add(&list[count - 1].cost, &p->nodes[climbs[i].own].self);
    }
    qsort_r(list, count, sizeof *list, compare_callers,
            &(struct caller_order){ climbs, g->o->metric });
    for (size_t c = 0; c < count && c < SHOWN; c++) {
        struct climb *of = climbs + list[c].start;
        if (g->o->limit && is_small(g, &list[c].cost))
            continue;
        add_tree_row(g, t, &list[c].cost, depth, of->function, of->file, p->nodes[of->at].line);
        if (depth < LEVELS)
            print_caller_levels(g, t, of, list[c].count, depth + 1);
    }
    free(list);
}

void text_callers(const struct text_page *g)
{
    const struct paths *p = g->paths;
    struct climb *climbs = format_memory(calloc(p->node_count + 1, sizeof *climbs)),
                 *of = format_memory(calloc(p->node_count + 1, sizeof *of));
    size_t n = 0;
    for (size_t k = 1; k < p->node_count; k++)
        if (!nothing(g, &p->nodes[k].self))
            climbs[n++] = (struct climb){ p->nodes[k].function, p->nodes[k].file, k, k };
    qsort(climbs, n, sizeof *climbs, compare_climbs);
    heading(g, "Functions and their callers (self)");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0],
                                 room);
    size_t shown = 0;
    for (size_t i = 0; i < p->function_count && (!g->o->limit || shown < g->o->limit); i++) {
        const struct path_row *r = &p->functions[i];
        if (nothing(g, &r->self) || (g->o->limit && is_small(g, &r->self)))
            continue;
        shown++;
        add_tree_row(g, t, &r->self, 0, r->function, r->file, 0);
        size_t low = 0, high = n, end;
        struct climb first = { r->function, r->file, 0, 0 };
        while (low < high)
            if (compare_climbs(&climbs[(low + high) / 2], &first) < 0)
                low = (low + high) / 2 + 1;
            else
                high = (low + high) / 2;
        for (end = low;
             end < n && climbs[end].function == r->function && climbs[end].file == r->file;)
            end++;
        memcpy(of, climbs + low, (end - low) * sizeof *of);
        print_caller_levels(g, t, of, end - low, 1);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    free(climbs);
    free(of);
}
