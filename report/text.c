/* text.c - the report for people, in Cilkview's order: what limits the program, the parallelism
 * profile, the speedup estimate; then the spawn sites, as Cilkprof measures them, and the regions.
 * Widths follow the terminal; everything that came from a file is cleaned before it is printed.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "format.h"
#include "names.h"
#include "report.h"
#include "table.h"

/* What every section needs; and a paragraph to fill. */
struct page {
    const struct model *m;
    const struct profile *p;
    const struct lpf_totals *t;
    const struct options *o;
    FILE *out;
};

static void heading(const struct page *g, const char *text)
{
    fprintf(g->out, g->o->color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

/* One paragraph, broken between words; MARK ("" or "!") stands in its margin. */
static void paragraph(const struct page *g, const char *mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void paragraph(const struct page *g, const char *mark, const char *format, ...)
{
    char *raw = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&raw, format, ap);
    va_end(ap);
    format_memory(n < 0 ? NULL : raw);
    char *text = format_clean(raw);
    free(raw);
    const char *s = text;
    int indent = *mark ? 4 : 2, room = g->o->width - indent;
    bool first = true;
    while (*s) {
        /* up to the last blank that fits; a longer word is cut: lines never overflow */
        int column = 0;
        const char *end = s, *blank = 0;
        for (; *end && (column < room || (*end & 0xc0) == 0x80); end++) {
            column += (*end & 0xc0) != 0x80;
            if (*end == ' ')
                blank = end;
        }
        if (*end && *end != ' ' && blank && blank > s)
            end = blank;
        if (*mark && first && g->o->color)
            fprintf(g->out, "  \033[33m%-1s\033[0m ", mark);
        else
            fprintf(g->out, *mark ? "  %-1s " : "  ", first ? mark : "");
        const char *next = end + strspn(end, " ");
        while (end > s && end[-1] == ' ')
            end--;
        fprintf(g->out, "%.*s\n", (int)(end - s), s);
        first = false;
        s = next;
    }
    free(text);
}

static void line(const struct page *g, const char *name, const char *value)
{
    fprintf(g->out, "  %-24s %s\n", name, value);
}

/* "name.cpp:12": the directory is in the JSON and the CSV. Without lines MODULE+0xOFFSET. */
static char *place_of(const struct row *r)
{
    const char *base = r->file ? strrchr(r->file, '/') : 0;
    if (r->file)
        return format_text("%s:%d", base ? base + 1 : r->file, r->line);
    return format_text("%s", r->code && strcmp(r->code, r->function) ? r->code : "");
}

/* The function; "+0x12" behind it when that is all we know of the place. */
static char *function_of(const struct row *r)
{
    if (r->file || r->root || !r->offset || (r->code && strcmp(r->code, r->function)))
        return format_text("%s", r->function);
    char *plain = name_plain(r->function);
    char *text = format_text("%s+0x%llx", plain, (unsigned long long)r->offset);
    free(plain);
    return text;
}

/* ---- header, summary ---- */

static void print_header(const struct page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], when[64] = "at an unknown time";
    time_t start = t->start_unix_ns / 1000000000u;
    struct tm tm;
    if (start && localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    char *command = format_clean(profile_string(g->p, t->cmdline)[0] ? profile_string(g->p, t->cmdline)
                                                                     : profile_string(g->p, t->exe));
    format_fit(command, g->o->width - 9);
    fprintf(g->out, g->o->color ? "libprof: \033[1m%s\033[0m\n" : "libprof: %s\n", command);
    free(command);
    char how[64] = "";
    if (t->end == LPF_END_SIGNAL)
        snprintf(how, sizeof how, ", killed by SIG%s",
                 sigabbrev_np(t->exit_status) ? sigabbrev_np(t->exit_status) : "?");
    else if (t->end == LPF_END_EXEC)
        snprintf(how, sizeof how, ", replaced itself (exec)");
    else if (t->end != LPF_END_RUNNING)
        snprintf(how, sizeof how, ", exit status %u", t->exit_status);
    const char *detail = profile_setting(g->p, "clock");
    paragraph(g, "", "%s, pid %u%s", when, t->pid, how);
    paragraph(g, "", "%u worker%s, %s elapsed, %s CPU, clock %s%s%s%s", t->workers, t->workers == 1 ? "" : "s",
              format_ns(t->elapsed_ns, a), format_ns(t->cpu_ns, b), profile_string(g->p, t->clock),
              *detail ? " (" : "", detail, *detail ? ")" : "");
    if (g->p->flags & LPF_F_CRASHED)
        paragraph(g, "!", "CRASHED: the program was killed or aborted; figures are up to that moment");
    else if (g->p->flags & LPF_F_CHECKPOINT)
        paragraph(g, "!", "CHECKPOINT: the program had not ended; figures are up to the last checkpoint");
}

static void print_heaviest(const struct page *g)
{
    const struct row *r = model_heaviest(g->m);
    if (!r)
        return;
    if (r->root) {
        paragraph(g, "", "%.1f %% of the critical path is the program's own code, outside every task: serial "
                  "code between the parallel constructs.", 100 * r->share);
        return;
    }
    char *function = function_of(r), *name = name_fit(function, 60), *place = place_of(r);
    paragraph(g, "", "%.1f %% of the critical path is in tasks of %s at %s%s%s%s.", 100 * r->share,
              *r->construct ? r->construct : "the site", name, *place ? " (" : "", place, *place ? ")" : "");
    free(function);
    free(name);
    free(place);
}

/* In plain words: what limits this program. */
static void print_summary(const struct page *g)
{
    const struct model *m = g->m;
    unsigned p = g->t->workers ? g->t->workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    heading(g, "What limits it");
    if (!g->t->tasks && !g->t->spawns) {
        paragraph(g, "", "No tasks were seen: nothing to say about its parallelism. `prof doctor PROGRAM` "
                  "tells whether libprof can see the program's runtime.");
        return;
    }
    if (!g->t->span_cost) {
        paragraph(g, "", "No cost was measured: work and span are 0.");
        return;
    }
    format_ratio(m->parallelism, a);
    if (m->parallelism < 1.05)
        paragraph(g, "", "It is serial: work and span are nearly the same.");
    else if (m->parallelism < p)
        paragraph(g, "", "Parallelism %s is less than its %u worker%s: some of them must idle.", a, p, plural);
    else if (m->parallelism < 10.0 * p)
        paragraph(g, "", "Parallelism %s is less than ten times its %u worker%s: load balance begins to cost, "
                  "and no machine runs it more than %s times as fast as one core. Shorten the critical path.",
                  a, p, plural, a);
    else
        paragraph(g, "", "Parallelism %s is ample for %u worker%s (ten times as much, or more).", a, p, plural);
    if (m->burdened_parallelism * 2 < m->parallelism)
        paragraph(g, "", "With the cost of steals counted only %s of it is left: the tasks are too fine "
                  "grained to be worth stealing.", format_ratio(m->burdened_parallelism, b));
    print_heaviest(g);
}

/* ---- 1) ---- */

static void print_burden(const struct page *g)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], text[160];
    format_cost(g->p, g->m->burden, a);
    switch (g->t->burden_source) {
    case LPF_BURDEN_SETTING:
        snprintf(text, sizeof text, "%s (setting)", a);
        break;
    case LPF_BURDEN_MEASURED:
        snprintf(text, sizeof text, "%s (measured from %s steal%s in this run)", a,
                 format_count(g->t->burden_steals, b), g->t->burden_steals == 1 ? "" : "s");
        break;
    default:
        snprintf(text, sizeof text, "%s (default: %s)", a,
                 g->t->steals ? "too few steals in this run" : "no steals in this run");
    }
    line(g, "Burden of a steal", text);
}

static void print_bounds(const struct page *g)
{
    if (g->t->exact)
        return;
    size_t size = 0;
    char *list = NULL, b[FORMAT_SIZE];
    FILE *f = format_memory(open_memstream(&list, &size));
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND)
            fprintf(f, "%s %s (%s)", ftell(f) ? "," : "", profile_string(g->p, n->name), format_count(n->count, b));
    }
    fclose(f);
    paragraph(g, "!", "span is a LOWER BOUND:%s. Parallelism and speedup may be lower than shown.",
              size ? list : " see what was lost, below");
    free(list);
}

static void print_profile(const struct page *g)
{
    const struct model *m = g->m;
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE], c[FORMAT_SIZE], text[160];
    double all = (double)t->elapsed_ns * t->workers;
    heading(g, "1) Parallelism profile");
    if (!t->ns_num) {
        snprintf(text, sizeof text, "costs are in units of the clock: %s", profile_string(g->p, t->clock));
        paragraph(g, "", "%s", text);
    }
    line(g, "Work", format_cost(g->p, m->work, b));
    line(g, t->exact ? "Span" : "Span (LOWER BOUND)", format_cost(g->p, m->span, b));
    line(g, "Burdened span", format_cost(g->p, m->burdened_span, b));
    line(g, "Parallelism", format_ratio(m->parallelism, b));
    line(g, "Burdened parallelism", format_ratio(m->burdened_parallelism, b));
    line(g, "Spawns", format_count(t->spawns, b));
    line(g, "Syncs", format_count(t->syncs, b));
    line(g, "Average maximal strand", format_cost(g->p, m->average_strand, b));
    line(g, "Tasks", format_count(t->tasks, b));
    line(g, "Steals", format_count(t->steals, b));
    print_burden(g);
    snprintf(text, sizeof text, "%s of %s worker time (%.1f %%)", format_ns(t->idle_ns, b), format_ns(all, c),
             100 * ratio(t->idle_ns, all));
    line(g, "Idle", text);
    snprintf(text, sizeof text, "%s (estimated; not part of the above)", format_ns(t->own_ns, b));
    line(g, "libprof's own time", text);
    print_bounds(g);
    if (m->short_strands) {
        char limit[80] = "";
        if (t->ns_num)
            snprintf(limit, sizeof limit, " (about %.0f ns, at 3 instructions a ns)", SHORT_STRAND_NS);
        paragraph(g, "!", "The average maximal strand is below %d instructions%s: spawning costs a good part of "
                  "the time. End the recursion earlier, or make the grain larger.",
                  SHORT_STRAND_INSTRUCTIONS, limit);
    }
}

static void print_notes(const struct page *g)
{
    static const char *const title[] = { "note", "lower bound", "LOST", "note" };
    char b[FORMAT_SIZE];
    if (g->p->note_count)
        heading(g, "Notes");
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        paragraph(g, n->kind == LPF_NOTE_HINT ? "-" : "!", "%s: %s (%s): %s", title[n->kind < 4 ? n->kind : 0],
                  profile_string(g->p, n->name), format_count(n->count, b), profile_string(g->p, n->text));
    }
}

/* ---- 2) ---- */

static void print_speedup(const struct page *g)
{
    unsigned p[16], n = model_processors(g->m, p, 16);
    if (!g->t->span_cost)
        return;
    heading(g, "2) Speedup estimate");
    fprintf(g->out, "  processors     lower - upper\n");
    for (unsigned i = 0; i < n; i++)
        fprintf(g->out, "  %10u  %8.2f - %.2f\n", p[i], model_lower(g->m, p[i]), model_upper(g->m, p[i]));
    paragraph(g, "", "lower: T1 / (T1/P + 2 x %.2f x burdened span), what a work-stealing scheduler reaches; "
              "upper: min(P, parallelism), what none can exceed. Waiting for locks and the like is not in the "
              "span: where tasks exclude each other, expect less.", SPAN_COEFFICIENT);
}

/* ---- 3) ---- */

static size_t shown_rows(const struct page *g)
{
    return g->o->limit && g->o->limit < g->m->row_count ? g->o->limit : g->m->row_count;
}

static void add_count(struct table *t, uint64_t v)
{
    char b[FORMAT_SIZE];
    table_add(t, format_count(v, b));
}

static void add_cost(const struct page *g, struct table *t, uint64_t cost)
{
    char b[FORMAT_SIZE];
    table_add(t, format_short_cost(g->p, profile_ns(g->p, cost), b));
}

static void add_ratio(struct table *t, double a, double b)
{
    char text[FORMAT_SIZE];
    table_add(t, format_ratio(ratio(a, b), text));
}

/* Function, place, construct: the last columns of every table of sites. */
static void add_place(struct table *t, const struct row *r)
{
    char *function = function_of(r), *place = place_of(r);
    char *construct = format_text("%s%s", r->construct, r->lower_bound ? " *" : "");
    table_add(t, function);
    table_add(t, place);
    table_add(t, construct);
    free(function);
    free(place);
    free(construct);
}

static void finish_sites(const struct page *g, struct table *t)
{
    bool bound = false;
    table_print(t, g->out, g->o->width);
    table_free(t);
    size_t n = shown_rows(g);
    for (size_t i = 0; i < n; i++)
        bound |= g->m->rows[i].lower_bound;
    if (n < g->m->row_count)
        paragraph(g, "", "... %zu more (--all)", g->m->row_count - n);
    if (bound)
        paragraph(g, "", "* the span of this construct is only a lower bound");
}

static void print_sites(const struct page *g)
{
    static const char span[] = "on span", work[] = "on work";
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },
        { "local span", span, TABLE_NUMBER, 1 },
        { "local work", span, TABLE_NUMBER, 9 },
        { "count", span, TABLE_NUMBER, 8 },
        { "work", span, TABLE_NUMBER, 11 },
        { "span", span, TABLE_NUMBER, 12 },
        { "par.", span, TABLE_NUMBER, 10 },
        { "work", work, TABLE_NUMBER, 2 },
        { "span", work, TABLE_NUMBER, 6 },
        { "par.", work, TABLE_NUMBER, 3 },
        { "executions", work, TABLE_NUMBER, 4 },
        { "tasks", work, TABLE_NUMBER, 13 },
        { "steals", work, TABLE_NUMBER, 7 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, "3) Spawn sites");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f", 100 * r->share);
        table_add(t, share);
        add_cost(g, t, r->on_local.span);
        add_cost(g, t, r->on_local.work);
        add_count(t, r->on_local.count);
        add_cost(g, t, r->on_top.work);
        add_cost(g, t, r->on_top.span);
        add_ratio(t, r->on_top.work, r->on_top.span);
        add_cost(g, t, r->top.work);
        add_cost(g, t, r->top.span);
        add_ratio(t, r->top.work, r->top.span);
        add_count(t, r->invocations);
        add_count(t, r->tasks);
        add_count(t, r->steals);
        add_place(t, r);
    }
    finish_sites(g, t);
    paragraph(g, "", "on span: invocations on the critical path only. work, span, par.: of a site's outermost "
              "invocations, with all they spawned; local: without what they spawned. %% span: local span as a "
              "share of the critical path.");
}

/* Cilkprof's figures 2, 7 and 10: one kind of measurement, on work and on span. */
static void print_measure(const struct page *g, const char *title, size_t work_at, size_t span_at)
{
    static const char work[] = "on work", span[] = "on span";
    static const struct table_column columns[] = {
        { "count", work, TABLE_NUMBER, 6 },
        { "T1", work, TABLE_NUMBER, 0 },
        { "Tinf", work, TABLE_NUMBER, 4 },
        { "T1/Tinf", work, TABLE_NUMBER, 1 },
        { "count", span, TABLE_NUMBER, 7 },
        { "T1", span, TABLE_NUMBER, 2 },
        { "Tinf", span, TABLE_NUMBER, 3 },
        { "T1/Tinf", span, TABLE_NUMBER, 5 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, title);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        const struct measure *kinds[] = { (const void *)((const char *)r + work_at),
                                          (const void *)((const char *)r + span_at) };
        for (int k = 0; k < 2; k++) {
            add_count(t, kinds[k]->count);
            add_cost(g, t, kinds[k]->work);
            add_cost(g, t, kinds[k]->span);
            add_ratio(t, kinds[k]->work, kinds[k]->span);
        }
        add_place(t, r);
    }
    finish_sites(g, t);
}

/* The inlined frames behind each site; the one that the tables show is marked. */
static void print_frames(const struct page *g)
{
    heading(g, "Frames of each site, innermost first");
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        bool marked = false;
        for (uint32_t site = r->first; site != LPF_NONE; site = g->m->next_site[site]) {
            char *place = place_of(r), *function = name_fit(r->function, g->o->width / 2);
            paragraph(g, "", "%s %s %s:", function, place, r->construct);
            free(place);
            free(function);
            marked = false;
            for (int a = 0; a < 4 && g->p->sites[site].address[a]; a++) {
                struct frame f[MODEL_FRAMES];
                uint64_t address = g->p->sites[site].address[a];
                size_t n = symbols_lookup(g->m->symbols, address - 1, f, MODEL_FRAMES);
                for (size_t k = 0; k < n; k++) {
                    bool mark = !marked && !f[k].library && !f[k].nameless;
                    marked |= mark;
                    char *name = name_fit(f[k].function, g->o->width - 24);
                    char *file = format_clean(f[k].file ? f[k].file : "");
                    fprintf(g->out, "  %c %#14llx %s\n", mark ? '>' : ' ', (unsigned long long)address, name);
                    format_fit(file, g->o->width - 32);
                    if (*file)
                        fprintf(g->out, "%23s%s:%d\n", "", file, f[k].line);
                    free(name);
                    free(file);
                }
            }
        }
    }
}

/* ---- 4) ---- */

static void print_regions(const struct page *g)
{
    static const struct table_column columns[] = {
        { "count", 0, TABLE_NUMBER, 2 },
        { "work", 0, TABLE_NUMBER, 0 },
        { "span", 0, TABLE_NUMBER, 1 },
        { "parallelism", 0, TABLE_NUMBER, 0 },
        { "burdened span", 0, TABLE_NUMBER, 4 },
        { "burdened par.", 0, TABLE_NUMBER, 3 },
        { "longest", 0, TABLE_NUMBER, 5 },
        { "region", 0, TABLE_TEXT, 0 },
    };
    if (!g->p->region_count)
        return;
    heading(g, "4) Regions");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < g->p->region_count; i++) {
        const struct lpf_region *r = &g->p->regions[i];
        uint64_t burdened = model_burdened(g->p, r->burdened_len_cost, r->burdened_edges);
        if (burdened < r->span_cost)
            burdened = r->span_cost;
        add_count(t, r->count);
        add_cost(g, t, r->work_cost);
        add_cost(g, t, r->span_cost);
        add_ratio(t, r->work_cost, r->span_cost);
        add_cost(g, t, burdened);
        add_ratio(t, r->work_cost, burdened);
        add_cost(g, t, r->max_span_cost);
        table_add(t, profile_string(g->p, r->name));
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
}

void text_print(const struct model *m, const struct options *o, FILE *out)
{
    struct page g = { m, m->profile, &m->profile->totals, o, out };
    bool all = !strcmp(o->measure, "all");
    print_header(&g);
    print_summary(&g);
    print_profile(&g);
    print_notes(&g);
    print_speedup(&g);
    if (all || !strcmp(o->measure, "default"))
        print_sites(&g);
    if (all || !strcmp(o->measure, "top"))
        print_measure(&g, "Top-call-site measurements", offsetof(struct row, top), offsetof(struct row, on_top));
    if (all || !strcmp(o->measure, "topcaller"))
        print_measure(&g, "Top-caller measurements", offsetof(struct row, topcaller),
                      offsetof(struct row, on_topcaller));
    if (all || !strcmp(o->measure, "local"))
        print_measure(&g, "Local measurements", offsetof(struct row, local), offsetof(struct row, on_local));
    if (o->frames)
        print_frames(&g);
    print_regions(&g);
}
