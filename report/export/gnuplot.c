/* gnuplot.c - the bounds on speedup as a gnuplot script with its data: the plot of Cilkview,
 * section 3.
 *
 * The script sets no output. `gnuplot -p` shows the plot. For a file, set terminal and output
 * first. The axes are linear as in the paper. They end at about twice the parallelism, beyond which
 * the curves are flat.
 */
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "export/export.h"

enum { MIN_PROCESSORS = 8, MAX_PROCESSORS = 1024, MAX_POINTS = 128, TITLE_WIDTH = 60 };

int export_gnuplot(const struct export_tree *e, FILE *out)
{
    const struct summary *m = e->paths->summary;
    unsigned last = MIN_PROCESSORS;
    while (last < MAX_PROCESSORS && last < 2 * m->parallelism)
        last *= 2;
    char *program = format_clean(e->program);
    format_fit(program, TITLE_WIDTH);
    const char *caveat = certainty_caveat(m, false);
    char *title = format_text("%s: parallelism %.2f, burdened %.2f%s%s%s", program, m->parallelism,
                              m->burdened_parallelism, caveat ? " (the span is " : "",
                              caveat ? caveat : "", caveat ? ")" : "");
    fputs("set title ", out);
    format_gnuplot(title, out);
    fprintf(
        out,
        " noenhanced\nset xlabel 'Processors'\nset ylabel 'Speedup'\nset key top left\nset grid\n"
        "set xrange [0:%u]\nset yrange [0:%.6g]\n",
        last, 1.25 * summary_upper(m, last));
    fputs("# processors, lower bound T1 / (T1/P + 1.7 burdened span), upper bound min(P, "
          "T1/span), the same with loops divided, and without outliers\n$bounds << END\n",
          out);
    for (unsigned p = 1; p <= last; p += p < MAX_POINTS ? 1 : last / MAX_POINTS)
        fprintf(out, "%u %.6g %.6g %.6g %.6g\n", p, summary_lower(m, p), summary_upper(m, p),
                summary_upper_divided(m, p), summary_upper_typical(m, p));
    fputs("END\nplot $bounds using 1:1 with lines dashtype 2 title 'linear speedup', \\\n"
          "     $bounds using 1:3 with lines title 'span law', \\\n",
          out);
    if (summary_loops_divide(m))
        fputs("     $bounds using 1:4 with lines title 'span law, loops divided', \\\n", out);
    if (summary_has_outliers(m))
        fputs("     $bounds using 1:5 with lines title 'span law, no outliers', \\\n", out);
    fputs(          "     $bounds using 1:2 with lines title 'burdened lower bound'\n", out);
    free(title);
    free(program);
    return 0;
}
