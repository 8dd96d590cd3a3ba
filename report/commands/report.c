/* report.c - `prof report`: options, files in, one of three forms out. */
#include "commands/report.h"
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "output/output.h"
#include "output/pager.h"
#include "base/progress.h"

enum { MIN_WIDTH = 60, MAX_WIDTH = 1000, DEFAULT_LIMIT = 20 };

void report_defaults(struct options *o, FILE *out)
{
    struct winsize w;
    const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool tty = isatty(fileno(out));
    *o = (struct options){ .sort = "span", .measure = "default", .limit = DEFAULT_LIMIT, .metric = "span" };
    o->width = columns ? atoi(columns) : 0;
    if (o->width <= 0 && tty && !ioctl(fileno(out), TIOCGWINSZ, &w))
        o->width = w.ws_col;
    if (o->width <= 0)
        o->width = REPORT_WIDTH;
    o->width = o->width < MIN_WIDTH ? MIN_WIDTH : o->width > MAX_WIDTH ? MAX_WIDTH : o->width;
    o->color = tty && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

bool report_check(const struct options *o)
{
    static const char *const measures[] = { "default", "top", "topcaller", "local", "all" };
    if (!model_is_sort_key(o->sort)) {
        fprintf(stderr, "prof: --sort %s: the keys are %s\n", o->sort, model_sort_keys());
        return false;
    }
    bool known = false;
    for (unsigned i = 0; path_metrics[i]; i++)
        known |= !strcmp(o->metric, path_metrics[i]);
    if (!known) {
        fprintf(stderr, "prof: --metric %s: the metrics are span, work, idleness, overhead, blocked, own\n", o->metric);
        return false;
    }
    for (unsigned i = 0; i < sizeof measures / sizeof measures[0]; i++)
        if (!strcmp(o->measure, measures[i]))
            return true;
    fprintf(stderr, "prof: --measure %s: the kinds are default, top, topcaller, local, all\n", o->measure);
    return false;
}

int report_files(char *const *files, int count, const struct options *o, FILE *out)
{
    int status = 0, shown = 0;
    json_t *all = json_array();
    for (int i = 0; i < count; i++) {
        struct profile p;
        struct model m;
        struct paths t, *paths = 0;
        if (profile_open(&p, files[i])) {
            status = 2;
            continue;
        }
        model_new(&m, &p, o->raw);
        model_sort(&m, o->sort);
        if (p.node_count) {
            paths_new(paths = &t, &m, o->physical, o->form == FORM_TEXT && !o->unfolded, o->overhead);
            paths_sort(paths, o->metric);
        }
        progress_done();
        if (shown && o->form == FORM_TEXT)
            fputs("\n\n", out);
        if (o->form == FORM_TEXT)
            text_print(&m, paths, o, out);
        else if (o->form == FORM_CSV)
            csv_print(&m, paths, o, !shown, out);
        else
            json_array_append_new(all, json_model(&m, paths, o));
        shown++;
        if (paths)
            paths_free(paths);
        model_free(&m);
        profile_close(&p);
    }
    if (o->form == FORM_JSON && shown) {
        json_dumpf(count == 1 ? json_array_get(all, 0) : all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        fputc('\n', out);
    }
    json_decref(all);
    progress_done();
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

/* The newest *.prof in the current directory; NULL: there is none. */
static char *newest_profile(void)
{
    glob_t g;
    struct stat st;
    struct timespec best = { -1, 0 };
    char *path = 0;
    if (glob("*.prof", GLOB_NOSORT, 0, &g))
        return 0;
    for (size_t i = 0; i < g.gl_pathc; i++) {
        if (stat(g.gl_pathv[i], &st) || !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < best.tv_sec ||
            (st.st_mtim.tv_sec == best.tv_sec && st.st_mtim.tv_nsec <= best.tv_nsec))
            continue;
        best = st.st_mtim;
        free(path);
        path = format_text("%s", g.gl_pathv[i]);
    }
    globfree(&g);
    return path;
}

char *report_newest(const char *command)
{
    char *newest = newest_profile();
    if (!newest) {
        fprintf(stderr, "prof: which profile? There is no *.prof here (prof %s FILE)\n", command);
        return 0;
    }
    char *clean = format_clean(newest);
    fprintf(stderr, "prof: the newest profile here is %s\n", clean);
    free(clean);
    return newest;
}

static const char usage[] =
    "usage: prof report [options] [FILE...]\n"
    "Shows profiles; without FILE the newest *.prof in the current directory.\n"
    "  -s, --sort KEY      order of the spawn sites: %s\n"
    "  -m, --measure KIND  Cilkprof's measurements: default, top, topcaller, local, all\n"
    "  -n, --limit N       rows of sites (%d)\n"
    "  -a, --all           all rows\n"
    "      --raw           one row a spawn site, also where their source lines are the same\n"
    "  -p, --paths         the call paths from the program down, with all metrics\n"
    "  -c, --callers       the functions with their callers\n"
    "  -l, --lines         the source lines that samples hit\n"
    "  -M, --metric M      what call paths are sorted by: span, work, idleness, overhead,\n"
    "                      blocked, own\n"
    "      --physical      with the frames of the runtime\n"
    "      --effort        percentages of the effort (work and idleness) instead of each total\n"
    "      --unfolded      with every frame of recursive functions\n"
    "      --overhead PART functions whose names hold PART are overhead, too (repeatable)\n"
    "      --frames        the inlined frames behind each site\n"
    "      --json          for programs; JSON.md describes it\n"
    "      --csv           one line a site\n"
    "      --totals        with --csv: one line a program\n"
    "      --cilkscale     CSV with Cilkscale's columns: one line a region, the program last\n"
    "  -o, --output FILE   write the report there\n"
    "      --no-pager      on a terminal: not through PROF_PAGER, PAGER or less\n"
    "  -h, --help          this\n";

bool report_form(struct options *o, enum form form)
{
    if (o->form == FORM_TEXT || o->form == form) {
        o->form = form;
        return true;
    }
    fputs("prof: JSON or CSV: one of the two\n", stderr);
    return false;
}

bool report_number(const char *text, size_t *limit)
{
    char *end;
    errno = 0;
    *limit = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

/* On a terminal: through a pager. */
static int page_report(char **files, int count, const struct options *o)
{
    char *text = 0;
    size_t size;
    FILE *out = format_memory(open_memstream(&text, &size));
    int status = report_files(files, count, o, out);
    fclose(out);
    format_memory(text);
    if (size && pager_show(text, size)) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    free(text);
    return status;
}

static int write_report(char **files, int count, struct options *o, const char *path)
{
    struct output out;
    if (!path && o->pager && o->form == FORM_TEXT && pager_wanted())
        return page_report(files, count, o);
    if (!output_open(&out, o, path))
        return 2;
    return output_close(&out, report_files(files, count, o, out.stream));
}

/* FILES, or (none) the newest profile here. */
static int report(char **files, int count, struct options *o, const char *output)
{
    if (o->totals && o->form != FORM_CSV) {
        fprintf(stderr, "prof: --totals is for --csv; the other forms hold the totals anyway\n");
        return 2;
    }
    if (count)
        return write_report(files, count, o, output);
    char *newest = report_newest("report");
    if (!newest)
        return 2;
    int status = write_report(&newest, 1, o, output);
    free(newest);
    return status;
}

int report_main(int argc, char **argv)
{
    enum { OPT_JSON = 256, OPT_CSV, OPT_RAW, OPT_TOTALS, OPT_FRAMES, OPT_PHYSICAL, OPT_OVERHEAD, OPT_UNFOLDED, OPT_EFFORT, OPT_NO_PAGER, OPT_CILKSCALE };
    static const struct option longs[] = {
        { "sort", required_argument, 0, 's' }, { "measure", required_argument, 0, 'm' },
        { "limit", required_argument, 0, 'n' }, { "all", no_argument, 0, 'a' },
        { "json", no_argument, 0, OPT_JSON }, { "csv", no_argument, 0, OPT_CSV },
        { "raw", no_argument, 0, OPT_RAW }, { "totals", no_argument, 0, OPT_TOTALS },
        { "frames", no_argument, 0, OPT_FRAMES }, { "output", required_argument, 0, 'o' },
        { "paths", no_argument, 0, 'p' }, { "callers", no_argument, 0, 'c' }, { "lines", no_argument, 0, 'l' },
        { "metric", required_argument, 0, 'M' }, { "physical", no_argument, 0, OPT_PHYSICAL },
        { "overhead", required_argument, 0, OPT_OVERHEAD }, { "unfolded", no_argument, 0, OPT_UNFOLDED },
        { "effort", no_argument, 0, OPT_EFFORT }, { "no-pager", no_argument, 0, OPT_NO_PAGER },
        { "cilkscale", no_argument, 0, OPT_CILKSCALE },
        { "help", no_argument, 0, 'h' }, { 0 },
    };
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead));
    unsigned patterns = 0;
    struct options o;
    const char *output = 0;
    int c;
    report_defaults(&o, stdout);
    o.pager = true;
    while ((c = getopt_long(argc, argv, "s:m:n:ao:pclM:h", longs, 0)) != -1) {
        switch (c) {
        case 's': o.sort = optarg; break;
        case 'm': o.measure = optarg; break;
        case 'n':
            if (!report_number(optarg, &o.limit)) {
                fprintf(stderr, "prof: --limit %s: not a number of rows\n", optarg);
                free(overhead);
                return 2;
            }
            break;
        case 'a': o.limit = 0; break;
        case OPT_CILKSCALE:
            o.cilkscale = true; /* fall through */
        case OPT_JSON: case OPT_CSV:
            if (!report_form(&o, c == OPT_JSON ? FORM_JSON : FORM_CSV)) {
                free(overhead);
                return 2;
            }
            break;
        case OPT_RAW: o.raw = true; break;
        case OPT_TOTALS: o.totals = true; break;
        case OPT_FRAMES: o.frames = true; break;
        case 'p': o.paths = true; break;
        case 'c': o.callers = true; break;
        case 'l': o.lines = true; break;
        case 'M': o.metric = optarg; break;
        case OPT_NO_PAGER: o.pager = false; break;
        case OPT_EFFORT: o.effort = true; break;
        case OPT_UNFOLDED: o.unfolded = true; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case 'o': output = optarg; break;
        case 'h': printf(usage, model_sort_keys(), DEFAULT_LIMIT); free(overhead); return 0;
        default: free(overhead); return 2;
        }
    }
    o.overhead = overhead;
    int status = 2;
    if (report_check(&o))
        status = report(argv + optind, argc - optind, &o, output);
    free(overhead);
    return status;
}
