/* text.c - the report for people. Widths follow the terminal; everything that came from a file is
 * cleaned of control characters before it is printed.
 */
#include <string.h>
#include <time.h>
#include "report.h"

/* 1.23 s, 45.6 ms, ...; other units as grouped numbers. */
static const char *quantity(const struct profile *p, double v, char buffer[32])
{
    if (!p->totals.ns_num || !strcmp(profile_string(p, p->totals.clock), "virtual"))
        snprintf(buffer, 32, "%.0f", v);
    else if (v >= 1e9)
        snprintf(buffer, 32, "%.3f s", v / 1e9);
    else if (v >= 1e6)
        snprintf(buffer, 32, "%.3f ms", v / 1e6);
    else if (v >= 1e3)
        snprintf(buffer, 32, "%.3f us", v / 1e3);
    else
        snprintf(buffer, 32, "%.1f ns", v);
    return buffer;
}

static const char *count(uint64_t v, char buffer[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), o = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            buffer[o++] = ',';
        buffer[o++] = digits[i];
    }
    buffer[o] = 0;
    return buffer;
}

static const char *decimal(double v, char buffer[32])
{
    if (v <= 0)
        return "-";
    snprintf(buffer, 32, v < 100 ? "%.2f" : v < 10000 ? "%.1f" : "%.0f", v);
    return buffer;
}

/* TEXT, clean, at most WIDTH columns: the middle goes first, the ends tell most. */
static void put_text(FILE *out, const char *text, int width)
{
    int n = strlen(text);
    for (int i = 0; i < n; i++) {
        if (n > width && width > 5 && i == width / 2 - 1) {
            fputs("..", out);
            i = n - (width - width / 2 - 1);
        }
        unsigned char c = text[i];
        fputc(c < 32 || c == 127 ? '?' : c, out);
    }
}

/* A C++ name without its parameters and, when that is still long, without template arguments:
 * what tells functions apart stands at the front. */
static void short_name(const char *name, char *to, size_t size, int width)
{
    size_t n = 0;
    int depth = 0;
    bool keep_templates = (int)strlen(name) <= width;
    for (const char *c = name; *c && n + 1 < size; c++) {
        bool op = c - name >= 8 && !strncmp(c - 8, "operator", 8);
        if (*c == '(' && !op && strncmp(c, "(anonymous", 10) && !keep_templates) {
            /* goes on after the parameters: f(int)::{lambda()#1} */
            for (int open = 0; *c; c++) {
                open += (*c == '(') - (*c == ')');
                if (!open)
                    break;
            }
            if (!*c)
                break;
            continue;
        }
        if (!keep_templates && *c == '<' && !op)
            depth++;
        if (!depth)
            to[n++] = *c;
        if (!keep_templates && *c == '>' && depth)
            depth--;
    }
    to[n] = 0;
}

static void heading(const struct options *o, FILE *out, const char *text)
{
    fprintf(out, o->color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static void line(FILE *out, const char *name, const char *value)
{
    fprintf(out, "  %-24s %s\n", name, value);
}

static void print_header(const struct model *m, FILE *out)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    char b[32], when[64] = "";
    time_t start = t->start_unix_ns / 1000000000u;
    struct tm tm;
    if (localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    fputs("libprof: ", out);
    put_text(out, profile_string(p, t->cmdline), 200);
    fprintf(out, "\n  %s, pid %u, %u worker%s, %s elapsed, clock %s", when, t->pid, t->workers,
            t->workers == 1 ? "" : "s", quantity(p, t->elapsed_ns, b), profile_string(p, t->clock));
    if (*profile_setting(p, "clock"))
        fprintf(out, " (%s)", profile_setting(p, "clock"));
    fputc('\n', out);
    if (p->flags & LPF_F_CHECKPOINT)
        fputs("  CHECKPOINT: the program had not ended; on-span figures are of the main strand's last join\n", out);
    if (p->flags & LPF_F_CRASHED)
        fputs("  The program was aborted; figures are up to that moment\n", out);
}

static const struct row *heaviest_on_span(const struct model *m)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!best || m->rows[i].on_local.span > best->on_local.span)
            best = &m->rows[i];
    return best;
}

/* One paragraph: what limits this program. */
static void print_summary(const struct model *m, const struct options *o, FILE *out)
{
    const struct lpf_totals *t = &m->profile->totals;
    if (!t->span_cost)
        return;
    heading(o, out, "What limits it");
    unsigned p = t->workers ? t->workers : 1;
    if (m->parallelism < 1.05)
        fputs("  It is serial: work and span are nearly the same.\n", out);
    else if (m->parallelism < 10.0 * p)
        fprintf(out, "  Parallelism %.1f is less than ten times its %u worker%s: more cores will soon not help.\n",
                m->parallelism, p, p == 1 ? "" : "s");
    else
        fprintf(out, "  Parallelism %.1f is ample for %u worker%s (more than ten times as much).\n", m->parallelism,
                p, p == 1 ? "" : "s");
    if (m->burdened_parallelism * 2 < m->parallelism)
        fprintf(out, "  With the cost of steals only %.1f is left: the tasks are too small to be worth stealing.\n",
                m->burdened_parallelism);
    const struct row *r = heaviest_on_span(m);
    fprintf(out, "  %.1f %% of the critical path is in ", 100 * r->share);
    if (r->root) {
        fputs("serial code outside every task.\n", out);
    } else {
        char name[4096];
        short_name(r->function, name, sizeof name, 40);
        fprintf(out, "tasks of %s at ", r->construct);
        put_text(out, name, o->width - 40 > 30 ? o->width - 40 : 30);
        if (r->file)
            fprintf(out, " (%s:%d)", strrchr(r->file, '/') ? strrchr(r->file, '/') + 1 : r->file, r->line);
        fputs(".\n", out);
    }
}

static void print_profile(const struct model *m, const struct options *o, FILE *out)
{
    static const char *const source[] = { "default: no steals to measure", "as set", "median of steals of this run" };
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    char b[32];
    heading(o, out, "1) Parallelism profile");
    line(out, "Work", quantity(p, m->work, b));
    line(out, t->exact ? "Span" : "Span (LOWER BOUND)", quantity(p, m->span, b));
    line(out, "Burdened span", quantity(p, m->burdened_span, b));
    line(out, "Parallelism", decimal(m->parallelism, b));
    line(out, "Burdened parallelism", decimal(m->burdened_parallelism, b));
    line(out, "Spawns", count(t->spawns, b));
    line(out, "Syncs", count(t->syncs, b));
    line(out, "Average maximal strand", quantity(p, m->average_strand, b));
    line(out, "Tasks", count(t->tasks, b));
    line(out, "Steals", count(t->steals, b));
    fprintf(out, "  %-24s %s (%s", "Burden of a steal", quantity(p, m->burden, b),
            source[t->burden_source < 3 ? t->burden_source : 0]);
    if (t->burden_source == LPF_BURDEN_MEASURED)
        fprintf(out, ": %s", count(t->burden_steals, b));
    fputs(")\n", out);
    char unit[32];
    snprintf(unit, sizeof unit, "%.3f ms", t->idle_ns / 1e6);
    fprintf(out, "  %-24s %s of %u x %.3f ms\n", "Idle", unit, t->workers, t->elapsed_ns / 1e6);
    snprintf(unit, sizeof unit, "%.3f ms (estimated)", t->own_ns / 1e6);
    line(out, "libprof's own time", unit);
    bool is_virtual = !strcmp(profile_string(p, t->clock), "virtual");
    double limit = t->ns_num ? SHORT_STRAND_NS : SHORT_STRAND_INSTRUCTIONS;
    if (!is_virtual && t->spawns && m->average_strand < limit)
        fprintf(out, "  ! The average maximal strand is below %d instructions%s: spawning costs more than is\n"
                     "    sensible. Stop the recursion earlier, or make the grain larger.\n",
                SHORT_STRAND_INSTRUCTIONS, t->ns_num ? " (167 ns at 3 a ns)" : "");
}

static void print_notes(const struct model *m, const struct options *o, FILE *out)
{
    const struct profile *p = m->profile;
    static const char *const title[] = { "", "LOWER BOUND", "lost", "note" };
    if (p->note_count)
        heading(o, out, "Notes");
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        char b[32];
        fprintf(out, "  %s: ", title[n->kind < 4 ? n->kind : 0]);
        put_text(out, profile_string(p, n->name), 60);
        fprintf(out, " (%s): ", count(n->count, b));
        put_text(out, profile_string(p, n->text), 300);
        fputc('\n', out);
    }
}

static void print_speedup(const struct model *m, const struct options *o, FILE *out)
{
    unsigned p[16], n = model_processors(m, p, 16);
    if (!m->profile->totals.span_cost)
        return;
    heading(o, out, "2) Speedup estimate (lower: burdened span; upper: work and span laws)");
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "  %5u processors  %8.2f - %.2f\n", p[i], model_lower(m, p[i]), model_upper(m, p[i]));
}

static void place(const struct row *r, FILE *out, int width)
{
    char name[4096];
    char at[512] = "";
    if (r->file) {
        const char *base = strrchr(r->file, '/');
        snprintf(at, sizeof at, "%s:%d", base ? base + 1 : r->file, r->line);
    } else if (r->code) {
        snprintf(at, sizeof at, "%s", r->code);
    }
    int need = strlen(at) + (r->construct[0] ? strlen(r->construct) + 1 : 0);
    int room = width - need - 2 > 12 ? width - need - 2 : 12;
    short_name(r->function, name, sizeof name, room);
    put_text(out, name, room);
    if (*at) {
        fputc(' ', out);
        put_text(out, at, 60);
    }
    if (r->construct[0]) {
        fputc(' ', out);
        put_text(out, r->construct, 40);
    }
    fputc('\n', out);
}

static void print_sites(const struct model *m, const struct options *o, FILE *out)
{
    const struct profile *p = m->profile;
    char b[8][32];
    heading(o, out, "3) Spawn sites (local span on the critical path; work and span of non-recursive invocations)");
    fprintf(out, "%7s %10s %12s %11s %10s %9s %11s  %s\n", "% span", "local span", "work", "span", "par.",
            "steals", "executions", "site");
    size_t n = o->limit && o->limit < m->row_count ? o->limit : m->row_count;
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &m->rows[i];
        fprintf(out, "%6.1f%% %10s %12s %11s %10s %9s %11s  ", 100 * r->share,
                quantity(p, profile_ns(p, r->on_local.span), b[0]), quantity(p, profile_ns(p, r->top.work), b[1]),
                quantity(p, profile_ns(p, r->top.span), b[2]), decimal(ratio(r->top.work, r->top.span), b[3]),
                count(r->steals, b[4]), count(r->invocations, b[5]));
        place(r, out, o->width - 79);
    }
    if (n < m->row_count)
        fprintf(out, "  ... %zu more (--all)\n", m->row_count - n);
}

/* Cilkprof's figures 7 and 10: one kind of measurement, on work and on span. */
static void print_measure(const struct model *m, const struct options *o, FILE *out, const char *title,
                          size_t work_at, size_t span_at)
{
    const struct profile *p = m->profile;
    char b[8][32];
    heading(o, out, title);
    fprintf(out, "%10s %11s %11s %9s | %9s %11s %11s %9s  %s\n", "count", "T1 on work", "Tinf", "T1/Tinf",
            "count", "T1 on span", "Tinf", "T1/Tinf", "site");
    size_t n = o->limit && o->limit < m->row_count ? o->limit : m->row_count;
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &m->rows[i];
        const struct measure *w = (const void *)((const char *)r + work_at);
        const struct measure *s = (const void *)((const char *)r + span_at);
        fprintf(out, "%10s %11s %11s %9s | %9s %11s %11s %9s  ", count(w->count, b[0]),
                quantity(p, profile_ns(p, w->work), b[1]), quantity(p, profile_ns(p, w->span), b[2]),
                decimal(ratio(w->work, w->span), b[3]), count(s->count, b[4]),
                quantity(p, profile_ns(p, s->work), b[5]), quantity(p, profile_ns(p, s->span), b[6]),
                decimal(ratio(s->work, s->span), b[7]));
        place(r, out, o->width - 92);
    }
}

static void print_frames(struct model *m, const struct options *o, FILE *out)
{
    heading(o, out, "Frames of each site, innermost first");
    for (size_t i = 0; i < m->row_count; i++)
        for (int a = 0; a < 4 && m->rows[i].address[a]; a++) {
            struct frame f[64];
            size_t n = symbols_lookup(m->symbols, m->rows[i].address[a] - 1, f, 64);
            for (size_t k = 0; k < n; k++) {
                fprintf(out, "  %3zu %#14llx %c ", i + 1, (unsigned long long)m->rows[i].address[a],
                        f[k].program ? '*' : ' ');
                put_text(out, f[k].function, 110);
                fprintf(out, " %s:%d\n", f[k].file ? f[k].file : "?", f[k].line);
            }
        }
}

static void print_regions(const struct model *m, const struct options *o, FILE *out)
{
    const struct profile *p = m->profile;
    char b[8][32];
    if (!p->region_count)
        return;
    heading(o, out, "4) Regions");
    fprintf(out, "%10s %12s %12s %9s %12s  %s\n", "count", "work", "span", "par.", "burd. par.", "region");
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        double burdened = profile_ns(p, r->burdened_len_cost) + m->burden * r->burdened_edges;
        fprintf(out, "%10s %12s %12s %9s %12s  ", count(r->count, b[0]),
                quantity(p, profile_ns(p, r->work_cost), b[1]), quantity(p, profile_ns(p, r->span_cost), b[2]),
                decimal(ratio(r->work_cost, r->span_cost), b[3]),
                decimal(ratio(profile_ns(p, r->work_cost), burdened), b[4]));
        put_text(out, profile_string(p, r->name), 60);
        fputc('\n', out);
    }
}

void text_print(struct model *m, const struct options *o, FILE *out)
{
    print_header(m, out);
    print_summary(m, o, out);
    print_profile(m, o, out);
    print_notes(m, o, out);
    print_speedup(m, o, out);
    bool all = !strcmp(o->measure, "all");
    if (all || !strcmp(o->measure, "default"))
        print_sites(m, o, out);
    if (all || !strcmp(o->measure, "top"))
        print_measure(m, o, out, "Top-call-site measurements", offsetof(struct row, top), offsetof(struct row, on_top));
    if (all || !strcmp(o->measure, "topcaller"))
        print_measure(m, o, out, "Top-caller measurements", offsetof(struct row, topcaller),
                      offsetof(struct row, on_topcaller));
    if (all || !strcmp(o->measure, "local"))
        print_measure(m, o, out, "Local measurements", offsetof(struct row, local), offsetof(struct row, on_local));
    if (o->frames)
        print_frames(m, o, out);
    print_regions(m, o, out);
}
