/* text.c - a listing as text: each file's lines after a margin of costs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "annotate/listing.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/source_text.h"
#include "text/text.h"
#include "words/cause_words.h"

/* The columns of the margin. On a narrow terminal some are left out. */
struct margin {
    bool overhead, callees;
    const char *extra;          /* the metric of one more; NULL: there is none */
    int width;
};

static struct margin margin_of(const struct listing *l)
{
    const struct options *o = l->o;
    const char *extra = !strcmp(o->metric, "blocked") || !strcmp(o->metric, "own") ? o->metric
                        : l->off_cpu                                               ? "blocked"
                                                                                   : NULL;
    struct margin g = { o->width >= 90, o->width >= 110, extra, 0 };
    g.width = 8 * (3 + g.overhead + 2 * g.callees + !!g.extra) + 7;
    return g;
}

static void print_share(const struct listing *l, double part, double all)
{
    double percent = 100 * ratio(part, all);
    const char *color = l->o->color ? percent >= 10  ? "\033[31m"
                                      : percent >= 2 ? "\033[33m"
                                                     : ""
                                    : "";
    if (all > 0 && percent >= 0.05)
        fprintf(l->out, "%s%8.1f%s", color, percent, *color ? "\033[0m" : "");
    else
        fprintf(l->out, part > 0 ? "       ." : "        ");
}

static void print_titles(const struct listing *l, const struct margin *g)
{
    if (g->callees)
        fprintf(l->out, g->overhead ? "  ------------ self ------------  - with callees -\n"
                                    : "  -------- self --------  - with callees -\n");
    fprintf(l->out, "  %% span  %% work  %% idle%s%s%s   line\n", g->overhead ? "  % ovhd" : "",
            g->callees ? "  % span  % work" : "",
            !g->extra ? "" : !strcmp(g->extra, "own") ? "   % own" : "  % blkd");
}

/* Prints the margin without the line's number. C NULL: the line has no costs. */
static void print_costs(const struct listing *l, const struct margin *g,
                        const struct listed_line *c)
{
    static const struct listed_line none;
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
        print_share(l, path_metric(&c->all, g->extra), path_metric(all, g->extra));
}

/* The line with blanks for tabs, because columns are counted. The caller frees it. */
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

static void print_text(const struct listing *l, const struct margin *g, int number,
                       const char *text, size_t length)
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

/* Prints below a line the findings at it. */
static void print_findings(const struct listing *l, const struct listed_file *f, int number)
{
    const struct causes *c = l->t->causes;
    for (size_t i = 0; i < c->count; i++) {
        const struct cause_finding *x = &c->found[i];
        if (!listing_is_at(f, number, x))
            continue;
        char *gain = cause_gain(c, x), *text = cause_sentence(x, l->m),
             *remedy = cause_remedy(x, l->m);
        page_paragraph(l->out, l->o, "^", "%s of the elapsed time. %s %s", gain, text, remedy);
        free(gain);
        free(text);
        free(remedy);
    }
}

/* Prints above a run of lines the functions that they belong to. */
static void print_functions(const struct listing *l, const struct listed_line *from,
                            const struct listed_line *end, int last)
{
    const char *seen[LISTING_NAMES] = { 0 };
    unsigned n = 0;
    int left = l->o->width - 6;
    for (const struct listed_line *at = from; at < end && at->number <= last; at++)
        for (unsigned k = 0; k < at->function_count && k < LISTING_NAMES; k++) {
            bool known = false;
            for (unsigned i = 0; i < n; i++)
                known |= seen[i] == at->functions[k];
            if (!known && n < LISTING_NAMES)
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

/* Is line NUMBER shown? *AT is a cursor: the first line with costs that is not more than the
 * context before it. */
static bool is_shown(const struct listing *l, const struct listed_file *f, int number, size_t *at)
{
    const struct listing_wish *w = l->w;
    int context = w->context;
    if (w->whole)
        return true;
    if (w->line)
        return abs(number - w->line) <= (context > LISTING_WINDOW ? context : LISTING_WINDOW);
    while (*at < f->count && (!f->lines[*at].wanted || f->lines[*at].number < number - context))
        ++*at;
    return *at < f->count && f->lines[*at].number <= number + context;
}

static void print_source(const struct listing *l, const struct listed_file *f, const char *text,
                         size_t size)
{
    struct margin g = margin_of(l);
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
            /* a run goes on while the contexts of its lines touch */
            size_t at = wanted;
            int last = number;
            while (last < number + 10000 && is_shown(l, f, last + 1, &at))
                last++;
            if (f->lines[cost].number <= last)
                print_functions(l, &f->lines[cost], f->lines + f->count, last);
        }
        if (show) {
            print_costs(l, &g,
                        cost < f->count && f->lines[cost].number == number ? &f->lines[cost] : 0);
            print_text(l, &g, number, p, length);
            print_findings(l, f, number);
        }
        gap &= !show;
        shown = show;
        p += length + 1;
    }
    if (gap)
        page_paragraph(l->out, l->o, "!",
                       "the file has %d lines: it is not the source that was measured", number - 1);
    else if (f->count && f->lines[f->count - 1].number >= number)
        page_paragraph(
            l->out, l->o, "!",
            "line %d was measured, but the file has %d: it is not the source that was compiled",
            f->lines[f->count - 1].number, number - 1);
}

static void print_file(const struct listing *l, const struct listed_file *f)
{
    uint64_t changed = 0;
    size_t size = 0;
    const char *why, *age;
    char *text = source_text(l->source, f->name, &size, &changed, &why);
    page_heading(l->out, l->o, f->name);
    if (!text) {
        page_paragraph(l->out, l->o, "!", "cannot be shown: %s. Its lines with costs:", why);
        struct margin g = margin_of(l);
        print_titles(l, &g);
        for (size_t i = 0; i < f->count; i++)
            if (f->lines[i].wanted || l->w->whole ||
                (l->w->line && abs(f->lines[i].number - l->w->line) <= LISTING_WINDOW)) {
                print_costs(l, &g, &f->lines[i]);
                char *name = name_fit(f->lines[i].functions[0], l->o->width - g.width - 4);
                fprintf(l->out, "%7d  %s\n", f->lines[i].number, name);
                free(name);
                print_findings(l, f, f->lines[i].number);
            }
        return;
    }
    if ((age = listing_age(l, f, changed)))
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
            page_paragraph(l->out, l->o, "",
                           "Not at a line: %.1f %% of the span, %.1f %% of the work, %.1f %% of "
                           "the idleness are %s.",
                           100 * ratio(none[i]->span, all->span),
                           100 * ratio(none[i]->work, all->work),
                           100 * ratio(none[i]->idleness, all->idleness), what[i]);
    if (l->t->idle_alone > 0)
        page_paragraph(l->out, l->o, "",
                       "By estimate, no strand ran in %.1f %% of the idle time: this is at no "
                       "line.", 100 * ratio(l->t->idle_alone, all->idleness));
    text_certainty(l->m, l->t, l->o, l->out);
    page_paragraph(l->out, l->o, "",
                   "%% idle: share of the idle time during which another worker ran this line. "
                   "%% ovhd: work in the runtime, called from this line, as a share of all work. "
                   "With callees: and everything below, spawned tasks included.%s A dot is less "
                   "than 0.05 %%.",
                   l->off_cpu ? " % blkd: share of the strands' time off the CPU, with callees."
                              : "");
}

void listing_text(const struct listing *l)
{
    const struct lpf_totals *t = &l->m->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *command = profile_string(l->m->profile, t->cmdline);
    char *clean = format_clean(*command ? command : profile_string(l->m->profile, t->exe));
    format_fit(clean, l->o->width - 9);
    fprintf(l->out, "libprof: %s\n", clean);
    free(clean);
    const char *caveat = certainty_caveat(l->m, true);
    page_paragraph(l->out, l->o, "", "work %s, span %s%s%s%s, %u workers",
                   cost_text(l->m->profile, l->m->work, a), cost_text(l->m->profile, l->m->span, b),
                   caveat ? " (" : "", caveat ? caveat : "", caveat ? ")" : "", t->workers);
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!listing_is_chosen(l, &l->files[i]))
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
