/* gnuplot.c - the bounds on speedup as a gnuplot script with its data: the plot of Cilkview,
 * section 3.
 *
 * The script sets no output. `gnuplot -p` shows the plot. For a file, set terminal and output
 * first. The axes are linear as in the paper. They end at about twice the parallelism, beyond which
 * the curves are flat.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "export/export.h"
#include "profile/profile.h"

enum { MIN_PROCESSORS = 8, MAX_PROCESSORS = 1024, MAX_POINTS = 128, TITLE_WIDTH = 60 };

int export_gnuplot(const struct export_tree *e, FILE *out)
{
    const struct summary *m = e->paths->summary;
    unsigned last = MIN_PROCESSORS;
    while (last < MAX_PROCESSORS && last < 2 * m->parallelism)
        last *= 2;
    char *program = format_clean(format_base(e->program));
    format_fit(program, TITLE_WIDTH);
    const char *caveat = certainty_caveat(m, false);
    char *title = format_text("%s: parallelism %.2f, burdened %.2f%s%s%s", program, m->parallelism,
                              m->burdened_parallelism, caveat ? " (the span is " : "",
                              caveat ? caveat : "", caveat ? ")" : "");
    fputs("set title ", out);
    format_gnuplot(title, out);
    double highest = summary_upper(m, last);
    if (summary_loops_divide(m))
        highest = fmax(highest, summary_upper_divided(m, last));
    fprintf(
        out,
        " noenhanced\nset xlabel 'Processors'\nset ylabel 'Speedup'\nset key top left\nset grid\n"
        "set xrange [0:%u]\nset yrange [0:%.6g]\n",
        last, 1.25 * highest);
    const bool lower = summary_has_lower(m);
    fprintf(out, "# processors, %s, upper bound min(P, T1/span), the same with loops divided, and "
            "without outliers\n$bounds << END\n",
            lower ? "lower bound T1 / (T1/P + 1.7 burdened span)" : "0");
    for (unsigned p = 1; p <= last; p += p < MAX_POINTS ? 1 : last / MAX_POINTS)
        fprintf(out, "%u %.6g %.6g %.6g %.6g\n", p, lower ? summary_lower(m, p) : 0,
                summary_upper(m, p), summary_upper_divided(m, p), summary_upper_typical(m, p));
    fputs("END\n", out);
    const struct lpf_totals *k = &m->profile->totals;
    double run = ratio(m->work, k->elapsed_ns);
    const bool timed = k->ns_num && k->workers && k->elapsed_ns &&
                       strcmp(profile_string(m->profile, k->clock), "virtual") != 0;
    if (timed)
        fprintf(out, "# this run: workers, work / elapsed\n$run << END\n%u %.6g\nEND\n",
                k->workers, run);
    fputs("plot $bounds using 1:1 with lines dashtype 2 title 'linear speedup', \\\n"
          "     $bounds using 1:3 with lines title 'span law'", out);
    static const char more[] = ", \\\n     $bounds using 1:%u with lines title '%s'";
    if (summary_loops_divide(m))
        fprintf(out, more, 4, "span law, loops divided");
    if (summary_has_outliers(m))
        fprintf(out, more, 5, "span law, no outliers");
    if (lower)
        fprintf(out, more, 2, "burdened lower bound");
    if (timed)
        fputs(", \\\n     $run with points pointtype 7 title 'this run: work / elapsed'", out);
    fputc('\n', out);
    free(title);
    free(program);
    return 0;
}
