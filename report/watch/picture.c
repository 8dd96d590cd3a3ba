/* picture.c - see picture.h. Figures, functions and words are those of the brief report; what is
 * missing from a profile has no line. With a height, the lines are as many as the screen has: the
 * functions and the program's output share what the rest leaves.
 */
#define _GNU_SOURCE
#include "watch/picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/ledger.h"
#include "base/format.h"
#include "brief/brief_page.h"

enum { MOST_ROWS = 20, PLAIN_ROWS = 5, BAR_MOST = 60, ROOMY = 20 };

/* Prints TEXT, cleaned and cut to the width; BOLD: if there are colours. */
static void print_line(const struct picture *f, FILE *out, bool bold, const char *text)
{
    char *clean = format_clean(text);
    format_fit(clean, f->options.width);
    fprintf(out, bold && f->options.color ? "\033[1m%s\033[0m\n" : "%s\n", clean);
    free(clean);
}

static void print_text(const struct picture *f, FILE *out, bool bold, char *text)
{
    print_line(f, out, bold, text);
    free(text);
}

/* ---- the head ---- */

/* How the process does, as the end of the first line. The caller frees it. */
static char *state_of(const struct picture *f)
{
    const struct follow *w = f->follow;
    char name[FORMAT_SIZE];
    if (!w->now)
        return format_text("%s", "");
    const struct lpf_totals *t = &w->now->p.totals;
    double late = follow_age(w) - (f->interval ? 2.0 * f->interval : 10);
    if (f->paused)
        return format_text("PAUSED");
    if (follow_has_ended(w))
        return t->end == LPF_END_SIGNAL ? format_text("killed by %s",
                                                      format_signal(t->exit_status, name))
               : t->end == LPF_END_EXEC ? format_text("replaced itself (exec)")
                                        : format_text("ended, exit status %u", t->exit_status);
    if (follow_has_vanished(w))
        return format_text("gone: it left this checkpoint");
    return late > 0 ? format_text("no checkpoint for %.0f s", follow_age(w))
                    : format_text("running");
}

static void print_head(const struct picture *f, FILE *out)
{
    const struct reading *r = f->follow->now;
    const char *command = f->command ? f->command : f->follow->path;
    if (r) {
        const struct lpf_totals *t = &r->p.totals;
        const char *line = profile_string(&r->p, t->cmdline);
        command = *line ? line : profile_string(&r->p, t->exe);
    }
    char *state = state_of(f), *text = format_text("prof watch: %s", command ? command : ""),
         *clean = format_clean(text);
    int room = f->options.width - format_width(state) - 2;
    format_fit(clean, room > 12 ? room : 12);
    char *line = format_text("%s%*s", clean, f->options.width - format_width(clean), state);
    print_line(f, out, true, line);
    free(state);
    free(text);
    free(clean);
    free(line);
}

static void print_times(const struct picture *f, FILE *out)
{
    const struct lpf_totals *t = &f->follow->now->p.totals, *b = &f->follow->before;
    char x[FORMAT_SIZE], y[FORMAT_SIZE], z[FORMAT_SIZE];
    const char *clock = profile_string(&f->follow->now->p, t->clock);
    bool plain = !strcmp(clock, "tsc");
    page_paragraph(out, &f->options, "", "%s elapsed, %s CPU, %u worker%s, pid %u%s%s",
                   format_short_ns(t->elapsed_ns, x),
                   format_short_ns(profile_cpu_ns(&f->follow->now->p), y), t->workers,
                   t->workers == 1 ? "" : "s", t->pid, plain ? "" : ", clock ",
                   plain ? "" : clock);
    if (!b->elapsed_ns)
        return;
    double ns = t->elapsed_ns - b->elapsed_ns;
    page_paragraph(out, &f->options, "", "last %s: %.2f CPUs busy, %s tasks/s",
                   format_short_ns(ns, x), (t->cpu_ns - b->cpu_ns) / ns,
                   format_count((t->tasks - b->tasks) / (1e-9 * ns) + 0.5, z));
}

/* ---- the ledger ---- */

/* A bar of SHARE of ROOM columns: whole and eighths of blocks, or #. */
static void print_bar(const struct picture *f, FILE *out, double share, int room,
                      const char *colour)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    int parts = 8 * room * fmin(fmax(share, 0), 1) + 0.5;
    if (f->options.color)
        fputs(colour, out);
    if (f->utf8) {
        for (int i = 0; i < parts / 8; i++)
            fputs("█", out);
        fputs(eighths[parts % 8], out);
    } else {
        for (int i = 0; i < (parts + 4) / 8; i++)
            fputc('#', out);
    }
    if (f->options.color)
        fputs("\033[0m", out);
}

static void print_ledger(const struct picture *f, FILE *out)
{
    const struct reading *r = f->follow->now;
    const struct ledger l = ledger_of(&r->m, r->paths);
    if (!l.known || !(l.all > 0))
        return;
    const struct { double ns; const char *what, *colour; } rows[] = {
        { l.work, "work", "\033[32m" },
        { l.inside + l.between, "overhead (sampled)", "\033[33m" },
        { l.search + l.sleep + l.absent, "idle", "\033[31m" },
        { l.blocked, "blocked or preempted", "\033[35m" },
        { l.own, "libprof itself", "\033[36m" },
    };
    int room = f->options.width - 2 - 6 - 2 - 22;
    if (!f->height || f->height >= ROOMY)
        fprintf(out, "\n  Where the time went%s (%s)\n",
                follow_has_ended(f->follow) ? "" : " so far",
                l.crowd ? "all threads' time" : "worker slots x elapsed");
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double share = rows[i].ns / l.all;
        bool bar = share > 0 && room > 0;
        fprintf(out, "  %4.1f %%  %-*s", 100 * share, bar ? 22 : 0, rows[i].what);
        if (bar)
            print_bar(f, out, share, room < BAR_MOST ? room : BAR_MOST, rows[i].colour);
        fputc('\n', out);
    }
}

/* ---- functions ---- */

static void add_share(struct table *t, const struct cost_row *r, const struct path_cost *all,
                      const char *metric)
{
    char text[FORMAT_SIZE];
    double share = ratio(path_metric(&r->self, metric), path_metric(all, metric));
    snprintf(text, sizeof text, share > 0 ? "%.1f" : "", 100 * share);
    table_add(t, text);
}

/* The functions by the chosen metric, at most ROWS of them. */
static void print_functions(const struct picture *f, const struct text_page *g, size_t rows)
{
    static const char *const titles[] = { "% span",     "% work",    "% idle",
                                          "% overhead", "% blocked", "% libprof" };
    enum { SHOWN = 3 };         /* these metrics have a column; any other has the first one */
    struct paths *p = f->follow->now->paths;
    if (!p || !rows)
        return;
    unsigned chosen = 0;
    while (strcmp(path_metrics[chosen], f->options.metric))
        chosen++;
    struct table_column columns[2 + SHOWN + 2] = { { titles[chosen], 0, TABLE_NUMBER, 0 } };
    unsigned count = 1;
    if (!chosen)
        columns[count++] = (struct table_column){ "+-", 0, TABLE_NUMBER, 2 };
    for (unsigned i = 0; i < SHOWN; i++)
        if (i != chosen)
            columns[count++] = (struct table_column){ titles[i], 0, TABLE_NUMBER, 3 };
    columns[count++] = (struct table_column){ "function", 0, TABLE_IN_WORDS, 0 };
    columns[count++] = (struct table_column){ "verdict", 0, TABLE_WORDS, 4 };
    struct table *t = table_new(columns, count);
    paths_sort(p, f->options.metric);
    size_t shown = 0;
    for (size_t i = 0; i < p->function_count && shown < rows; i++) {
        const struct cost_row *r = &p->functions[i];
        if (path_metric(&r->self, f->options.metric) <
            BRIEF_WORTH * path_metric(&p->total, f->options.metric) ||
            path_metric(&r->self, f->options.metric) <= 0)
            break;
        char margin[FORMAT_SIZE] = "", *name = brief_function_at(r);
        if (r->self.on_span)
            snprintf(margin, sizeof margin, "%.1f", 100 * path_margin(&r->self, &p->total));
        add_share(t, r, &p->total, f->options.metric);
        if (!chosen)
            table_add(t, margin);
        for (unsigned k = 0; k < SHOWN; k++)
            if (k != chosen)
                add_share(t, r, &p->total, path_metrics[k]);
        table_add(t, name);
        table_add(t, r->verdict);
        free(name);
        shown++;
    }
    if (shown)
        table_print(t, g->out, f->options.width);
    else
        print_text(f, g->out, false,
                   format_text("  No function has any %s so far.", f->options.metric));
    table_free(t);
}

/* ---- what the program printed ---- */

/* The last character of the escape sequence that begins at ESC. One that takes a text up to BEL or
 * ESC \, such as a window's title, ends with its line at the latest. */
static const char *escape_end(const char *esc)
{
    const char *c = esc + (esc[1] != 0);
    if (c > esc && *c == '[')
        while (c[1] && !(*++c >= '@' && *c <= '~'))
            ;
    else if (c > esc && strchr("]PX^_", *c))
        while (c[1] && c[1] != '\n' && *++c != '\a')
            if (*c == '\033')
                return c[1] == '\\' ? c + 1 : c - 1;
    return c;
}

/* Prints the last ROWS lines of what the program printed, without escape sequences and without what
 * the program itself has overwritten in them. */
static void print_output(const struct picture *f, FILE *out, int rows)
{
    char *text = format_text("%s", f->output), *to = text;
    for (const char *c = f->output; *c; c++) {
        if (*c == '\033') {
            c = escape_end(c);
        } else if (*c == '\t') {
            *to++ = ' ';
        } else if (*c == '\r' && c[1] != '\n' && c[1]) {
            while (to > text && to[-1] != '\n')
                to--;
        } else if (*c != '\r') {
            *to++ = *c;
        }
    }
    while (to > text && to[-1] == '\n')
        to--;
    *to = 0;
    char *from = to;
    for (int n = 0; from > text; from--)
        if (from[-1] == '\n' && ++n == rows)
            break;
    if (*from)
        print_line(f, out, true, "The program printed:");
    for (char *end; *from; from = *end ? end + 1 : end) {
        end = from + strcspn(from, "\n");
        print_text(f, out, false, format_text("  %.*s", (int)(end - from), from));
    }
    free(text);
}

/* ---- the whole ---- */

static const char help[] =
    "  m, 1 to 6   sort the functions by span, work, idleness, overhead, time off the CPU,\n"
    "              or libprof's own time\n"
    "  p           pause: the picture stays, the program runs\n"
    "  q           leave; a program that prof watch has started goes on, and Ctrl-C ends it\n"
    "  h           back\n"
    "\n"
    "  All figures are up to the last checkpoint of the profile, which libprof writes while the\n"
    "  program runs. Work and span still grow; the parallelism so far may rise or fall.\n"
    "  prof(1) explains the words, prof-report(1) the columns, prof-watch(1) the picture.\n";

static void print_help(const struct picture *f, FILE *out)
{
    for (const char *line = help; *line;) {
        size_t n = strcspn(line, "\n");
        print_text(f, out, false, format_text("%.*s", (int)n, line));
        line += n + 1;
    }
}

static void print_keys(const struct picture *f, FILE *out)
{
    char cost[64] = "", every[64] = "";
    if (f->interval)
        snprintf(every, sizeof every, "   every %u s", f->interval);
    if (f->cost >= 0)
        snprintf(cost, sizeof cost, ", watching takes %.1f %% of a CPU", 100 * f->cost);
    print_text(f, out, true, format_text("m metric: %s   p pause   h help   q leave%s%s",
                                         f->options.metric, every, cost));
}

static int lines_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void print_waiting(const struct picture *f, FILE *out)
{
    if (f->follow->damaged)
        return;                 /* the message states why */
    if (!f->command) {
        char *clean = format_clean(f->follow->path);
        page_paragraph(out, &f->options, "",
                       "Waiting for the first checkpoint, for %.0f s: there is no %s yet. q "
                       "leaves.",
                       f->waited, clean);
        free(clean);
        return;
    }
    page_paragraph(out, &f->options, "",
                   "Waiting for the first checkpoint, for %.0f s. It comes half a second after the "
                   "first task or thread.", f->waited);
}

/* All above the functions. */
static void print_upper(const struct picture *f, struct text_page *g)
{
    print_head(f, g->out);
    if (*f->message)
        print_line(f, g->out, true, f->message);
    if (!f->follow->now) {
        print_waiting(f, g->out);
        return;
    }
    print_times(f, g->out);
    brief_figures(g, follow_has_ended(f->follow) ? "" : " so far", false);
    print_ledger(f, g->out);
}

/* Copies up to COUNT lines of TEXT, and blank ones up to COUNT. */
static void put_lines(FILE *out, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        size_t n = strcspn(text, "\n");
        fprintf(out, "%.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

char *picture_text(const struct picture *f)
{
    char *upper = NULL, *middle = NULL, *lower = NULL, *whole = NULL;
    size_t size = 0;
    const struct reading *r = f->follow->now;
    struct text_page page = { .o = &f->options }, *g = &page;
    if (r) {
        page.m = &r->m;
        page.paths = r->paths;
        page.p = &r->p;
        page.t = &r->p.totals;
    }
    bool roomy = !f->height || f->height >= ROOMY;
    page.out = format_memory(open_memstream(&upper, &size));
    print_upper(f, g);
    if (roomy && r)
        fputc('\n', page.out);
    fclose(page.out);
    int room = f->height - lines_of(format_memory(upper)) - 1;

    FILE *out = format_memory(open_memstream(&lower, &size));
    if (f->output && *f->output && roomy && room > 3)
        print_output(f, out, room / 3);
    fclose(out);
    int printed = lines_of(format_memory(lower));
    int rows = f->height ? room - printed - 1 - (printed != 0) : PLAIN_ROWS;

    page.out = format_memory(open_memstream(&middle, &size));
    if (f->help)
        print_help(f, page.out);
    else if (r && rows > 0)
        print_functions(f, g, rows < MOST_ROWS ? rows : MOST_ROWS);
    fclose(page.out);
    format_memory(middle);

    out = format_memory(open_memstream(&whole, &size));
    if (f->height) {
        char *text = format_text("%s%s", upper, middle);
        put_lines(out, text, f->height - 1 - printed);
        put_lines(out, lower, printed);
        print_keys(f, out);
        free(text);
    } else {
        fprintf(out, "%s%s", upper, middle);
    }
    fclose(out);
    free(upper);
    free(middle);
    free(lower);
    return format_memory(whole);
}
