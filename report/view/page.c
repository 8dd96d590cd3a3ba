/* view.c - `prof view`: a profile as one page for a browser, which opens without a network.
 *
 * The page is built with prof (report/view/, docs/VIEW.md) and lies in it in two halves; between them goes the
 * profile, as JSON in a data block. RULES: what a profile says reaches the page through write_escaped alone, so that
 * no string in it can end the block; the page's own policy lets nothing run but the script that it was built with.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "base/format.h"
#include "base/progress.h"
#include "bench/bench.h"
#include "commands/commands.h"
#include "diff/diff.h"
#include "launch/program.h"
#include "output/json.h"
#include "output/options.h"
#include "output/output.h"
#include "output/text.h"
#include "profile/newest.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/source.h"
#include "view/serve.h"
#include "view/view.h"

/* report/view/page.S; of size 0: prof was built without it. */
extern const char view_head[], view_tail[];
extern const uint64_t view_head_size, view_tail_size;

static const char usage[] =
    "usage: prof view [options] [FILE]\n"
    "Writes a profile as a page for a browser; without FILE the newest *.prof in the current directory.\n"
    "  -o, --output PAGE   write there; - is stdout (default: FILE's name with .html, here)\n"
    "      --open          and open it there: BROWSER, or the desktop's\n"
    "      --serve         do not write it, but serve it to this machine until interrupted\n"
    "      --physical      with the frames of the runtime\n"
    "      --unfolded      with every frame of recursive functions\n"
    "      --overhead PART functions whose names hold PART are overhead, too (repeatable)\n"
    "      --bench FILE    with the trials of prof bench (its JSON)\n"
    "      --no-source     without lines of the program's source\n"
    "      --diff BEFORE   with what changed since that profile: colours of the flame graph, and words\n"
    "  -h, --help          this\n";

/* ---- what the page is given ---- */

/* What WRITE says, a paragraph a line, as an array. */
static json_t *paragraphs(char *text)
{
    json_t *all = json_array();
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*(line += strspn(line, " ")))
            json_array_append_new(all, json_string(line));
    free(text);
    return all;
}

static json_t *words(const struct model *m, const struct paths *t, const struct options *o)
{
    /* all of O's, so that whatever the text asks for is there; but a paragraph is a line */
    struct options unbroken = *o;
    unbroken.width = 1 << 30;
    unbroken.color = false;
    json_t *j = json_object();
    char *text = 0;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    text_limits(m, &unbroken, f);
    fclose(f);
    json_object_set_new(j, "limits", paragraphs(format_memory(text)));
    text = 0;
    if (t) {
        f = format_memory(open_memstream(&text, &size));
        text_certainty(m, t, &unbroken, f);
        fclose(f);
        json_object_set_new(j, "certainty", paragraphs(format_memory(text)));
    }
    return j;
}

/* The first number between FROM and TO of which BENCH, if there is one, has trials; else TO. */
static unsigned next_measured(const struct factored *bench, unsigned from, unsigned to)
{
    for (unsigned i = 0; bench && i < bench->count; i++)
        if (bench->points[i].p > from && bench->points[i].p < to)
            return bench->points[i].p;
    return to;
}

/* The bounds of `prof report`, at enough processors for a curve; this run's number is among them, and BENCH's are. */
static json_t *bounds(const struct model *m, const struct factored *bench)
{
    unsigned workers = m->profile->totals.workers, last = workers > 32 && workers < 1 << 20 ? 4 * workers : 128;
    if (bench && bench->points[bench->count - 1].p > last)
        last = bench->points[bench->count - 1].p;
    json_t *j = json_object(), *p = json_array(), *upper = json_array(), *lower = json_array();
    json_object_set_new(j, "p", p);
    json_object_set_new(j, "upper", upper);
    json_object_set_new(j, "lower", lower);
    for (unsigned n = 1, next; m->span > 0 && n <= last; n = next) {
        json_array_append_new(p, json_integer(n));
        json_array_append_new(upper, json_real(model_upper(m, n)));
        json_array_append_new(lower, json_real(model_lower(m, n)));
        next = n + (n < 8 ? 1 : n / 8);
        if (n < workers && next > workers)
            next = workers;
        next = next_measured(bench, n, next);
    }
    return j;
}

/* Lines that were hit most go first: there is a limit. */
static json_t *sources(const struct model *m, const struct paths *t)
{
    struct source *s = source_new(m->symbols, m->profile->totals.start_unix_ns);
    for (size_t i = 0; i < m->row_count; i++)
        source_want(s, m->rows[i].file, m->rows[i].line);
    for (size_t i = 0; i < m->wait_count; i++)
        source_want(s, m->waits[i].file, m->waits[i].line);
    for (size_t i = 0; t && i < t->line_count; i++)
        source_want(s, t->lines[i].file, t->lines[i].line);
    for (size_t i = 0; t && i < t->node_count; i++)
        source_want(s, t->nodes[i].file, t->nodes[i].line);
    json_t *j = source_json(s);
    source_free(s);
    return j;
}

/* What paths' ends cost before on their own: SELF by node, of the same paths; GONE, where a function stands first, of its other paths that
 * are no more. A function is all of both, whichever way it is called now. */
static void put_own(const struct diff *d, enum diff_metric metric, const struct diff_row **rows, const struct diff_row **functions, size_t n,
                    json_t *self, json_t *gone)
{
    double *left = format_memory(calloc(d->functions.count + 1, sizeof *left));
    bool *seen = format_memory(calloc(d->paths.count + 1, sizeof *seen));
    for (size_t i = 0; i < d->functions.count; i++)
        left[i] = d->functions.rows[i]->self[metric].a;
    for (size_t i = 0; i < n; i++) {
        double own = seen[rows[i]->index] ? 0 : rows[i]->self[metric].a;        /* two paths here may have been one there */
        seen[rows[i]->index] = true;
        left[functions[i]->index] -= own;
        json_array_append_new(self, own > 0 ? json_real(own) : json_integer(0));   /* most are 0, and a page has 10^5 */
    }
    for (size_t i = 0; i < n; i++) {
        double *of = &left[functions[i]->index];
        json_array_append_new(gone, *of > 0.5 ? json_real(*of) : json_integer(0));
        *of = 0;
    }
    free(left);
    free(seen);
}

/* What the same paths cost in the profile BEFORE, NULL: it cannot be compared (it was said). */
static json_t *before_data(const char *file, const char *before, const struct paths *t, const struct options *o)
{
    static const enum diff_metric metrics[] = { DIFF_SPAN, DIFF_WORK, DIFF_IDLENESS, DIFF_OVERHEAD };
    static const char *const keys[] = { "span_ns", "work_ns", "idleness_ns", "overhead_ns" };
    char **const files[2] = { (char *[]){ (char *)before }, (char *[]){ (char *)file } };
    struct diff d;
    json_t *j = 0;
    diff_new(&d, files, (unsigned[]){ 1, 1 }, o);
    if (d.comparable) {
        const struct diff_row **rows = format_memory(calloc(t->node_count + 1, sizeof *rows));
        const struct diff_row **functions = format_memory(calloc(t->node_count + 1, sizeof *functions));
        json_t *selves = json_object(), *gones = json_object();
        diff_map(&d, t, rows);
        diff_map_functions(&d, t, functions);
        j = json_object();
        json_object_set_new(j, "profile", json_text(before));
        json_object_set_new(j, "words", diff_lines(&d, diff_words));
        json_object_set_new(j, "remarks", diff_lines(&d, diff_remarks));
        for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            json_t *column = json_array();
            for (size_t i = 0; i < t->node_count; i++)
                json_array_append_new(column, json_real(rows[i]->all[metrics[k]].a));
            json_object_set_new(j, keys[k], column);
            json_t *self = json_array(), *gone = json_array();
            put_own(&d, metrics[k], rows, functions, t->node_count, self, gone);
            json_object_set_new(selves, keys[k], self);
            json_object_set_new(gones, keys[k], gone);
        }
        json_object_set_new(j, "self", selves);
        json_object_set_new(j, "gone", gones);
        free(functions);
        free(rows);
    }
    diff_free(&d);
    return j;
}

/* What the rows' functions are called in the call paths. */
static json_t *row_names(const struct row *rows, size_t n, const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        char *plain = rows[i].root && t ? format_text("%s", t->nodes[0].function) : name_plain(rows[i].function);
        char *clean = format_clean(plain);      /* where it is not UTF-8, as all names in JSON */
        json_t *name = json_string(plain);
        json_array_append_new(all, name ? name : json_string(clean));
        free(plain);
        free(clean);
    }
    return all;
}

static json_t *page_data(const struct model *m, const struct paths *t, const struct options *o, bool source, const struct factored *bench)
{
    json_t *j = json_model(m, t, o);
    json_object_set_new(j, "site_names", row_names(m->rows, m->row_count, t));
    json_object_set_new(j, "wait_names", row_names(m->waits, m->wait_count, t));
    json_object_set_new(j, "words", words(m, t, o));
    json_object_set_new(j, "bounds", bounds(m, bench));
    if (bench)
        json_object_set_new(j, "bench", factored_json(bench));
    json_object_set_new(j, "sources", source ? sources(m, t) : json_array());
    return j;
}

/* ---- the page ---- */

/* Everything that HTML or a script could take for its own. What is not ASCII jansson has escaped; outside
 * of strings JSON has none of these. */
static int write_escaped(const char *text, size_t size, void *out)
{
    for (const char *end = text + size; text < end; text++) {
        if (strchr("<>&'", *text) && *text)
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            putc_unlocked(*text, out);
    }
    return ferror(out) ? -1 : 0;
}

static void write_all(const json_t *data, FILE *f)
{
    fwrite(view_head, 1, view_head_size, f);
    json_dump_callback(data, write_escaped, f, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    fwrite(view_tail, 1, view_tail_size, f);
}

/* The whole page, *SIZE bytes that the caller frees; NULL: FILE cannot be read. */
static char *make_page(const char *file, const char *before, const struct options *o, bool source, const struct factored *bench, size_t *size)
{
    struct profile p;
    struct model m;
    struct paths t, *paths = 0;
    char *page = 0;
    if (profile_open(&p, file))
        return 0;
    model_new(&m, &p, false);
    model_sort(&m, o->sort);
    if (p.node_count)
        paths_new(paths = &t, &m, o->physical, !o->unfolded, o->overhead);
    progress_done();
    json_t *data = page_data(&m, paths, o, source, bench), *change = 0;
    if (before && paths && (change = before_data(file, before, paths, o)))
        json_object_set_new(data, "before", change);
    if (before && !change) {
        if (!paths)
            fputs("prof: --diff: the profile has no call paths to compare\n", stderr);
        json_decref(data);
        data = 0;
    }
    if (data) {
        FILE *f = format_memory(open_memstream(&page, size));
        write_all(data, f);
        format_memory(fclose(f) ? NULL : page);
    }
    json_decref(data);
    if (paths)
        paths_free(paths);
    model_free(&m);
    profile_close(&p);
    return page;
}

/* ---- the command ---- */

/* NAME's last part, its .prof as .html. */
static char *page_name(const char *file)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    size_t n = strlen(base);
    if (n > 5 && !strcmp(base + n - 5, ".prof"))
        n -= 5;
    return format_text("%.*s.html", (int)n, base);
}

/* A page tells as much of the program as its profile: like that, it is for its owner's eyes. */
static int write_page(const char *page, size_t size, const char *name)
{
    bool standard = !strcmp(name, "-");
    int fd = standard ? -1 : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *f = standard ? stdout : fd < 0 ? NULL : fdopen(fd, "w");
    char *clean = format_clean(standard ? "standard output" : name);
    int status = 2;
    if (f && fwrite(page, 1, size, f) == size && !fflush(f) && (standard || !fclose(f))) {
        status = 0;
        if (!standard)
            fprintf(stderr, "prof: %s is written: open it in a browser\n", clean);
    } else {
        fprintf(stderr, "prof: %s: %s\n", clean, strerror(errno));
    }
    free(clean);
    return status;
}

/* The person's browser: BROWSER's first (a command line, in which %s is the page), or what the desktop has. Not waited for. False:
 * there is none. */
static bool open_page(const char *name)
{
    char *browser = getenv("BROWSER"), *xdg = 0, *words = 0, *rest, *argv[16], *path = realpath(name, 0);
    int argc = 0;
    if (browser && *browser) {
        rest = words = format_text("%.*s", (int)strcspn(browser, ":"), browser);
        bool placed = false;
        for (char *word; argc < 14 && (word = strsep(&rest, " "));)
            if (*word) {
                placed |= !strcmp(word, "%s");
                argv[argc++] = strcmp(word, "%s") ? word : path;
            }
        if (!placed)
            argv[argc++] = path;
    } else if ((getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) && (xdg = program_find("xdg-open"))) {
        argv[argc++] = xdg;
        argv[argc++] = path;
    }
    argv[argc] = 0;
    pid_t pid = path && argc > 1 ? fork() : -1;
    if (!pid) {
        /* on its own: neither prof's end nor a Ctrl-C here is its business */
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        setsid();
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        if (!fork())
            execvp(argv[0], argv);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, 0, 0);
    free(words);
    free(xdg);
    free(path);
    return pid > 0;
}

struct way {
    const char *output;         /* or NULL: named after the profile */
    const char *before, *bench; /* files of --diff, --bench; NULL: none */
    bool source, serve, open;
};

static int view(const char *file, const struct options *o, const struct way *w)
{
    size_t size;
    struct bench b;
    struct factored f;
    if ((w->output && !w->serve && !output_allowed(w->output)) || (w->bench && bench_load(&b, w->bench)))
        return 2;
    if (w->bench)
        factored_new(&f, &b);
    char *page = make_page(file, w->before, o, w->source, w->bench ? &f : 0, &size);
    if (w->bench) {
        factored_free(&f);
        bench_free(&b);
    }
    if (!page)
        return 2;
    char *name = w->output ? format_text("%s", w->output) : page_name(file);
    int status = w->serve ? serve_page(page, size) : write_page(page, size, name);
    if (!status && w->open && !open_page(name))
        fputs("prof: there is no browser to open it in (BROWSER names one)\n", stderr);
    free(name);
    free(page);
    return status;
}

static bool page_is_there(void)
{
    if (!view_head_size)
        fputs("prof: this prof was built without its page: install nodejs and npm, then `make view`\n", stderr);
    return view_head_size;
}

int view_open(const char *profile)
{
    struct options o;
    options_defaults(&o, stdout);
    o.columns = true;
    return page_is_there() ? view(profile, &o, &(struct way){ .source = true, .open = true }) : 2;
}

int view_main(int argc, char **argv)
{
    enum { OPT_SERVE = 256, OPT_OPEN, OPT_PHYSICAL, OPT_UNFOLDED, OPT_OVERHEAD, OPT_NO_SOURCE, OPT_DIFF, OPT_BENCH };
    static const struct option longs[] = {
        { "output", required_argument, 0, 'o' }, { "serve", no_argument, 0, OPT_SERVE }, { "open", no_argument, 0, OPT_OPEN },
        { "physical", no_argument, 0, OPT_PHYSICAL }, { "unfolded", no_argument, 0, OPT_UNFOLDED },
        { "overhead", required_argument, 0, OPT_OVERHEAD }, { "no-source", no_argument, 0, OPT_NO_SOURCE },
        { "diff", required_argument, 0, OPT_DIFF }, { "bench", required_argument, 0, OPT_BENCH },
        { "help", no_argument, 0, 'h' }, { 0 },
    };
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead));
    unsigned patterns = 0;
    struct way w = { .source = true };
    struct options o;
    int c;
    options_defaults(&o, stdout);
    o.columns = true;
    while ((c = getopt_long(argc, argv, "o:h", longs, 0)) != -1) {
        switch (c) {
        case 'o': w.output = optarg; break;
        case OPT_SERVE: w.serve = true; break;
        case OPT_OPEN: w.open = true; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_UNFOLDED: o.unfolded = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_NO_SOURCE: w.source = false; break;
        case OPT_DIFF: w.before = optarg; break;
        case OPT_BENCH: w.bench = optarg; break;
        case 'h': fputs(usage, stdout); free(overhead); return 0;
        default: free(overhead); return 2;
        }
    }
    o.overhead = overhead;
    int status = 2;
    char *newest = 0;
    if (!page_is_there())
        ;
    else if (argc - optind > 1)
        fputs("prof: view takes one FILE\n", stderr);
    else if (w.serve && w.output)
        fputs("prof: either --serve or --output\n", stderr);
    else if (w.open && (w.serve || (w.output && !strcmp(w.output, "-"))))
        fputs("prof: --open is for a page that is written to a file\n", stderr);
    else if (optind < argc || (newest = profile_newest("view")))
        status = view(newest ? newest : argv[optind], &o, &w);
    free(newest);
    free(overhead);
    return status;
}
