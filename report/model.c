/* model.c - see model.h. */
#include "model.h"
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 64

/* The frame a person means: the first, innermost out, that is their own code. In a stripped program
 * that is the first that has a name, with the address that the site really is. */
static void locate(struct model *m, struct row *r)
{
    struct frame frames[MAX_FRAMES];
    struct frame outermost = { .function = "?" }, nameless = { 0 };
    for (int a = 0; a < 4 && r->address[a]; a++) {
        size_t n = symbols_lookup(m->symbols, r->address[a] - 1, frames, MAX_FRAMES);
        for (size_t i = 0; i < n; i++) {
            if (frames[i].nameless && !nameless.function)
                nameless = frames[i];
            if (!frames[i].program || frames[i].nameless)
                continue;
            r->function = frames[i].function;
            r->code = nameless.function;
            r->file = frames[i].file;
            r->line = frames[i].line;
            return;
        }
        outermost = frames[n - 1];
    }
    if (nameless.function)
        outermost = nameless;
    r->function = outermost.function;
    r->file = outermost.file;
    r->line = outermost.line;
}

static bool same_place(const struct row *a, const struct row *b)
{
    return a->root == b->root && !strcmp(a->construct, b->construct) && a->line == b->line &&
           !strcmp(a->function, b->function) &&
           (a->code == b->code || (a->code && b->code && !strcmp(a->code, b->code))) &&
           (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

static void add_measure(struct measure *to, const struct measure *from)
{
    to->count += from->count;
    to->work += from->work;
    to->span += from->span;
}

static void add_row(struct row *to, const struct row *from)
{
    to->tasks += from->tasks;
    to->invocations += from->invocations;
    to->steals += from->steals;
    add_measure(&to->top, &from->top);
    add_measure(&to->topcaller, &from->topcaller);
    add_measure(&to->local, &from->local);
    add_measure(&to->on_top, &from->on_top);
    add_measure(&to->on_topcaller, &from->on_topcaller);
    add_measure(&to->on_local, &from->on_local);
    to->lower_bound |= from->lower_bound;
}

static void add_context(struct row *r, const struct lpf_context *c)
{
    r->tasks += c->tasks;
    r->invocations += c->invocations;
    r->steals += c->steals;
    add_measure(&r->top, &(struct measure){ c->top_count, c->top_work_cost, c->top_span_cost });
    add_measure(&r->topcaller,
                &(struct measure){ c->topcaller_count, c->topcaller_work_cost, c->topcaller_span_cost });
    add_measure(&r->local,
                &(struct measure){ c->invocations, c->work_local_cost, c->span_local_cost_all });
    add_measure(&r->on_top,
                &(struct measure){ c->on_top_count, c->on_top_work_cost, c->on_top_span_cost });
    add_measure(&r->on_topcaller, &(struct measure){ c->on_topcaller_count, c->on_topcaller_work_cost,
                                                     c->on_topcaller_span_cost });
    add_measure(&r->on_local,
                &(struct measure){ c->on_count, c->on_work_local_cost, c->span_local_cost });
}

static int compare_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = x->root - y->root;
    if (!c)
        c = strcmp(x->function, y->function);
    if (!c)
        c = x->line - y->line;
    if (!c)
        c = strcmp(x->construct, y->construct);
    if (!c)
        c = strcmp(x->code ? x->code : "", y->code ? y->code : "");
    if (!c)
        c = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    return c;
}

static void merge_rows(struct model *m)
{
    qsort(m->rows, m->row_count, sizeof m->rows[0], compare_place);
    size_t used = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        if (used && same_place(&m->rows[used - 1], &m->rows[i]))
            add_row(&m->rows[used - 1], &m->rows[i]);
        else
            m->rows[used++] = m->rows[i];
    }
    m->row_count = used;
}

int model_new(struct model *m, const struct profile *p, bool raw)
{
    const struct lpf_totals *t = &p->totals;
    memset(m, 0, sizeof *m);
    m->profile = p;
    m->symbols = symbols_new(p);
    m->rows = calloc(p->site_count + 1, sizeof m->rows[0]);
    if (!m->symbols || !m->rows)
        return -1;
    for (size_t i = 0; i < p->site_count; i++) {
        struct row *r = &m->rows[i];
        memcpy(r->address, p->sites[i].address, sizeof r->address);
        r->construct = profile_string(p, p->sites[i].construct);
        r->runtime = profile_string(p, p->sites[i].runtime);
        r->lower_bound = p->sites[i].flags & LPF_SITE_LOWER_BOUND;
        locate(m, r);
    }
    for (size_t i = 0; i < p->context_count; i++)
        add_context(&m->rows[p->contexts[i].site], &p->contexts[i]);
    m->row_count = p->site_count + 1;
    struct row *root = &m->rows[p->site_count];
    root->root = true;
    root->function = "(outside every task)";
    root->construct = root->runtime = "";
    root->invocations = 1;
    root->top = root->on_top = (struct measure){ 1, t->work_cost, t->span_cost };
    root->topcaller = root->on_topcaller = root->top;
    root->local = (struct measure){ 1, t->root_work_cost, t->root_span_cost };
    root->on_local = root->local;
    if (!raw)
        merge_rows(m);
    for (size_t i = 0; i < m->row_count; i++)
        m->rows[i].share = ratio(m->rows[i].on_local.span, t->span_cost);
    m->work = profile_ns(p, t->work_cost);
    m->span = profile_ns(p, t->span_cost);
    m->burden = profile_ns(p, t->burden_cost);
    m->burdened_span = profile_ns(p, t->burdened_len_cost) + m->burden * t->burdened_edges;
    m->parallelism = ratio(m->work, m->span);
    m->burdened_parallelism = ratio(m->work, m->burdened_span);
    m->average_strand = m->work / (1 + 2.0 * t->spawns + t->syncs);
    return model_sort(m, "span");
}

void model_free(struct model *m)
{
    symbols_free(m->symbols);
    free(m->rows);
    memset(m, 0, sizeof *m);
}

double model_upper(const struct model *m, unsigned p)
{
    return m->parallelism && m->parallelism < p ? m->parallelism : p;
}

double model_lower(const struct model *m, unsigned p)
{
    return ratio(m->work, m->work / p + 2 * SPAN_COEFFICIENT * m->burdened_span);
}

unsigned model_processors(const struct model *m, unsigned *p, unsigned capacity)
{
    unsigned n = 0;
    for (unsigned v = 2; v <= 1024 && n < capacity; v *= 2) {
        p[n++] = v;
        if (v >= 32 && v > 4 * m->parallelism)
            break;
    }
    return n;
}

static double key_span(const struct row *r) { return r->on_local.span; }
static double key_work(const struct row *r) { return r->top.work; }
static double key_local_work(const struct row *r) { return r->local.work; }
static double key_count(const struct row *r) { return r->invocations; }
static double key_tasks(const struct row *r) { return r->tasks; }
static double key_steals(const struct row *r) { return r->steals; }
static double key_parallelism(const struct row *r) { return ratio(r->top.work, r->top.span); }
static double key_topcaller(const struct row *r) { return r->topcaller.work; }
static double key_on_count(const struct row *r) { return r->on_local.count; }

static const struct { const char *name; double (*value)(const struct row *); } keys[] = {
    { "span", key_span }, { "work", key_work }, { "local", key_local_work }, { "count", key_count },
    { "tasks", key_tasks }, { "steals", key_steals }, { "parallelism", key_parallelism },
    { "topcaller", key_topcaller }, { "on-count", key_on_count }, { "name", 0 },
};

const char *model_sort_keys(void)
{
    return "span, work, local, count, tasks, steals, parallelism, topcaller, on-count, name";
}

static double (*sort_value)(const struct row *);

static int compare_rows(const void *a, const void *b)
{
    if (!sort_value)
        return compare_place(a, b);
    double x = sort_value(a), y = sort_value(b);
    return x < y ? 1 : x > y ? -1 : compare_place(a, b);
}

int model_sort(struct model *m, const char *key)
{
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strcmp(key, keys[i].name)) {
            sort_value = keys[i].value;
            qsort(m->rows, m->row_count, sizeof m->rows[0], compare_rows);
            return 0;
        }
    return -1;
}
