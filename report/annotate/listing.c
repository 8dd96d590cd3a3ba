/* listing.c - see listing.h. */
#define _GNU_SOURCE
#include "annotate/listing.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "symbols/names.h"

#define SMALL_LINE 0.005        /* a line with a smaller share of every metric is not hot */

/* ---- lines of files ---- */

static int compare_places(const void *a, const void *b)
{
    const struct cost_row *x = *(const struct cost_row *const *)a,
                          *y = *(const struct cost_row *const *)b;
    int c = x->file == y->file ? 0 : strcmp(x->file, y->file);
    if (!c)
        c = (x->line > y->line) - (x->line < y->line);
    return c ? c : strcmp(x->function, y->function);
}

/* Is F the source of a library, or a header of the C++ library or of a task runtime? */
static bool is_library(const struct listed_file *f)
{
    return name_is_header(f->name) || (f->module && module_is_system(f->module));
}

/* The program's own files come first. */
static int compare_files(const void *a, const void *b, void *metric)
{
    const struct listed_file *x = a, *y = b;
    if (is_library(x) != is_library(y))
        return is_library(x) ? 1 : -1;
    double u = path_metric(&x->self, metric), v = path_metric(&y->self, metric);
    if (u == v)
        u = x->self.samples, v = y->self.samples;
    return u < v ? 1 : u > v ? -1 : strcmp(x->name, y->name);
}

/* Adds to the N ROWS one without costs for each finding in a file of theirs, on a line that has
 * none: EXTRA, which has room for all findings. Returns how many rows there are. */
static size_t add_findings(const struct paths *t, const struct cost_row **rows, size_t n,
                           struct cost_row *extra)
{
    size_t all = n;
    for (size_t i = 0; i < t->causes->count; i++) {
        const struct place *at = &t->causes->found[i].place;
        const struct cost_row *same = 0;
        bool known = !at->file || at->line <= 0;
        for (size_t k = 0; k < n && !known; k++)
            if (!strcmp(rows[k]->file, at->file)) {
                same = rows[k];
                known = same->line == at->line;
            }
        if (known || !same)
            continue;
        extra[all - n] = (struct cost_row){ .function = at->function,
                                            .file = same->file,
                                            .module = same->module,
                                            .line = at->line,
                                            .place = LPF_NONE };
        rows[all] = &extra[all - n];
        all++;
    }
    return all;
}

bool listing_is_at(const struct listed_file *f, int number, const struct cause_finding *x)
{
    return x->place.file && x->place.line == number && !strcmp(x->place.file, f->name);
}

void listing_files(struct listing *l)
{
    const struct paths *t = l->t;
    size_t most = t->call_line_count + t->causes->count;
    const struct cost_row **rows = format_memory(calloc(most + 1, sizeof *rows));
    struct cost_row *extra = format_memory(calloc(t->causes->count + 1, sizeof *extra));
    struct listed_line *lines = format_memory(calloc(most + 1, sizeof *lines));
    l->files = format_memory(calloc(most + 1, sizeof *l->files));
    for (size_t i = 0; i < t->call_line_count; i++)
        rows[i] = &t->lines[i];
    size_t n = add_findings(t, rows, t->call_line_count, extra);
    qsort(rows, n, sizeof *rows, compare_places);
    for (size_t i = 0, used = 0; i < n; i++) {
        const struct cost_row *r = rows[i];
        struct listed_file *f = l->count ? &l->files[l->count - 1] : 0;
        if (!f || strcmp(f->name, r->file)) {
            f = &l->files[l->count++];
            *f = (struct listed_file){ .name = r->file,
                                       .module = r->module,
                                       .lines = &lines[used] };
        }
        if (!f->count || f->lines[f->count - 1].number != r->line) {
            f->lines[f->count++] = (struct listed_line){ .number = r->line };
            used++;
            for (size_t k = 0; k < t->causes->count; k++)
                f->findings += listing_is_at(f, r->line, &t->causes->found[k]);
        }
        struct listed_line *at = &f->lines[f->count - 1];
        path_add(&at->self, &r->self);
        if (r->place != LPF_NONE)
            at->all = t->places[r->place].all;
        path_add(&f->self, &r->self);
        if (at->function_count < LISTING_NAMES)
            at->functions[at->function_count] = r->function;
        at->function_count++;
    }
    free(extra);
    free(rows);
    if (l->count)
        qsort_r(l->files, l->count, sizeof *l->files, compare_files, (void *)l->o->metric);
    else
        free(lines);
}

/* ---- what was asked for ---- */

/* Is FUNCTION the one that NAME means? NAME is its whole name, or the last parts of it. */
static bool is_function(const char *function, const char *name)
{
    size_t a = strlen(function), b = strlen(name);
    return a >= b && !strcmp(function + a - b, name) &&
           (a == b || (a - b >= 2 && !strncmp(function + a - b - 2, "::", 2)));
}

/* Is FILE the one that NAME means? NAME is its whole path, or the end of it. */
static bool is_file(const char *file, const char *name)
{
    size_t a = strlen(file), b = strlen(name);
    return a >= b && !strcmp(file + a - b, name) &&
           (a == b || file[a - b - 1] == '/' || *name == '/');
}

static bool is_hot(const struct paths *t, const struct path_cost *c)
{
    const struct path_cost *all = &t->total;
    return ratio(c->span, all->span) >= SMALL_LINE || ratio(c->work, all->work) >= SMALL_LINE ||
           ratio(c->idleness, all->idleness) >= SMALL_LINE ||
           ratio(c->overhead, all->overhead) >= SMALL_LINE;
}

/* Time off the CPU has a column if a line has this share of it, and if it is itself this share of
 * the strands' time. */
#define OFF_CPU 0.01

static bool is_off_cpu(const struct listing *l, const struct path_cost *c)
{
    const struct lpf_totals *t = &l->m->profile->totals;
    double all = l->t->total.blocked;
    return t->ns_num && all >= OFF_CPU * (all + l->t->total.work) &&
           ratio(c->blocked, all) >= OFF_CPU;
}

static bool has_finding(const struct listing *l, const struct listed_file *f, int line)
{
    for (size_t i = 0; i < l->t->causes->count; i++)
        if (listing_is_at(f, line, &l->t->causes->found[i]))
            return true;
    return false;
}

static bool in_function(const struct listing *l, const struct listed_file *f, int line)
{
    for (size_t i = 0; i < l->t->call_line_count; i++) {
        const struct cost_row *r = &l->t->lines[i];
        if (r->file == f->name && r->line == line && is_function(r->function, l->w->function))
            return true;
    }
    return false;
}

void listing_choose(struct listing *l)
{
    const struct listing_wish *w = l->w;
    for (size_t i = 0; i < l->count; i++) {
        struct listed_file *f = &l->files[i];
        for (size_t k = 0; k < f->count; k++) {
            struct listed_line *at = &f->lines[k];
            if (w->source)
                at->wanted = is_file(f->name, w->source) && !w->line;
            else if (w->function)
                at->wanted = in_function(l, f, at->number);
            else
                at->wanted = w->all || is_hot(l->t, &at->self) || is_off_cpu(l, &at->all) ||
                             (f->self.samples && is_hot(l->t, &at->all)) ||
                             has_finding(l, f, at->number);
            l->off_cpu |= (at->wanted || w->whole || w->line) && is_off_cpu(l, &at->all);
        }
    }
}

bool listing_is_chosen(const struct listing *l, const struct listed_file *f)
{
    if (l->w->source)
        return is_file(f->name, l->w->source);
    bool any = false;
    for (size_t k = 0; k < f->count; k++)
        any |= f->lines[k].wanted &&
               (l->w->function || l->w->all || f->self.samples || f->findings);
    return any;
}

const char *listing_age(const struct listing *l, const struct listed_file *f, uint64_t changed_ns)
{
    struct stat st;
    uint64_t start = l->m->profile->totals.start_unix_ns;
    if (start && changed_ns > start)
        return "newer than the run: lines may have moved";
    /* an archive is of another machine: the binary here is not the one that ran */
    if (!l->m->profile->archive && f->module && !stat(f->module, &st) &&
        changed_ns / 1000000000u > (uint64_t)st.st_mtim.tv_sec)
        return "newer than the binary: lines may have moved";
    return 0;
}
