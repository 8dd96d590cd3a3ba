/* brief.c - see brief.h. A section that has nothing to state is absent. */
#define _GNU_SOURCE
#include "brief/brief.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/certainty.h"
#include "analysis/ledger.h"
#include "base/format.h"
#include "brief/brief_page.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "text/sections.h"
#include "words/place_words.h"

/* How the process ended, as the end of a sentence. The caller frees it. */
static char *end_of(const struct text_page *g)
{
    char name[FORMAT_SIZE];
    if (g->p->input_count)
        return format_text("%s", "");
    switch (g->t->end) {
    case LPF_END_SIGNAL:
        return format_text(", killed by %s", format_signal(g->t->exit_status, name));
    case LPF_END_EXEC:
        return format_text("%s", ", replaced itself (exec)");
    case LPF_END_RUNNING:
        return format_text("%s", "");
    default:
        return format_text(", exit status %u", g->t->exit_status);
    }
}

/* More threads than this for each worker slot are named, as those of nested regions. */
#define CROWD 1.05

static void print_head(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], *end = end_of(g);
    const char *clock = profile_string(g->p, t->clock), *command = profile_string(g->p, t->cmdline);
    char *clean = format_clean(*command ? command : profile_string(g->p, t->exe));
    format_fit(clean, g->o->width - 9);
    fprintf(g->out, g->o->color ? "libprof: \033[1m%s\033[0m\n" : "libprof: %s\n", clean);
    bool plain = !strcmp(clock, "tsc");
    double threads = ratio(t->threads_ns, t->elapsed_ns);
    char *more = threads > CROWD * t->workers
                     ? format_text(" (%.1f threads on average)", threads)
                     : format_text("%s", ""), *on = text_processors(g->p);
    paragraph(g, "", "%u worker%s%s%s, %s elapsed, %s CPU%s%s%s", t->workers,
              t->workers == 1 ? "" : "s", on, more, format_ns(t->elapsed_ns, a),
              format_ns(profile_cpu_ns(g->p), b), end, plain ? "" : ", clock ", plain ? "" : clock);
    if (!g->p->input_count)
        text_state(g);
    free(clean);
    free(end);
    free(more);
    free(on);
}

/* ---- the figures ---- */

enum { EVENT_WIDTH = 32 };      /* of an event's name */

struct figures {
    const struct text_page *g;
    int column;                 /* 0: nothing is printed */
};

/* Prints a figure, beside the last one if it fits. */
__attribute__((format(printf, 2, 3)))
static void figure(struct figures *f, const char *format, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    int width = format_width(text);
    bool beside = f->column && f->column + 3 + width <= f->g->o->width;
    fprintf(f->g->out, "%s%s", beside ? "   " : f->column ? "\n  " : "  ", text);
    f->column = beside ? f->column + 3 + width : 2 + width;
}

/* What PROF_EVENTS counted in the process. */
static void print_events(struct figures *f)
{
    size_t at = 0;
    uint64_t count;
    char b[FORMAT_SIZE];
    for (const char *event; (event = profile_event(f->g->p, &at, &count));) {
        char *name = format_clean(event);
        format_fit(name, EVENT_WIDTH);
        figure(f, "%s %s", format_count(count, b), name);
        free(name);
    }
}

/* " (as executed)", or nothing for what is exact. */
static const char *mark(enum certainty c, char buffer[FORMAT_SIZE])
{
    snprintf(buffer, FORMAT_SIZE, c == CERTAIN_EXACT ? "" : " (%s)", certainty_names[c]);
    return buffer;
}

void brief_figures(const struct text_page *g, const char *when, bool shares)
{
    const struct summary *m = g->m;
    struct figures f = { g, 0 };
    struct own_share own = paths_own_share_all(m, g->paths);
    enum certainty span = certainty_of_measured(certainty_span(m), own.estimate);
    struct ledger l = ledger_of(m, g->paths);
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double slots = profile_slots_ns(g->p);
    figure(&f, "work%s %s%s", when, cost_text(g->p, m->work, a),
           mark(certainty_of_measured(CERTAIN_EXACT, own.estimate), b));
    figure(&f, "span%s %s%s", when, cost_text(g->p, m->span, a), mark(span, b));
    figure(&f, "parallelism%s %s%s", when, format_ratio(m->parallelism, a),
           mark(certainty_of_ratio(span), b));
    if (shares && slots > 0) {
        char overhead[64] = "", mpi[64] = "";
        if (l.known)
            snprintf(overhead, sizeof overhead, ", overhead %.0f %% (sampled)",
                     100 * ratio(l.inside + l.between, slots));
        if (g->p->rank_count > 1)
            snprintf(mpi, sizeof mpi, ", in MPI %.0f %%",
                     100 * ratio(l.mpi_waits + l.mpi_transfer, slots));
        figure(&f, "idle %.0f %%%s%s of %s", 100 * ratio(ledger_idle_shown(&l, g->p), slots),
               overhead, mpi, place_of_time(g->p));
    }
    if (g->t->tasks || g->p->rank_count < 2) {
        figure(&f, "%s task%s", format_count(g->t->tasks, a), g->t->tasks == 1 ? "" : "s");
        figure(&f, "%s stolen", format_count(g->t->steals, b));
    }
    print_events(&f);
    fputc('\n', g->out);
}

/* ---- where to look next ---- */

/* Prints the commands that apply, with the file's name as far as that fits. */
static void print_next(const struct text_page *g)
{
    char *cwd = getcwd(0, 0);
    size_t n = cwd ? strlen(cwd) : 0;
    const char *path = g->p->path;
    bool below = n && !strncmp(path, cwd, n) && path[n] == '/';
    char *file = format_clean(below ? path + n + 1 : path);
    bool paths = g->paths && g->paths->total.samples,
         view = paths && !g->o->no_page,
         whatif = paths && g->t->span_cost && !g->p->rank_count;
    char *forms[] = {
        format_text("prof report --full %s%s%s%s%s", file, view ? " | prof view " : "",
                    view ? file : "", whatif ? " | prof whatif " : "", whatif ? file : ""),
        format_text("prof report --full%s%s   (FILE: %s)", view ? " | prof view" : "",
                    whatif ? " | prof whatif" : "", file),
        format_text("prof report --full%s%s", view ? " | prof view" : "",
                    whatif ? " | prof whatif" : ""),
    };
    enum { FORMS = sizeof forms / sizeof forms[0] };
    unsigned i = 0;
    while (i < FORMS - 1 && format_width(forms[i]) + 8 > g->o->width)
        i++;
    fprintf(g->out, g->o->color ? "  \033[1mNext:\033[0m %s\n" : "  Next: %s\n", forms[i]);
    for (i = 0; i < FORMS; i++)
        free(forms[i]);
    free(file);
    free(cwd);
}

static void print_without_tasks(const struct text_page *g)
{
    char *program = format_clean(profile_string(g->p, g->t->exe));
    if (g->t->span_cost)
        text_findings(g, BRIEF_FINDINGS);
    paragraph(g, "", "No tasks were seen: %s.",
              g->t->span_cost ? "what libprof saw is serial, so its parallelism is 1"
                              : "no cost was measured");
    brief_samples(g);
    struct figures f = { g, 0 };
    print_events(&f);
    if (f.column)
        fputc('\n', g->out);
    if (g->o->timeline)
        text_timeline(g);
    brief_notes(g);
    paragraph(g, "",
              "If the program has tasks, `prof doctor %s` shows whether libprof can see its "
              "runtime.%s",
              program, g->paths && g->paths->total.samples
                           ? " `prof annotate` shows where the time of its one thread went." : "");
    free(program);
}

/* What PRINT prints of G's report, as text. The caller frees it. */
static char *printed(const struct text_page *g, void (*print)(const struct text_page *g))
{
    char *text = NULL;
    size_t size;
    struct text_page page = *g;
    page.out = format_memory(open_memstream(&text, &size));
    print(&page);
    fclose(page.out);
    return format_memory(text);
}

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void print_upper(const struct text_page *g)
{
    print_head(g);
    text_children(g);
    if (g->t->span_cost)
        brief_answer(g);
    else
        paragraph(g, "", "No cost was measured: work and span are 0.");
    brief_notes(g);
    brief_figures(g, "", true);
}

void brief_print(const struct summary *m, const struct paths *t, const struct options *o, FILE *out)
{
    struct options narrow = *o;
    if (!o->narrowed)
        narrow.width = OPTIONS_BRIEF;
    struct text_page page = { m, t, m->profile, &m->profile->totals, &narrow, out }, *g = &page;
    if (profile_is_serial(g->p)) {
        print_head(g);
        text_children(g);
        print_without_tasks(g);
        return;
    }
    int room = (narrow.width < OPTIONS_BRIEF ? BRIEF_NARROW : BRIEF_LINES) - 1;
    char *upper = printed(g, print_upper);
    room -= lines_of(upper);
    fputs(upper, out);
    free(upper);
    brief_tables(g, room);
    if (o->timeline)
        text_timeline(g);
    print_next(g);
}
