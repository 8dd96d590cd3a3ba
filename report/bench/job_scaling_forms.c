/* job_scaling_forms.c - a bench of an MPI job as text and as JSON; see job_scaling.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "bench/job_scaling.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"

/* ---- what limits it ---- */

static void print_limit(const struct job_scaling *b, const struct options *o, FILE *out)
{
    unsigned i = b->count - 1;
    const struct job_point *x = &b->points[i];
    if (!x->profiles) {
        if (x->alone)
            page_paragraph(out, o, "!",
                           "The profiles with %u rank%s are of other jobs, or of none: is the "
                           "launcher that of the program's MPI, and is the program an MPI program?",
                           x->p, x->p == 1 ? "" : "s");
        page_paragraph(out, o, "!",
                       "No run has a profile of all ranks that came to MPI_Finalize: there are no "
                       "efficiencies.");
        return;
    }
    page_paragraph(out, o, "", "Of the last profiled run with %u rank%s:", x->p,
                   x->p == 1 ? "" : "s");
    findings_text(&x->findings, o, out);
    if (b->output)
        page_paragraph(out, o, "", "prof report %s names the code and the rank.", x->profile);
    if (x->workers > b->cpus)
        page_paragraph(out, o, "!",
                       "%.0f workers on %.0f processors of this host, if all ranks are here.",
                       x->workers, b->cpus);
}

/* ---- text ---- */

static void cell(struct table *t, const char *format, double v)
{
    char *text = isfinite(v) ? format_text(format, v) : format_text("%s", "-");
    table_add(t, text);
    free(text);
}

static void add_point(struct table *t, const struct job_scaling *b, unsigned i)
{
    const struct job_point *x = &b->points[i];
    const struct efficiencies *e = &x->efficiencies;
    char text[FORMAT_SIZE];
    double margin = stats_margin(&x->native, NAN), scaling = job_work_scaling(b, i);
    cell(t, "%.0f", x->p);
    table_add(t, format_short_ns(x->native.mean, text));
    cell(t, "%.1f", 100 * margin / x->native.mean);
    cell(t, "%.2f", b->points[0].native.mean / x->native.mean);
    cell(t, "%.1f", 100 * job_efficiency(b, i));
    cell(t, "%.3f", x->profiled.mean / x->native.mean);
    cell(t, "%.1f", 100 * e->parallel * scaling);
    cell(t, "%.1f", 100 * e->parallel);
    cell(t, "%.1f", 100 * e->load_balance);
    cell(t, "%.1f", 100 * e->communication);
    cell(t, "%.1f", e->hybrid ? NAN : 100 * e->serialisation);
    cell(t, "%.1f", e->hybrid ? NAN : 100 * e->transfer);
    cell(t, "%.1f", 100 * e->threads);
    cell(t, "%.1f", 100 * scaling);
    cell(t, "%.2f", ratio(x->work, x->span));
}

static void print_command(const struct job_scaling *b, const struct options *o, FILE *out)
{
    char *line = NULL;
    size_t size;
    FILE *f = format_memory(open_memstream(&line, &size));
    fputs(b->launcher, f);
    for (char **c = b->command; *c; c++)
        fprintf(f, " %s", *c);
    fclose(f);
    char *clean = format_clean(format_memory(line));
    format_fit(clean, o->width - strlen("prof bench --mpi: "));
    fprintf(out, "prof bench --mpi: %s\n", clean);
    free(clean);
    free(line);
}

void job_scaling_text(const struct job_scaling *b, const struct options *o, FILE *out)
{
    static const char native[] = "native", pop[] = "POP, % (profiled runs)";
    static const struct table_column columns[] = {
        { "ranks", 0, TABLE_NUMBER, 0 },           { "mean", native, TABLE_NUMBER, 0 },
        { "+- %", native, TABLE_NUMBER, 4 },       { "speedup", native, TABLE_NUMBER, 0 },
        { "effic. %", native, TABLE_NUMBER, 2 },   { "profiled", 0, TABLE_NUMBER, 5 },
        { "global", pop, TABLE_NUMBER, 0 },        { "parallel", pop, TABLE_NUMBER, 0 },
        { "balance", pop, TABLE_NUMBER, 0 },       { "communic.", pop, TABLE_NUMBER, 3 },
        { "serialis.", pop, TABLE_NUMBER, 1 },     { "transfer", pop, TABLE_NUMBER, 1 },
        { "threads", pop, TABLE_NUMBER, 2 },       { "computation", pop, TABLE_NUMBER, 1 },
        { "parallelism", 0, TABLE_NUMBER, 3 },
    };
    print_command(b, o, out);
    page_paragraph(out, o, "", "%u round%s of native and profiled runs; whole runs, with MPI_Init "
                   "and MPI_Finalize.", b->rounds, b->rounds == 1 ? "" : "s");
    page_heading(out, o, "What limits it");
    print_limit(b, o, out);
    page_heading(out, o, "Scaling");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < b->count; i++)
        add_point(t, b, i);
    table_print(t, out, o->width);
    table_free(t);
    page_paragraph(out, o, "",
                   "speedup, efficiency: over %u rank%s, of native means%s. profiled: mean / "
                   "native mean. global = parallel x computation; parallel = balance x "
                   "communication x threads; communication = serialisation x transfer. "
                   "computation: work %sof the first line / of this one. parallelism: work / "
                   "critical path of the job.",
                   b->points[0].p, b->points[0].p == 1 ? "" : "s",
                   b->weak ? " of jobs whose work grows with the ranks" : "",
                   b->weak ? "of a rank, " : "");
}

/* ---- JSON ---- */

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *times(const struct moments *m)
{
    json_t *j = json_object();
    json_object_set_new(j, "runs", json_integer(m->n));
    json_object_set_new(j, "mean_ns", m->n ? json_real(m->mean) : json_null());
    json_object_set_new(j, "margin_ns", number(stats_margin(m, NAN)));
    return j;
}

json_t *job_scaling_json(const struct job_scaling *b)
{
    json_t *j = json_object(), *points = json_array(), *command = json_array();
    for (char **c = b->command; *c; c++)
        json_array_append_new(command, json_string_nocheck(*c));
    for (unsigned i = 0; i < b->count; i++) {
        const struct job_point *x = &b->points[i];
        const struct efficiencies *e = &x->efficiencies;
        const struct { const char *key; double value; } values[] = {
            { "efficiency", job_efficiency(b, i) },
            { "parallel", e->parallel },
            { "load_balance", e->load_balance },
            { "communication", e->communication },
            { "serialisation", e->hybrid ? NAN : e->serialisation },
            { "transfer", e->hybrid ? NAN : e->transfer },
            { "mpi", e->mpi },
            { "threads", e->threads },
            { "computation", job_work_scaling(b, i) },
            { "work_ns", x->work },
            { "span_ns", x->span },
        };
        json_t *one = json_object();
        json_object_set_new(one, "ranks", json_integer(x->p));
        json_object_set_new(one, "native", times(&x->native));
        json_object_set_new(one, "profiled", times(&x->profiled));
        json_object_set_new(one, "profiles", json_integer(x->profiles));
        for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++)
            json_object_set_new(one, values[k].key, number(values[k].value));
        json_object_set_new(one, "findings", findings_json(&x->findings));
        json_array_append_new(points, one);
    }
    json_object_set_new(j, "launcher", json_string_nocheck(b->launcher));
    json_object_set_new(j, "command", command);
    json_object_set_new(j, "rounds", json_integer(b->rounds));
    json_object_set_new(j, "work_by_p", json_boolean(b->weak));
    json_object_set_new(j, "points", points);
    return j;
}
