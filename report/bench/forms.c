/* forms.c - the figures of a bench as JSON, as CSV, and as a gnuplot script with its data.
 * docs/SCALING.md describes keys and columns.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "base/format.h"
#include "bench/bench.h"
#include "json/json.h"

static json_t *statistics(const struct stat_of *s)
{
    json_t *j = json_object();
    json_object_set_new(j, "n", json_integer(s->n));
    json_object_set_new(j, "mean_ns", json_finite(s->mean));
    json_object_set_new(j, "median_ns", json_finite(s->median));
    json_object_set_new(j, "min_ns", json_finite(s->min));
    json_object_set_new(j, "max_ns", json_finite(s->max));
    json_object_set_new(j, "half_interval_ns", s->half < 0 ? json_null() : json_finite(s->half));
    return j;
}

static const char *const sources[] = { "baseline", "elision", "estimate", "one_worker" };

static json_t *point(const struct point *x)
{
    const struct { const char *key; double value;
    } values[] = {
        { "perturbation", x->perturbation },
        { "idle_low_ns", x->idle_low },
        { "work_ns", x->w },
        { "inflation_ns", x->f },
        { "inflation_error_ns", x->f_error },
        { "inflation_blocked_ns", x->blocked },
        { "inflation_scheduling_ns", x->scheduling },
        { "inflation_user_ns", x->user },
        { "idle_search_ns", x->search },
        { "idle_sleep_ns", x->sleep },
        { "idle_absent_ns", x->absent },
        { "gap_a", x->gap[0] },
        { "gap_b", x->gap[1] },
        { "gap_c", x->gap[2] },
        { "gap_d", x->gap[3] },
        { "speedup", x->speedup },
        { "speedup_half_interval", x->speedup_half },
        { "lower", x->lower > 0 ? x->lower : NAN },
        { "upper", x->upper > 0 ? x->upper : NAN },
        { "upper_divided", x->upper_divided > 0 ? x->upper_divided : NAN },
        { "upper_typical", x->upper_typical > 0 ? x->upper_typical : NAN },
        { "efficiency", x->efficiency },
        { "efficiency_half_interval", x->efficiency_half },
        { "serial_fraction", x->serial },
        { "serial_fraction_half_interval", x->serial_half },
        { "work_growth", x->growth },
        { "work_growth_half_interval", x->growth_half },
        { "threads", x->threads },
        { "parallelism", x->parallelism },
    };
    json_t *j = json_object(), *curves = json_object();
    json_object_set_new(j, "p", json_integer(x->p));
    json_object_set_new(j, "oversubscribed", json_boolean(x->over));
    json_object_set_new(j, "native", statistics(&x->native));
    json_object_set_new(j, "profiled", statistics(&x->profiled));
    json_object_set_new(j, "idle", statistics(&x->idle));
    json_object_set_new(j, "one_worker", statistics(&x->one));
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        json_object_set_new(j, values[i].key, json_finite(values[i].value));
    for (unsigned i = 0; i < CURVES; i++)
        json_object_set_new(curves, curve_names[i], json_finite(x->curve[i]));
    json_object_set_new(j, "curves", curves);
    return j;
}

json_t *factored_json(const struct factored *f)
{
    static const char *const marks[] = { "word", "warning" };
    json_t *j = json_object(), *points = json_array(), *words = json_array(),
           *grown = json_array();
    json_object_set_new(j, "cores", json_integer(f->cores));
    json_object_set_new(j, "baseline", json_string(sources[f->source]));
    json_object_set_new(j, "t_s", statistics(&f->t_s));
    json_object_set_new(j, "t_elision", f->t_elision.n ? statistics(&f->t_elision) : json_null());
    json_object_set_new(j, "elision_estimated", json_boolean(f->elision_estimated));
    json_object_set_new(j, "machine_slowdown", json_finite(f->machine_slowdown));
    json_object_set_new(j, "copies_slowdown", json_finite(f->copies));
    json_object_set_new(j, "judged_p",
                        f->judged < 0 ? json_null() : json_integer(f->points[f->judged].p));
    json_object_set_new(j, "bounds_p",
                        f->bounds < 0 ? json_null() : json_integer(f->points[f->bounds].p));
    json_object_set_new(j, "bounds_exact",
                        f->bounds < 0 ? json_null() : json_boolean(f->bound_exact));
    json_object_set_new(j, "bounds_estimated",
                        f->bounds < 0 ? json_null() : json_boolean(f->bound_estimated));
    json_object_set_new(j, "loops_divide", json_boolean(f->loops_divide));
    json_object_set_new(j, "has_outliers", json_boolean(f->has_outliers));
    for (unsigned i = 0; i < f->count; i++)
        json_array_append_new(points, point(&f->points[i]));
    json_object_set_new(j, "points", points);
    json_object_set_new(j, "findings", findings_json(f->findings));
    for (unsigned i = 0; i < f->grown_count; i++) {
        const struct grown *g = &f->grown[i];
        json_t *one = json_object();
        json_object_set_new(one, "function", json_text(g->function->function));
        json_object_set_new(one, "file", json_text(g->function->file));
        json_object_set_new(one, "one_worker_ns", json_finite(g->function->work[0]));
        json_object_set_new(one, "work_ns", json_finite(g->function->work[f->judged]));
        json_object_set_new(one, "growth_ns", json_finite(g->more));
        json_object_set_new(one, "half_interval_ns", json_finite(g->half));
        json_array_append_new(grown, one);
    }
    json_object_set_new(j, "grown", grown);
    for (size_t i = 0; i < f->word_count; i++) {
        json_t *w = json_object();
        char *clean = format_clean(f->words[i].text);
        json_object_set_new(w, "mark", json_string(marks[f->words[i].mark]));
        json_object_set_new(w, "cause", json_string(f->words[i].cause));
        json_object_set_new(w, "text", json_string(clean));
        json_array_append_new(words, w);
        free(clean);
    }
    json_object_set_new(j, "words", words);
    return j;
}

/* ---- CSV ---- */

static void cell(FILE *out, double v)
{
    if (isfinite(v))
        fprintf(out, ",%.12g", v);
    else
        fputc(',', out);
}

void bench_csv(const struct factored *f, FILE *out)
{
    fputs("p,oversubscribed,trials,native_median_ns,native_mean_ns,native_min_ns,native_max_ns,"
          "native_half_interval_ns,profiled_mean_ns,"
          "perturbation,idle_ns,work_ns,inflation_ns,inflation_error_ns,speedup,lower,upper,linear,"
          "elision,maximal,idle_specific,"
          "inflation_specific,actual,gap_a,gap_b,gap_c,gap_d,upper_divided,upper_typical,"
          "efficiency,efficiency_half_interval,serial_fraction,serial_fraction_half_interval,"
          "work_growth,work_growth_half_interval\r\n",
          out);
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *x = &f->points[i];
        const double values[] = { x->native.median,
                                  x->native.mean,
                                  x->native.min,
                                  x->native.max,
                                  x->native.half < 0 ? NAN : x->native.half,
                                  x->profiled.mean,
                                  x->perturbation,
                                  x->idle.mean,
                                  x->w,
                                  x->f,
                                  x->f_error,
                                  x->speedup,
                                  x->lower > 0 ? x->lower : NAN,
                                  x->upper > 0 ? x->upper : NAN };
        fprintf(out, "%u,%d,%u", x->p, x->over, x->native.n);
        for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++)
            cell(out, values[k]);
        for (unsigned k = 0; k < CURVES; k++)
            cell(out, x->curve[k]);
        for (unsigned k = 0; k < 4; k++)
            cell(out, x->gap[k]);
        cell(out, x->upper_divided > 0 ? x->upper_divided : NAN);
        cell(out, x->upper_typical > 0 ? x->upper_typical : NAN);
        const double ratios[] = { x->efficiency,  x->efficiency_half, x->serial,
                                  x->serial_half, x->growth,          x->growth_half };
        for (unsigned k = 0; k < sizeof ratios / sizeof ratios[0]; k++)
            cell(out, ratios[k]);
        fputs("\r\n", out);
    }
}

/* ---- gnuplot ---- */

static void print_value(FILE *out, double v)
{
    fprintf(out, isfinite(v) ? " %.6g" : " NaN", v);
}

static void print_title(const struct bench *b, FILE *out)
{
    char *title = NULL;
    size_t size;
    FILE *t = format_memory(open_memstream(&title, &size));
    for (char **c = b->command; *c; c++)
        fprintf(t, "%s%s", c == b->command ? "" : " ", *c);
    fclose(t);
    format_memory(title);
    char *clean = format_clean(title);
    format_fit(clean, 70);
    fputs("set multiplot layout 1,2 title ", out);
    format_gnuplot(clean, out);
    fputs(" noenhanced\n", out);
    free(clean);
    free(title);
}

static const char *const titles[CURVES] = {
    "linear", "elision", "maximal", "idle-time-specific", "inflation-specific", "actual"
};

/* Prints the data of both plots. Returns the largest speedup in it. */
static double print_data(const struct factored *f, FILE *out)
{
    unsigned last = f->points[f->count - 1].p, steps = last < 128 ? last : 128;
    double most = last;
    fputs("# Two plots: the measured speedup between the bounds of a profile, and the factored "
          "speedups. For a file:\n"
          "# gnuplot -e \"set terminal svg size 1200,500; set output 'speedup.svg'\" this-file\n"
          "# $measured: P, speedup over one worker, half its 95 % interval, 1 where P is above the "
          "cores\n$measured << END\n",
          out);
    for (unsigned i = 0; i < f->count; i++) {
        fprintf(out, "%u", f->points[i].p);
        print_value(out, f->points[i].speedup);
        print_value(out, isnan(f->points[i].speedup_half) ? 0 : f->points[i].speedup_half);
        fprintf(out, " %d\n", f->points[i].over);
        most = f->points[i].speedup > most ? f->points[i].speedup : most;
    }
    fputs("END\n# $bounds: P, lower bound T1 / (T1/P + 1.7 burdened span), upper bound min(P, "
          "T1/span), the same with loops divided, and without outliers\n$bounds << END\n",
          out);
    for (unsigned i = 0; i < steps; i++) {
        double p = steps > 1 ? 1 + (last - 1.0) * i / (steps - 1) : 1;
        fprintf(out, "%.6g", p);
        print_value(out, f->bounds < 0 ? NAN : factored_lower(f, p));
        print_value(out, f->bounds < 0 ? NAN : factored_upper(f, p));
        print_value(out, f->bounds < 0 ? NAN : factored_upper_divided(f, p));
        print_value(out, f->bounds < 0 ? NAN : factored_upper_typical(f, p));
        fputc('\n', out);
    }
    fputs("END\n# $factored: P, the curves of Acar et al., section 2.3:", out);
    for (unsigned k = 0; k < CURVES; k++)
        fprintf(out, " %s%s", titles[k], k + 1 < CURVES ? "," : "\n$factored << END\n");
    for (unsigned i = 0; i < f->count; i++) {
        fprintf(out, "%u", f->points[i].p);
        for (unsigned k = 0; k < CURVES; k++) {
            print_value(out, f->points[i].curve[k]);
            most = f->points[i].curve[k] > most ? f->points[i].curve[k] : most;
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
    return most;
}

static void print_factored_plot(const struct factored *f, FILE *out)
{
    fputs("set ylabel 'Speedup over the baseline'\nset title 'factored speedups'\nplot", out);
    for (unsigned k = 0; k < CURVES; k++) {
        if (k == CURVE_ELISION && !f->t_elision.n)
            continue;
        if ((k == CURVE_IDLE || k == CURVE_INFLATION) && f->judged >= 0 &&
            !f->points[f->judged].idle.n)
            continue;
        fprintf(out, "%s$factored using 1:%u with linespoints%s title '%s%s'",
                k ? ", \\\n     " : " ", k + 2, k == CURVE_LINEAR ? " dashtype 2" : "", titles[k],
                k == CURVE_ELISION && f->elision_estimated ? " (estimated)" : "");
    }
    fputs("\nunset multiplot\n", out);
}

void bench_gnuplot(const struct factored *f, FILE *out)
{
    unsigned last = f->points[f->count - 1].p;
    double most = print_data(f, out);
    print_title(f->bench, out);
    fprintf(out,
            "set grid\nset key top left\nset xlabel 'Workers P'\nset ylabel 'Speedup over one "
            "worker'\nset xrange [0:%u]\nset yrange [0:%.6g]\n"
            "set title 'measured, and the bounds of a profile'\n"
            "plot $bounds using 1:1 with lines dashtype 2 title 'linear', \\\n",
            last + 1, 1.1 * (most < 1e6 ? most : 1e6));
    if (f->bounds >= 0)
        fputs("     $bounds using 1:3 with lines title 'upper bound', $bounds using 1:2 with lines "
              "title 'burdened lower bound', \\\n",
              out);
    if (f->loops_divide)
        fputs("     $bounds using 1:4 with lines title 'upper bound, loops divided', \\\n", out);
    if (f->has_outliers)
        fputs("     $bounds using 1:5 with lines title 'upper bound, no outliers', \\\n", out);
    fputs("     $measured using 1:2:3 with yerrorbars pointtype 7 title 'measured'\n", out);
    print_factored_plot(f, out);
}
