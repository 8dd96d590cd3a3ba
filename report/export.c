/* export.c - `prof export`: profiles for other tools.
 *
 * folded: one line a logical call path, "main;f;g 123", as flamegraph.pl, inferno and speedscope read it. The
 * numbers are exclusive, ns (or the clock's unit), and add up to the metric's total exactly.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "names.h"
#include "report.h"

static const char usage[] =
    "usage: prof export [options] FILE\n"
    "  -f, --format F      folded: one line a call path, for flamegraph.pl, inferno, speedscope\n"
    "  -M, --metric M      span (default), work, idleness, overhead, blocked, own\n"
    "      --physical      with the frames of the runtime\n"
    "      --overhead PART functions whose names hold PART are overhead, too (repeatable)\n"
    "  -o, --output FILE   write there\n"
    "  -h, --help          this\n";

/* A name as one frame of a folded line: without what separates frames and lines. */
static char *folded_name(const char *function)
{
    char *clean = format_clean(function);
    for (char *c = clean; *c; c++)
        if (*c == ';')
            *c = ':';
    return clean;
}

enum { PATH_ENDS = 256 };       /* frames at each end of a path that is longer than twice that */

static void print_frame(const struct path_node *n, bool last, FILE *out)
{
    char *name = folded_name(n->function);
    fputs(name, out);
    fputc(last ? ' ' : ';', out);
    free(name);
}

/* The path of node AT; ROOM holds as many nodes as there are. */
static void print_path(const struct paths *t, uint32_t at, uint32_t *room, FILE *out)
{
    size_t depth = 0;
    do
        room[depth++] = at;
    while (at && (at = t->nodes[at].parent));
    for (size_t i = depth; i-- > 0;) {
        if (depth > 2 * PATH_ENDS && i == depth - PATH_ENDS - 1) {
            fputs("[...];", out);
            i = PATH_ENDS;
        }
        print_frame(&t->nodes[room[i]], i == 0, out);
    }
}

static void print_folded(const struct paths *t, const char *metric, FILE *out)
{
    uint32_t *room = format_memory(calloc(t->node_count + 1, sizeof *room));
    for (size_t i = 0; i < t->node_count; i++) {
        uint64_t value = path_metric(&t->nodes[i].self, metric);
        if (!value)
            continue;
        print_path(t, i, room, out);
        fprintf(out, "%" PRIu64 "\n", value);
    }
    free(room);
}

static int export_file(const char *file, const struct options *o, FILE *out)
{
    struct profile p;
    struct model m;
    struct paths t;
    if (profile_open(&p, file))
        return 2;
    model_new(&m, &p, false);
    paths_new(&t, &m, o->physical, false, o->overhead);
    print_folded(&t, o->metric, out);
    paths_free(&t);
    model_free(&m);
    profile_close(&p);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the export: %s\n", strerror(errno));
        return 2;
    }
    return 0;
}

int export_main(int argc, char **argv)
{
    enum { OPT_PHYSICAL = 256, OPT_OVERHEAD };
    static const struct option longs[] = {
        { "format", required_argument, 0, 'f' }, { "metric", required_argument, 0, 'M' },
        { "physical", no_argument, 0, OPT_PHYSICAL }, { "overhead", required_argument, 0, OPT_OVERHEAD },
        { "output", required_argument, 0, 'o' }, { "help", no_argument, 0, 'h' }, { 0 },
    };
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead)), *output = 0, *format = "folded";
    unsigned patterns = 0;
    struct options o;
    int c;
    report_defaults(&o, stdout);
    while ((c = getopt_long(argc, argv, "f:M:o:h", longs, 0)) != -1) {
        switch (c) {
        case 'f': format = optarg; break;
        case 'M': o.metric = optarg; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case 'o': output = optarg; break;
        case 'h': fputs(usage, stdout); free(overhead); return 0;
        default: free(overhead); return 2;
        }
    }
    o.overhead = overhead;
    int status = 2;
    FILE *out = stdout;
    if (strcmp(format, "folded"))
        fprintf(stderr, "prof: --format %s: the formats are folded\n", format);
    else if (optind + 1 != argc)
        fputs("prof: export takes one FILE\n", stderr);
    else if (report_check(&o)) {
        if (output && !(out = fopen(output, "w")))
            fprintf(stderr, "prof: %s: %s\n", output, strerror(errno));
        else
            status = export_file(argv[optind], &o, out);
        if (output && out && fclose(out)) {
            fprintf(stderr, "prof: %s: %s\n", output, strerror(errno));
            status = 2;
        }
    }
    free(overhead);
    return status;
}
