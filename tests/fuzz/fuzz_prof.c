/* fuzz_prof.c - libFuzzer's target: everything that prof does with one profile's file.
 *
 * It runs the commands as main() does. They must agree on whether the file is a profile: all 0, or
 * all 2. And the costs of an export's paths must add up.
 */
#include <unistd.h>
#include "export/export.h"
#include "fuzz.h"

static void check_sums(const char *file)
{
    struct profile p;
    struct summary m;
    struct paths t;
    struct export_tree e;
    uint64_t sum[EXPORT_METRICS] = { 0 };
    if (profile_open(&p, file))
        return;
    summary_new(&m, &p, false);
    paths_new(&t, &m, false, false, 0);
    export_tree_new(&e, &t, "span");
    for (size_t i = 0; i < e.node_count; i++)
        for (unsigned k = 0; k < EXPORT_METRICS; k++)
            if (__builtin_add_overflow(sum[k], e.self[i][k], &sum[k]))
                fuzz_die("a sum of its paths wraps", export_metrics[k]);
    for (unsigned k = 0; k < EXPORT_METRICS; k++)
        if (sum[k] != e.total[k])
            fuzz_die("its paths do not add up to the total", export_metrics[k]);
    export_tree_free(&e);
    paths_free(&t);
    summary_free(&m);
    profile_close(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct { int (*run)(int, char **); const char *words; bool other;
    } commands[] = {
        { report_main, "report -m all -a -p -c -l --frames" },
        { report_main,
          "report -a --raw --unfolded --physical --effort -p -M blocked --overhead f" },
        { report_main, "report" },
        { report_main, "report --json --paths" },
        { report_main, "report --csv" },
        { report_main, "report --csv --paths" },
        { report_main, "report --csv --totals" },
        { report_main, "report --cilkscale" },
        { export_main, "export -f folded -M work" },
        { export_main, "export -f pprof -o /dev/null" },
        { export_main, "export -f speedscope" },
        { export_main, "export -f callgrind --physical" },
        { export_main, "export -f firefox" },
        { export_main, "export -f gnuplot" },
        { view_main, "view -o -" },
        { view_main, "view --diff % -o -", true }, /* may have nothing to compare, and so on */
        { diff_main, "diff -p %", true },
        { diff_main, "diff --json %", true },
        { annotate_main, "annotate -a", true },
        { whatif_main, "whatif", true },
        { predict_main, "predict -P 1,3,64 -n 2", true },
        { predict_main, "predict --json -P 2", true },
    };
    char file[64];
    int fd = fuzz_file(data, size, file), first = 0;
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int status = fuzz_command(commands[i].run, commands[i].words, file);
        if (!i)
            first = status;
        if ((status != first && !commands[i].other) || (status && status != 2))
            fuzz_die("its exit status is another one than the first command's, or none of prof's",
                     commands[i].words);
    }
    check_sums(file);
    close(fd);
    return 0;
}
