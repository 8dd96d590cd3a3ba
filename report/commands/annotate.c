/* annotate.c - `prof annotate`: the program's source with costs in the margin.
 *
 * A line's self costs are those of the samples that hit it, as innermost frame that the person sees: of inlined code in the
 * inlined function's own source, of the runtime's and of libraries without lines at the program's line that called them. With
 * callees it has everything below the paths that lead through it, what it spawned included. Self costs of all lines, of code without
 * lines, and of tasks that no sample hit add up to the program's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "base/format.h"
#include "commands/commands.h"
#include "output/cost.h"
#include "output/json.h"
#include "output/options.h"
#include "output/output.h"
#include "output/page.h"
#include "output/text.h"
#include "profile/newest.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/source.h"

enum { FILES = 5, CONTEXT = 3, WINDOW = 12, NAMES = 3 };
#define SMALL_LINE 0.005        /* of every metric: what is less is not worth a place of its own */

struct wish {
    const char *function, *source;
    int line;                   /* of SOURCE; 0: none */
    size_t files, context;      /* how many */
    bool all, whole;
};

/* One line of one file, whichever functions it is in. */
struct line {
    int number;
    struct path_cost self, all;
    const char *functions[NAMES];
    unsigned function_count;    /* may be more */
    bool wanted;                /* asked for, or hot */
};

struct file {
    const char *name, *module;
    struct line *lines;         /* ascending */
    size_t count;
    struct path_cost self;
};

struct listing {
    const struct model *m;
    const struct paths *t;
    const struct options *o;
    const struct wish *w;
    struct source *source;
    struct file *files;         /* the hottest first */
    size_t count;
    FILE *out;
};

static const char usage[] =
    "usage: prof annotate [options] [FILE]\n"
    "Shows the program's source with costs in the margin; without FILE of the newest *.prof in the current directory.\n"
    "  -f, --function NAME the lines of one function\n"
    "  -s, --source SOURCE[:LINE]  one source file, or what is around a line of it\n"
    "  -M, --metric M      what files are sorted by: span (default), work, idleness, overhead, blocked, own\n"
    "  -n, --limit N       source files (%d)\n"
    "  -C, --context N     lines around each that is shown (%d)\n"
    "  -a, --all           all files, and every line that costs something\n"
    "  -w, --whole         whole files\n"
    "      --physical      with the source of the runtime's headers\n"
    "      --overhead PART functions whose names hold PART are overhead, too (repeatable)\n"
    "      --json          for programs; JSON.md describes it\n"
    "  -o, --output FILE   write there\n"
    "  -h, --help          this\n";

/* ---- lines of files ---- */

static int compare_places(const void *a, const void *b)
{
    const struct path_row *x = *(const struct path_row *const *)a, *y = *(const struct path_row *const *)b;
    int c = x->file == y->file ? 0 : strcmp(x->file, y->file);
    if (!c)
        c = (x->line > y->line) - (x->line < y->line);
    return c ? c : strcmp(x->function, y->function);
}

static int compare_files(const void *a, const void *b, void *metric)
{
    const struct file *x = a, *y = b;
    double u = path_metric(&x->self, metric), v = path_metric(&y->self, metric);
    if (u == v)
        u = x->self.samples, v = y->self.samples;
    return u < v ? 1 : u > v ? -1 : strcmp(x->name, y->name);
}

/* Rows of functions become lines of files. */
static void make_files(struct listing *l)
{
    const struct paths *t = l->t;
    size_t n = t->call_line_count;
    const struct path_row **rows = format_memory(calloc(n + 1, sizeof *rows));
    struct line *lines = format_memory(calloc(n + 1, sizeof *lines));
    l->files = format_memory(calloc(n + 1, sizeof *l->files));
    for (size_t i = 0; i < n; i++)
        rows[i] = &t->lines[i];
    qsort(rows, n, sizeof *rows, compare_places);
    for (size_t i = 0, used = 0; i < n; i++) {
        const struct path_row *r = rows[i];
        struct file *f = l->count ? &l->files[l->count - 1] : 0;
        if (!f || strcmp(f->name, r->file)) {
            f = &l->files[l->count++];
            *f = (struct file){ .name = r->file, .module = r->module, .lines = &lines[used] };
        }
        if (!f->count || f->lines[f->count - 1].number != r->line) {
            f->lines[f->count++] = (struct line){ .number = r->line };
            used++;
        }
        struct line *at = &f->lines[f->count - 1];
        path_add(&at->self, &r->self);
        at->all = t->places[r->place].all;
        path_add(&f->self, &r->self);
        if (at->function_count < NAMES)
            at->functions[at->function_count] = r->function;
        at->function_count++;
    }
    free(rows);
    if (l->count)
        qsort_r(l->files, l->count, sizeof *l->files, compare_files, (void *)l->o->metric);
    else
        free(lines);
}

/* ---- what was asked for ---- */

/* NAME as a person writes a function: whole, or its last parts. */
static bool is_function(const char *function, const char *name)
{
    size_t a = strlen(function), b = strlen(name);
    return a >= b && !strcmp(function + a - b, name) && (a == b || (a - b >= 2 && !strncmp(function + a - b - 2, "::", 2)));
}

/* The same of a file and its directories. */
static bool is_file(const char *file, const char *name)
{
    size_t a = strlen(file), b = strlen(name);
    return a >= b && !strcmp(file + a - b, name) && (a == b || file[a - b - 1] == '/' || *name == '/');
}

static bool is_hot(const struct paths *t, const struct path_cost *c)
{
    const struct path_cost *all = &t->total;
    return ratio(c->span, all->span) >= SMALL_LINE || ratio(c->work, all->work) >= SMALL_LINE ||
           ratio(c->idleness, all->idleness) >= SMALL_LINE || ratio(c->overhead, all->overhead) >= SMALL_LINE;
}

static bool in_function(const struct listing *l, const struct file *f, int line)
{
    for (size_t i = 0; i < l->t->call_line_count; i++) {
        const struct path_row *r = &l->t->lines[i];
        if (r->file == f->name && r->line == line && is_function(r->function, l->w->function))
            return true;
    }
    return false;
}

/* Which lines, and so which files, are shown. */
static void choose(struct listing *l)
{
    const struct wish *w = l->w;
    for (size_t i = 0; i < l->count; i++) {
        struct file *f = &l->files[i];
        for (size_t k = 0; k < f->count; k++) {
            struct line *at = &f->lines[k];
            if (w->source)
                at->wanted = is_file(f->name, w->source) && !w->line;
            else if (w->function)
                at->wanted = in_function(l, f, at->number);
            else
                at->wanted = w->all || is_hot(l->t, &at->self) || (f->self.samples && is_hot(l->t, &at->all));
        }
    }
}

static bool is_chosen(const struct listing *l, const struct file *f)
{
    if (l->w->source)
        return is_file(f->name, l->w->source);
    bool any = false;
    for (size_t k = 0; k < f->count; k++)
        any |= f->lines[k].wanted && (l->w->function || l->w->all || f->self.samples);
    return any;
}

static int nothing_found(const struct listing *l)
{
    const struct wish *w = l->w;
    char *clean = format_clean(w->function ? w->function : w->source);
    fprintf(stderr, "prof: --%s %s: nothing that was measured is there; ", w->function ? "function" : "source", clean);
    free(clean);
    size_t shown = 0;
    for (size_t i = 0; w->function && i < l->t->function_count && shown < 3; i++)
        if (l->t->functions[i].self.samples) {
            char *name = name_fit(l->t->functions[i].function, 60);
            fprintf(stderr, "%s%s", shown++ ? ", " : "the hottest are ", name);
            free(name);
        }
    for (size_t i = 0; w->source && i < l->count && shown < 3; i++) {
        char *name = format_clean(l->files[i].name);
        fprintf(stderr, "%s%s", shown++ ? ", " : "the hottest are ", name);
        free(name);
    }
    fputs(shown ? "\n" : "no sample has a line\n", stderr);
    return 2;
}

/* ---- text ---- */

/* Columns of the margin; those of the highest rank go first when it is narrow. */
struct margin {
    bool overhead, callees, extra;
    int width;
};

static struct margin margin_of(const struct options *o)
{
    bool extra = !strcmp(o->metric, "blocked") || !strcmp(o->metric, "own");
    struct margin g = { o->width >= 90, o->width >= 110, extra, 0 };
    g.width = 8 * (3 + g.overhead + 2 * g.callees + g.extra) + 7;
    return g;
}

static void print_share(const struct listing *l, double part, double all)
{
    double percent = 100 * ratio(part, all);
    const char *color = l->o->color ? percent >= 10 ? "\033[31m" : percent >= 2 ? "\033[33m" : "" : "";
    if (all > 0 && percent >= 0.05)
        fprintf(l->out, "%s%8.1f%s", color, percent, *color ? "\033[0m" : "");
    else
        fprintf(l->out, part > 0 ? "       ." : "        ");
}

static void print_titles(const struct listing *l, const struct margin *g)
{
    if (g->callees)
        fprintf(l->out, g->overhead ? "  ------------ self ------------  - with callees -\n" : "  -------- self --------  - with callees -\n");
    fprintf(l->out, "  %% span  %% work  %% idle%s%s%s   line\n", g->overhead ? "  % ovhd" : "", g->callees ? "  % span  % work" : "",
            g->extra ? !strcmp(l->o->metric, "own") ? "   % own" : "  % blkd" : "");
}

/* A margin without its line's number; C may be NULL. */
static void print_costs(const struct listing *l, const struct margin *g, const struct line *c)
{
    static const struct line none;
    const struct path_cost *all = &l->t->total;
    c = c ? c : &none;
    print_share(l, c->self.span, all->span);
    print_share(l, c->self.work, all->work);
    print_share(l, c->self.idleness, all->idleness);
    if (g->overhead)
        print_share(l, c->self.overhead, all->work);
    if (g->callees) {
        print_share(l, c->all.span, all->span);
        print_share(l, c->all.work, all->work);
    }
    if (g->extra)
        print_share(l, path_metric(&c->all, l->o->metric), path_metric(all, l->o->metric));
}

/* Tabs as blanks: columns are counted. */
static char *expand(const char *start, size_t length)
{
    char *line = source_line(start, length), *text = NULL;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    int at = 0;
    for (const char *c = line; *c; c++) {
        int n = *c == '\t' ? 8 - at % 8 : 1;
        at += (*c & 0xc0) != 0x80 ? n : 0;
        if (*c == '\t')
            fprintf(f, "%*s", n, "");
        else
            fputc(*c, f);
    }
    fclose(f);
    free(line);
    char *clean = format_clean(format_memory(text));
    free(text);
    return clean;
}

static void print_text(const struct listing *l, const struct margin *g, int number, const char *text, size_t length)
{
    char *line = expand(text, length);
    int room = l->o->width - g->width - 2, n = 0;
    size_t end = 0;
    for (; line[end] && (n < room || (line[end] & 0xc0) == 0x80); end++)
        n += (line[end] & 0xc0) != 0x80;
    while (end && line[end - 1] == ' ')
        end--;
    fprintf(l->out, "%7d%s%.*s\n", number, end ? "  " : "", (int)end, line);
    free(line);
}

/* Above a run of lines: whose they are. */
static void print_functions(const struct listing *l, const struct line *from, const struct line *end, int last)
{
    const char *seen[NAMES] = { 0 };
    unsigned n = 0;
    int left = l->o->width - 6;
    for (const struct line *at = from; at < end && at->number <= last; at++)
        for (unsigned k = 0; k < at->function_count && k < NAMES; k++) {
            bool known = false;
            for (unsigned i = 0; i < n; i++)
                known |= seen[i] == at->functions[k];
            if (!known && n < NAMES)
                seen[n++] = at->functions[k];
        }
    fputs(l->o->color ? "\033[2m  --" : "  --", l->out);
    for (unsigned i = 0; i < n; i++) {
        char *name = name_fit(seen[i], left / (int)n - 2);
        fprintf(l->out, "%s%s", i ? ", " : " ", name);
        free(name);
    }
    fputs(l->o->color ? "\033[0m\n" : "\n", l->out);
}

/* Is line NUMBER shown? *AT is the first line with costs that does not lie before it by more than the context. */
static bool is_shown(const struct listing *l, const struct file *f, int number, size_t *at)
{
    const struct wish *w = l->w;
    int context = w->context;
    if (w->whole)
        return true;
    if (w->line)
        return abs(number - w->line) <= (context > WINDOW ? context : WINDOW);
    while (*at < f->count && (!f->lines[*at].wanted || f->lines[*at].number < number - context))
        ++*at;
    return *at < f->count && f->lines[*at].number <= number + context;
}

static void print_source(const struct listing *l, const struct file *f, const char *text, size_t size)
{
    struct margin g = margin_of(l->o);
    size_t wanted = 0, cost = 0;
    bool shown = false, gap = true;
    int number = 1;
    print_titles(l, &g);
    for (const char *p = text, *end = text + size; p < end; number++) {
        const char *stop = memchr(p, '\n', end - p);
        size_t length = (stop ? stop : end) - p;
        while (cost < f->count && f->lines[cost].number < number)
            cost++;
        bool show = is_shown(l, f, number, &wanted);
        if (show && !shown && cost < f->count) {
            /* the run goes on as long as its lines' contexts touch */
            size_t at = wanted;
            int last = number;
            while (last < number + 10000 && is_shown(l, f, last + 1, &at))
                last++;
            if (f->lines[cost].number <= last)
                print_functions(l, &f->lines[cost], f->lines + f->count, last);
        }
        if (show) {
            print_costs(l, &g, cost < f->count && f->lines[cost].number == number ? &f->lines[cost] : 0);
            print_text(l, &g, number, p, length);
        }
        gap &= !show;
        shown = show;
        p += length + 1;
    }
    if (gap)
        page_paragraph(l->out, l->o, "!", "the file has %d lines: it is not the source that was measured", number - 1);
    else if (f->count && f->lines[f->count - 1].number >= number)
        page_paragraph(l->out, l->o, "!", "line %d was measured, but the file has %d: it is not the source that was compiled",
                       f->lines[f->count - 1].number, number - 1);
}

static const char *age_of(const struct listing *l, const struct file *f, uint64_t changed_ns)
{
    struct stat st;
    uint64_t start = l->m->profile->totals.start_unix_ns;
    if (start && changed_ns > start)
        return "newer than the run: lines may have moved";
    if (f->module && !stat(f->module, &st) && changed_ns / 1000000000u > (uint64_t)st.st_mtim.tv_sec)
        return "newer than the binary: lines may have moved";
    return 0;
}

static void print_file(const struct listing *l, const struct file *f)
{
    uint64_t changed = 0;
    size_t size = 0;
    const char *why, *age;
    char *text = source_text(l->source, f->name, &size, &changed, &why);
    page_heading(l->out, l->o, f->name);
    if (!text) {
        page_paragraph(l->out, l->o, "!", "cannot be shown: %s. Its lines with costs:", why);
        struct margin g = margin_of(l->o);
        print_titles(l, &g);
        for (size_t i = 0; i < f->count; i++)
            if (f->lines[i].wanted || l->w->whole || (l->w->line && abs(f->lines[i].number - l->w->line) <= WINDOW)) {
                print_costs(l, &g, &f->lines[i]);
                char *name = name_fit(f->lines[i].functions[0], l->o->width - g.width - 4);
                fprintf(l->out, "%7d  %s\n", f->lines[i].number, name);
                free(name);
            }
        return;
    }
    if ((age = age_of(l, f, changed)))
        page_paragraph(l->out, l->o, "!", "%s", age);
    print_source(l, f, text, size);
    free(text);
}

static void print_summary(const struct listing *l, size_t left_out)
{
    const struct path_cost *none[] = { &l->t->no_line, &l->t->unsampled }, *all = &l->t->total;
    static const char *const what[] = { "in code without lines", "in tasks that no sample hit" };
    if (left_out)
        page_paragraph(l->out, l->o, "", "... %zu more files (--all)", left_out);
    fputc('\n', l->out);
    for (int i = 0; i < 2; i++)
        if (none[i]->span || none[i]->work || none[i]->idleness > 0)
            page_paragraph(l->out, l->o, "", "Not at a line: %.1f %% of the span, %.1f %% of the work, %.1f %% of the idleness are %s.",
                           100 * ratio(none[i]->span, all->span), 100 * ratio(none[i]->work, all->work),
                           100 * ratio(none[i]->idleness, all->idleness), what[i]);
    text_certainty(l->m, l->t, l->o, l->out);
    page_paragraph(l->out, l->o, "", "%% idle: share of the idle time in which this was running elsewhere. %% ovhd: work in the runtime, called "
                   "from here, of all work. With callees: and everything below, spawned tasks included. A dot is less than 0.05 %%.");
}

static void print_all(const struct listing *l)
{
    const struct lpf_totals *t = &l->m->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *command = profile_string(l->m->profile, t->cmdline);
    char *clean = format_clean(*command ? command : profile_string(l->m->profile, t->exe));
    format_fit(clean, l->o->width - 9);
    fprintf(l->out, "libprof: %s\n", clean);
    free(clean);
    page_paragraph(l->out, l->o, "", "work %s, span %s%s, %u workers", cost_text(l->m->profile, l->m->work, a),
                   cost_text(l->m->profile, l->m->span, b), t->exact ? "" : " (a LOWER BOUND)", t->workers);
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!is_chosen(l, &l->files[i]))
            continue;
        if (l->w->files && shown == l->w->files && !l->w->function && !l->w->source) {
            left_out++;
            continue;
        }
        shown++;
        print_file(l, &l->files[i]);
    }
    print_summary(l, left_out);
}

/* ---- JSON ---- */

static json_t *json_lines(const struct listing *l, const struct file *f, const char *text, size_t size)
{
    json_t *all = json_array();
    const char *p = text, *end = text ? text + size : 0;
    int number = 1;
    for (size_t i = 0; i < f->count; i++) {
        const struct line *at = &f->lines[i];
        json_t *j = json_object(), *functions = json_array();
        for (; p && p < end && number < at->number; number++) {
            const char *stop = memchr(p, '\n', end - p);
            p = stop ? stop + 1 : end;
        }
        const char *stop = p && p < end ? memchr(p, '\n', end - p) : 0;
        char *line = p && p < end && number == at->number ? source_line(p, (stop ? stop : end) - p) : 0;
        json_object_set_new(j, "line", json_integer(at->number));
        for (unsigned k = 0; k < at->function_count && k < NAMES; k++)
            json_array_append_new(functions, json_text(at->functions[k]));
        json_object_set_new(j, "functions", functions);
        json_object_set_new(j, "self", json_path_cost(&at->self));
        json_object_set_new(j, "all", json_path_cost(&at->all));
        json_object_set_new(j, "text", json_text(line));
        json_array_append_new(all, j);
        free(line);
    }
    return all;
}

/* Every line of the files that were asked for; sums are those of the profile without a wish. */
static void print_json(const struct listing *l)
{
    json_t *j = json_object(), *files = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const struct file *f = &l->files[i];
        uint64_t changed = 0;
        size_t size = 0;
        const char *why = 0;
        if ((l->w->source || l->w->function) && !is_chosen(l, f))
            continue;
        char *text = source_text(l->source, f->name, &size, &changed, &why);
        json_t *one = json_object();
        json_object_set_new(one, "file", json_text(f->name));
        json_object_set_new(one, "module", json_text(f->module));
        json_object_set_new(one, "problem", json_text(text ? age_of(l, f, changed) : why));
        json_object_set_new(one, "self", json_path_cost(&f->self));
        json_object_set_new(one, "lines", json_lines(l, f, text, size));
        json_array_append_new(files, one);
        free(text);
    }
    json_object_set_new(j, "format_version", json_integer(1));
    json_object_set_new(j, "profile", json_text(l->m->profile->path));
    json_object_set_new(j, "unit", json_text(profile_unit(l->m->profile)));
    json_object_set_new(j, "total", json_path_cost(&l->t->total));
    json_object_set_new(j, "no_line", json_path_cost(&l->t->no_line));
    json_object_set_new(j, "unsampled", json_path_cost(&l->t->unsampled));
    json_object_set_new(j, "files", files);
    json_dumpf(j, l->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', l->out);
    json_decref(j);
}

/* ---- the command ---- */

static int annotate(const char *file, const struct options *o, const struct wish *w, FILE *out)
{
    struct profile p;
    struct model m;
    struct paths t;
    if (profile_open(&p, file))
        return 2;
    model_new(&m, &p, false);
    paths_new(&t, &m, o->physical, true, o->overhead);
    paths_sort(&t, o->metric);
    struct listing l = { .m = &m, .t = &t, .o = o, .w = w, .out = out };
    l.source = source_new(m.symbols, p.totals.start_unix_ns);
    make_files(&l);
    struct line *lines = 0;     /* of all files: the first in memory holds the start */
    for (size_t i = 0; i < l.count; i++)
        if (!lines || l.files[i].lines < lines)
            lines = l.files[i].lines;
    choose(&l);
    size_t chosen = 0;
    for (size_t i = 0; i < l.count; i++)
        chosen += is_chosen(&l, &l.files[i]);
    int status = (w->function || w->source) && !chosen ? nothing_found(&l) : 0;
    if (!status && o->form == FORM_JSON)
        print_json(&l);
    else if (!status)
        print_all(&l);
    free(lines);
    free(l.files);
    source_free(l.source);
    paths_free(&t);
    model_free(&m);
    profile_close(&p);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the listing: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

/* SOURCE:LINE as it was given; the number is cut off. */
static void split_line(char *source, int *line)
{
    char *colon = strrchr(source, ':'), *end;
    if (!colon || colon[1] < '0' || colon[1] > '9')
        return;
    unsigned long n = strtoul(colon + 1, &end, 10);
    if (*end || n > 1 << 30)
        return;
    *colon = 0;
    *line = n;
}

int annotate_main(int argc, char **argv)
{
    enum { OPT_PHYSICAL = 256, OPT_OVERHEAD, OPT_JSON };
    static const struct option longs[] = {
        { "function", required_argument, 0, 'f' }, { "source", required_argument, 0, 's' }, { "metric", required_argument, 0, 'M' },
        { "limit", required_argument, 0, 'n' }, { "context", required_argument, 0, 'C' }, { "all", no_argument, 0, 'a' },
        { "whole", no_argument, 0, 'w' }, { "physical", no_argument, 0, OPT_PHYSICAL },
        { "overhead", required_argument, 0, OPT_OVERHEAD }, { "json", no_argument, 0, OPT_JSON },
        { "output", required_argument, 0, 'o' }, { "help", no_argument, 0, 'h' }, { 0 },
    };
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead)), *output = 0;
    unsigned patterns = 0;
    struct wish w = { .files = FILES, .context = CONTEXT };
    struct options o;
    bool good = true;
    int c, status = 2;
    options_defaults(&o, stdout);
    while (good && (c = getopt_long(argc, argv, "f:s:M:n:C:awo:h", longs, 0)) != -1) {
        switch (c) {
        case 'f': w.function = optarg; break;
        case 's': w.source = optarg; split_line(optarg, &w.line); break;
        case 'M': o.metric = optarg; break;
        case 'n':
        case 'C':
            if (!options_number(optarg, c == 'n' ? &w.files : &w.context) || w.context > 1 << 30) {
                fprintf(stderr, "prof: --%s %s: not a number of %s\n", c == 'n' ? "limit" : "context", optarg, c == 'n' ? "files" : "lines");
                good = false;
            }
            break;
        case 'a': w.all = true; w.files = 0; break;
        case 'w': w.whole = true; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_JSON: o.form = FORM_JSON; break;
        case 'o': output = optarg; break;
        case 'h': printf(usage, FILES, CONTEXT); free(overhead); return 0;
        default: good = false; break;
        }
    }
    o.overhead = overhead;
    char *newest = 0;
    if (!good) {
        /* it was said */
    } else if (argc - optind > 1) {
        fputs("prof: annotate takes one FILE\n", stderr);
    } else if (w.function && w.source) {
        fputs("prof: either --function or --source\n", stderr);
    } else if (options_check(&o) && (optind < argc || (newest = profile_newest("annotate")))) {
        struct output out;
        if (output_open(&out, &o, output))
            status = output_close(&out, annotate(newest ? newest : argv[optind], &o, &w, out.stream));
    }
    free(newest);
    free(overhead);
    return status;
}
