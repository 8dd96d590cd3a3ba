/* report.c - `prof report`: options, files in, one of three forms out. */
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "report.h"

void report_defaults(struct options *o, FILE *out)
{
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    bool tty = isatty(fileno(out));
    memset(o, 0, sizeof *o);
    o->sort = "span";
    o->measure = "default";
    o->limit = 20;
    o->width = columns ? atoi(columns) : 0;
    if (o->width <= 0 && tty && !ioctl(fileno(out), TIOCGWINSZ, &w))
        o->width = w.ws_col;
    if (o->width <= 0)
        o->width = 140;
    if (o->width < 100)
        o->width = 100;
    o->color = tty && !getenv("NO_COLOR");
}

int report_files(char *const *files, int count, const struct options *o, FILE *out)
{
    int status = 0;
    json_t *all = json_array();
    for (int i = 0; i < count; i++) {
        struct profile p;
        struct model m;
        if (profile_open(&p, files[i])) {
            status = 2;
            continue;
        }
        if (model_new(&m, &p, o->raw)) {
            fprintf(stderr, "prof: %s: out of memory\n", files[i]);
            profile_close(&p);
            status = 2;
            continue;
        }
        model_sort(&m, o->sort);
        if (i && o->form == FORM_TEXT)
            fputs("\n", out);
        if (o->form == FORM_TEXT)
            text_print(&m, o, out);
        else if (o->form == FORM_CSV)
            csv_print(&m, o, out);
        else
            json_array_append_new(all, (json_t *)json_model(&m));
        model_free(&m);
        profile_close(&p);
    }
    if (o->form == FORM_JSON && json_array_size(all)) {
        json_dumpf(count == 1 ? json_array_get(all, 0) : all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        fputc('\n', out);
    }
    json_decref(all);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the report\n");
        status = 2;
    }
    return status;
}

static const char usage[] =
    "usage: prof report [options] FILE...\n"
    "  -s, --sort KEY      order of the sites: %s\n"
    "  -m, --measure KIND  default, top, topcaller, local, all (Cilkprof's measurements)\n"
    "  -n, --limit N       rows of sites (20)       -a, --all     all of them\n"
    "      --json, --csv   for programs             --totals      with --csv: the program's line\n"
    "      --raw           one row a call site, also when their source line is the same\n"
    "      --frames        the inlined frames behind each site\n"
    "  -o, --output FILE   write the report there\n";

int report_main(int argc, char **argv)
{
    enum { OPT_JSON = 256, OPT_CSV, OPT_RAW, OPT_TOTALS, OPT_FRAMES };
    static const struct option longs[] = {
        { "sort", required_argument, 0, 's' }, { "measure", required_argument, 0, 'm' },
        { "limit", required_argument, 0, 'n' }, { "all", no_argument, 0, 'a' },
        { "json", no_argument, 0, OPT_JSON }, { "csv", no_argument, 0, OPT_CSV },
        { "raw", no_argument, 0, OPT_RAW }, { "totals", no_argument, 0, OPT_TOTALS },
        { "frames", no_argument, 0, OPT_FRAMES }, { "output", required_argument, 0, 'o' },
        { "help", no_argument, 0, 'h' }, { 0 },
    };
    struct options o;
    const char *output = 0;
    char *end;
    int c;
    report_defaults(&o, stdout);
    while ((c = getopt_long(argc, argv, "s:m:n:ao:h", longs, 0)) != -1) {
        switch (c) {
        case 's': o.sort = optarg; break;
        case 'm': o.measure = optarg; break;
        case 'n':
            o.limit = strtoul(optarg, &end, 10);
            if (*end || end == optarg) {
                fprintf(stderr, "prof: --limit %s is not a number\n", optarg);
                return 2;
            }
            break;
        case 'a': o.limit = 0; break;
        case OPT_JSON: o.form = FORM_JSON; break;
        case OPT_CSV: o.form = FORM_CSV; break;
        case OPT_RAW: o.raw = true; break;
        case OPT_TOTALS: o.totals = true; break;
        case OPT_FRAMES: o.frames = true; break;
        case 'o': output = optarg; break;
        case 'h': printf(usage, model_sort_keys()); return 0;
        default: return 2;
        }
    }
    struct model none = { 0 };
    if (model_sort(&none, o.sort)) {
        fprintf(stderr, "prof: --sort %s: the keys are %s\n", o.sort, model_sort_keys());
        return 2;
    }
    if (!strstr(" default top topcaller local all ", o.measure)) {
        fprintf(stderr, "prof: --measure %s: the kinds are default, top, topcaller, local, all\n", o.measure);
        return 2;
    }
    if (optind == argc) {
        fprintf(stderr, "prof: report: which profile? (%s)\n", "prof report FILE...");
        return 2;
    }
    FILE *out = output ? fopen(output, "w") : stdout;
    if (!out) {
        fprintf(stderr, "prof: %s: cannot be written\n", output);
        return 2;
    }
    int status = report_files(argv + optind, argc - optind, &o, out);
    if (output)
        fclose(out);
    return status;
}
