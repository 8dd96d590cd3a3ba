/* summary_rows.c - one row a spawn site: where it is in the program, and the sums of its contexts.
 * See summary.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/site_tasks.h"
#include "analysis/summary_private.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/symbols.h"

/* Is libprof at ADDRESS? It stands in the runtime's place where the program jumped to it. */
static bool is_libprof(const struct profile *p, uint64_t address)
{
    for (size_t i = 0; i < p->module_count; i++)
        if (p->modules[i].flags & LPF_MODULE_LIBPROF && address >= p->modules[i].start &&
            address < p->modules[i].end)
            return true;
    return false;
}

/* C's frames, then those of the strands that led to it: *CHOSEN becomes the first that is the
 * program's, innermost out. */
static bool locate_above(struct summary *m, const struct lpf_context *c, struct frame *chosen,
                         uint64_t *at)
{
    const struct profile *p = m->profile;
    struct frame frames[INLINED_MOST];
    for (uint32_t i = c && c->node < p->node_count ? c->node : 0; i; i = p->nodes[i].parent) {
        const struct lpf_node *n = &p->nodes[i];
        *at = n->address - 1;
        if (n->kind != LPF_NODE_FRAME || is_libprof(p, *at) ||
            module_is_system(symbols_module(m->symbols, *at)))
            continue;
        size_t count = symbols_lookup(m->symbols, *at, frames, INLINED_MOST);
        for (size_t k = 0; k < count; k++)
            if (!frames[k].nameless && !symbols_library(&frames[k])) {
                *chosen = frames[k];
                return true;
            }
    }
    return false;
}

/* The frame a person means: the first, innermost out, that is their own code. In a stripped program
 * that is the first of the same module that has a name (main's caller in libc shows nothing); code
 * shows which of its callees the site really is. A flow graph's body is the program's function
 * object, not the header's function that calls it. Where all frames of the site are a header's, the
 * program's function stands further out, on the path of C, a context of the site's. */
static void locate(struct summary *m, struct row *r, const struct lpf_site *site,
                   const struct lpf_context *c)
{
    struct frame frames[INLINED_MOST], chosen = { 0 }, nameless = { 0 },
                                       outermost = { .function = "?" };
    uint64_t at = 0;
    const char *module = 0;     /* of the first nameless frame */
    if (site->address[0] && symbols_body(m->symbols, site->address[0] - 1, &chosen))
        at = site->address[0] - 1;
    if (!strcmp(r->runtime, "openmp") && !r->wait) {
        uint64_t call = site->address[is_libprof(m->profile, site->address[0] - 1)];
        if (call && symbols_construct(m->symbols, call, &chosen))
            at = call - 1;
    }
    for (int a = 0; a < 4 && site->address[a] && !chosen.function; a++) {
        if (module && symbols_module(m->symbols, site->address[a] - 1) != module)
            break;
        at = site->address[a] - 1;
        size_t n = symbols_lookup(m->symbols, at, frames, INLINED_MOST);
        outermost = frames[n - 1];
        if (is_libprof(m->profile, at))
            continue;
        for (size_t i = 0; i < n && !chosen.function; i++) {
            if (frames[i].nameless && !nameless.function) {
                nameless = frames[i];
                module = symbols_module(m->symbols, at);
            } else if (!frames[i].nameless && !symbols_library(&frames[i]))
                chosen = frames[i];
        }
    }
    uint64_t above;
    if (!chosen.function && !nameless.function && locate_above(m, c, &chosen, &above))
        at = above;
    if (!chosen.function)
        chosen = nameless.function ? nameless : outermost;
    r->function = chosen.function;
    r->plain = symbols_plain(m->symbols, r->function);
    r->file = chosen.file;
    r->line = chosen.line;
    r->offset = chosen.offset;
    r->module = symbols_module(m->symbols, at);
    r->code = nameless.function ? nameless.function
              : chosen.file     ? 0
                                : symbols_code(m->symbols, at);
}

static void add_measure(struct measure *to, const struct measure *from)
{
    add_capped(&to->count, from->count);
    add_capped(&to->work, from->work);
    add_capped(&to->span, from->span);
}

static void add_row(struct row *to, const struct row *from)
{
    add_capped(&to->tasks, from->tasks);
    add_capped(&to->spawned, from->spawned);
    add_capped(&to->parts, from->parts);
    add_capped(&to->invocations, from->invocations);
    add_capped(&to->steals, from->steals);
    add_measure(&to->top, &from->top);
    add_measure(&to->topcaller, &from->topcaller);
    add_measure(&to->local, &from->local);
    add_measure(&to->on_top, &from->on_top);
    add_measure(&to->on_topcaller, &from->on_topcaller);
    add_measure(&to->on_local, &from->on_local);
    to->lower_bound |= from->lower_bound;
    to->took_others |= from->took_others;
    to->recursive |= from->recursive;
    to->as_executed |= from->as_executed;
}

static void add_context(struct row *r, const struct lpf_context *c)
{
    add_capped(&r->tasks, c->tasks);
    add_capped(&r->invocations, c->invocations);
    add_capped(&r->steals, c->steals);
    r->recursive |= c->tasks && !c->top_count;
    add_measure(&r->top, &(struct measure){ c->top_count, c->top_work_cost, c->top_span_cost });
    add_measure(&r->topcaller, &(struct measure){ c->topcaller_count, c->topcaller_work_cost,
                                                  c->topcaller_span_cost });
    add_measure(&r->local,
                &(struct measure){ c->invocations, c->work_local_cost, c->span_local_cost_all });
    add_measure(&r->on_top,
                &(struct measure){ c->on_top_count, c->on_top_work_cost, c->on_top_span_cost });
    add_measure(&r->on_topcaller,
                &(struct measure){ c->on_topcaller_count, c->on_topcaller_work_cost,
                                   c->on_topcaller_span_cost });
    add_measure(&r->on_local,
                &(struct measure){ c->on_count, c->on_work_local_cost, c->span_local_cost });
}

static int compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a ? a : "", b ? b : "");
}

/* Total: rows that are the same place compare equal, and an order never depends on the run. */
static int compare_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = x->root - y->root;
    if (!c)
        c = strcmp(x->function, y->function);
    if (!c)
        c = compare_text(x->file, y->file);
    if (!c)
        c = (x->line > y->line) - (x->line < y->line);
    if (!c)
        c = compare_text(x->code, y->code);
    if (!c)
        c = strcmp(x->construct, y->construct);
    if (!c)
        c = strcmp(x->runtime, y->runtime);
    if (!c)
        c = (x->mpi > y->mpi) - (x->mpi < y->mpi);
    return c;
}

static int compare_sites(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = compare_place(x, y);
    return c ? c : (x->first > y->first) - (x->first < y->first);
}

static void merge_rows(struct summary *m)
{
    qsort(m->rows, m->row_count, sizeof m->rows[0], compare_sites);
    size_t used = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        struct row *last = used ? &m->rows[used - 1] : 0, *r = &m->rows[i];
        if (last && !compare_place(last, r)) {
            add_row(last, r);
            m->next_site[last->last] = r->first;
            last->last = r->last;
        } else {
            m->rows[used++] = *r;
        }
    }
    m->row_count = used;
}

static int compare_waits(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = (x->top.work < y->top.work) - (x->top.work > y->top.work);
    return c ? c : compare_sites(x, y);
}

/* Does R only mark the body of a serial filter? */
static bool is_mark(const struct summary *m, const struct row *r)
{
    return !r->root && m->profile->sites[r->first].flags & LPF_SITE_SERIAL;
}

/* Is R what of the critical path is in other ranks, and none is? Or calls of MPI that turned out to
 * be for something else? */
static bool is_nothing(const struct summary *m, const struct row *r)
{
    return (!r->root && m->profile->sites[r->first].flags & LPF_SITE_ELSEWHERE &&
            !r->on_local.span) ||
           (r->mpi && !r->top.work);
}

static void split_waits(struct summary *m)
{
    size_t kept = 0;
    m->waits = format_memory(calloc(m->row_count, sizeof m->waits[0]));
    m->calls = format_memory(calloc(m->row_count, sizeof m->calls[0]));
    for (size_t i = 0; i < m->row_count; i++)
        if (is_mark(m, &m->rows[i]) || is_nothing(m, &m->rows[i]))
            continue;
        else if (m->rows[i].mpi)
            m->calls[m->call_count++] = m->rows[i];
        else if (m->rows[i].wait)
            m->waits[m->wait_count++] = m->rows[i];
        else
            m->rows[kept++] = m->rows[i];
    m->row_count = kept;
    qsort(m->waits, m->wait_count, sizeof m->waits[0], compare_waits);
    qsort(m->calls, m->call_count, sizeof m->calls[0], compare_waits);
}

/* The row of each site, plus 1; 0: none. The caller frees it. */
static size_t *rows_of_sites(const struct summary *m)
{
    size_t *row_of = format_memory(calloc(m->profile->site_count + 1, sizeof *row_of));
    for (size_t i = 0; i < m->row_count; i++)
        for (uint32_t s = m->rows[i].first; s != LPF_NONE; s = m->next_site[s])
            row_of[s] = i + 1;
    return row_of;
}

static void take_from(struct measure *from, uint64_t count, uint64_t work, uint64_t span)
{
    from->count -= count < from->count ? count : from->count;
    from->work -= work < from->work ? work : from->work;
    from->span -= span < from->span ? span : from->span;
}

/* So many contexts above one are looked at: those of a hostile file may be a circle. */
#define LEVELS_MOST 1024

/* Is context C inside another site of row ROW, whose sites ROW_OF has? */
static bool inside(const struct profile *p, const struct lpf_context *c, const size_t *row_of,
                   size_t row)
{
    uint32_t up = c->parent;
    for (unsigned i = 0; i < LEVELS_MOST && up < p->context_count;
         i++, up = p->contexts[up].parent)
        if (p->contexts[up].site != c->site && row_of[p->contexts[up].site] == row)
            return true;
    return false;
}

/* A context that is the outermost of its site may be inside another site of its row: a compiler
 * copied the line. The row's outermost invocations have its work already. */
static void drop_nested(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m);
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        size_t at = row_of[c->site];
        struct row *r = at ? &m->rows[at - 1] : 0;
        if (!r || r->first == r->last || !c->top_count || !inside(p, c, row_of, at))
            continue;
        take_from(&r->top, c->top_count, c->top_work_cost, c->top_span_cost);
        take_from(&r->topcaller, c->topcaller_count, c->topcaller_work_cost,
                  c->topcaller_span_cost);
        take_from(&r->on_top, c->on_top_count, c->on_top_work_cost, c->on_top_span_cost);
        take_from(&r->on_topcaller, c->on_topcaller_count, c->on_topcaller_work_cost,
                  c->on_topcaller_span_cost);
    }
    free(row_of);
}

/* Of several contexts the threads that executed them, and the busiest of each, may be different
 * ones: what is known of the row is the least that can be. */
static void add_spreads(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m);
    uint64_t *most = format_memory(calloc(m->row_count + 1, sizeof *most));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->spread_count; i++) {
            const struct lpf_spread *s = &p->spreads[i];
            size_t at = row_of[p->contexts[s->context].site];
            if (!at)
                continue;
            struct row *r = &m->rows[at - 1];
            if (!pass) {
                r->longest = s->longest_cost > r->longest ? s->longest_cost : r->longest;
                r->threads = s->threads > r->threads ? s->threads : r->threads;
                if (s->busiest_work_cost > most[at - 1]) {
                    most[at - 1] = s->busiest_work_cost;
                    r->busiest_tid = s->busiest_tid;
                }
            } else if (s->busiest_tid == r->busiest_tid) {
                add_capped(&r->busiest_work, s->busiest_work_cost);
                add_capped(&r->busiest_tasks, s->busiest_tasks);
            }
        }
    free(row_of);
    free(most);
}

static void add_outliers(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m);
    for (size_t i = 0; i < p->outlier_count; i++) {
        const struct lpf_outliers *o = &p->outliers[i];
        size_t at = row_of[p->contexts[o->context].site];
        if (!at)
            continue;
        struct row *r = &m->rows[at - 1];
        if (r->outliers.longest < o->longest_cost)
            r->outliers.longest = o->longest_cost;
        add_capped(&r->outliers.parts, o->parts);
        add_capped(&r->outliers.count, o->outliers);
        add_capped(&r->outliers.excess, o->excess_cost);
    }
    free(row_of);
}

static void add_chunks_to(struct cut *to, const struct lpf_chunks *c)
{
    add_capped(&to->by_runtime, c->by_runtime);
    add_capped(&to->by_program, c->by_program);
    if (c->flags & LPF_CHUNKS_SIZED)
        add_capped(&to->sized, c->by_runtime);
}

static void add_chunks(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m), root = 0;
    while (!m->rows[root].root)
        root++;
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct lpf_chunks *c = &p->chunks[i];
        size_t at = c->context == LPF_NONE ? root + 1 : row_of[p->contexts[c->context].site];
        add_chunks_to(&m->cut, c);
        if (at)
            add_chunks_to(&m->rows[at - 1].cut, c);
    }
    free(row_of);
}

static void add_teams_of_one(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m);
    for (size_t i = 0; i < p->team_of_one_count; i++) {
        const struct lpf_team_of_one *o = &p->teams_of_one[i];
        size_t at = row_of[p->contexts[o->context].site];
        if (!at)
            continue;
        add_capped(&m->rows[at - 1].of_one.executions, o->executions);
        add_capped(&m->rows[at - 1].of_one.work, o->work_cost);
    }
    free(row_of);
}

static void add_handed(struct summary *m)
{
    const struct profile *p = m->profile;
    size_t *row_of = rows_of_sites(m);
    for (size_t i = 0; i < p->handed_count; i++) {
        const struct lpf_handed *h = &p->handed[i];
        size_t at = row_of[p->contexts[h->context].site];
        if (!at)
            continue;
        struct row *r = &m->rows[at - 1];
        add_capped(&r->handed.chunks, h->chunks);
        add_capped(&r->handed.work, h->work_cost);
        r->handed.longest = h->longest_cost > r->handed.longest ? h->longest_cost
                                                                : r->handed.longest;
    }
    free(row_of);
}

/* Tasks of the site around it execute clang's functions: the program's function is that of the
 * nearest such site whose name has one. The rows are still those of the sites. */
static void find_origins(struct summary *m, const struct lpf_context *const *context)
{
    const struct profile *p = m->profile;
    for (size_t i = 0; i < p->site_count; i++) {
        const struct lpf_context *c = context[i];
        const char *name = m->rows[i].plain;
        for (unsigned n = 0; n < LEVELS_MOST && c && name_lacks_origin(name); n++) {
            c = c->parent < p->context_count ? &p->contexts[c->parent] : 0;
            if (c)
                name = m->rows[c->site].plain;
        }
        if (name != m->rows[i].plain && !name_lacks_origin(name))
            m->rows[i].origin = name;
    }
}

/* The regions whose threads start regions, by site. Those of one thread follow each other, as the
 * threads shared the loop around them. */
static bool *nesting_sites(const struct profile *p)
{
    bool *nests = format_memory(calloc(p->site_count + 1, sizeof *nests));
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        if (c->parent >= p->context_count)
            continue;
        uint32_t around = p->contexts[c->parent].site;
        nests[around] |= around != c->site &&
                         p->sites[around].flags & p->sites[c->site].flags & LPF_SITE_AS_EXECUTED;
    }
    return nests;
}

/* Row I, of the profile's site I, which CONTEXT is one of. */
static void make_row(struct summary *m, size_t i, const struct lpf_context *context)
{
    const struct profile *p = m->profile;
    const struct lpf_site *site = &p->sites[i];
    struct row *r = &m->rows[i];
    r->first = r->last = i;
    m->next_site[i] = LPF_NONE;
    r->construct = profile_string(p, site->construct);
    r->runtime = profile_string(p, site->runtime);
    r->lower_bound = site->flags & LPF_SITE_LOWER_BOUND;
    r->took_others = site->flags & LPF_SITE_TOOK_OTHERS;
    r->as_executed = site->flags & LPF_SITE_AS_EXECUTED;
    r->wait = site->flags & LPF_SITE_WAIT;
    r->in_order = site->flags & LPF_SITE_IN_ORDER;
    r->mpi = site->flags & LPF_SITE_MPI;
    locate(m, r, site, context);
    if (site->flags & LPF_SITE_ELSEWHERE) {
        r->function = r->plain = p->rank_count > 1 ? "(in ranks not known)" : "(in other ranks)";
        r->file = r->code = r->module = 0;
    }
}

/* The last row: the code that is in no task. */
static void make_root_row(const struct profile *p, struct row *root)
{
    const struct lpf_totals *t = &p->totals;
    root->root = true;
    root->first = root->last = LPF_NONE;
    root->function = root->plain = "(outside every task)";
    root->construct = root->runtime = "";
    root->invocations = p->input_count && p->inputs[0].mode == LPF_MERGE_RUNS ? p->input_count : 1;
    root->top = (struct measure){ root->invocations, t->work_cost, t->span_cost };
    root->topcaller = root->on_top = root->on_topcaller = root->top;
    root->local = root->on_local = (struct measure){ root->invocations, t->root_work_cost,
                                                     t->root_span_cost };
}

void summary_make_rows(struct summary *m, bool raw)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    m->row_count = p->site_count + 1;
    m->rows = format_memory(calloc(m->row_count, sizeof m->rows[0]));
    m->next_site = format_memory(malloc((p->site_count + 1) * sizeof m->next_site[0]));
    const struct lpf_context **context = format_memory(
        calloc(p->site_count + 1, sizeof *context));     /* the first of each site */
    for (size_t i = p->context_count; i-- > 0;)
        context[p->contexts[i].site] = &p->contexts[i];
    for (size_t i = 0; i < p->site_count; i++)
        make_row(m, i, context[i]);
    find_origins(m, context);
    free(context);
    uint64_t *parts = site_tasks_of(p);
    for (size_t i = 0; i < p->context_count; i++) {
        add_context(&m->rows[p->contexts[i].site], &p->contexts[i]);
        add_capped(&m->rows[p->contexts[i].site].parts, parts[i]);
        uint32_t parent = p->contexts[i].parent;
        add_capped(&m->rows[parent < p->context_count ? p->contexts[parent].site : p->site_count]
                        .spawned, p->contexts[i].tasks);
    }
    free(parts);
    bool *nests = nesting_sites(p);
    for (size_t i = 0; i < p->site_count; i++) {
        struct row *r = &m->rows[i];    /* small chunks, or tasks, have shown what there is */
        if (!nests[i] &&
            (r->local.work > 1.25 * (t->workers ? t->workers : 1) * r->local.span ||
             r->local.work < 0.5 * r->top.work))
            r->as_executed = false;
    }
    free(nests);
    make_root_row(p, &m->rows[p->site_count]);
    if (!raw)
        merge_rows(m);
    split_waits(m);
    drop_nested(m);
    add_spreads(m);
    add_outliers(m);
    add_chunks(m);
    add_teams_of_one(m);
    add_handed(m);
    for (size_t i = 0; i < m->row_count; i++)
        m->rows[i].share = ratio(m->rows[i].on_local.span, t->span_cost);
}

/* ---- their order ---- */

static double key_span(const struct row *r) { return r->on_local.span; }
static double key_work(const struct row *r) { return r->top.work; }
static double key_local(const struct row *r) { return r->local.work; }
static double key_count(const struct row *r) { return r->invocations; }
static double key_tasks(const struct row *r) { return r->tasks; }
static double key_steals(const struct row *r) { return r->steals; }
static double key_parallelism(const struct row *r)
{
    return summary_parallelism(r->top.work, r->top.span);
}
static double key_topcaller(const struct row *r) { return r->topcaller.work; }
static double key_on_count(const struct row *r) { return r->on_local.count; }
static double key_on_work(const struct row *r) { return r->on_top.work; }
static double key_on_parallelism(const struct row *r)
{
    return ratio(r->on_top.work, r->on_top.span);
}

static const struct sort_key { const char *name; double (*value)(const struct row *); } keys[] = {
    { "span", key_span }, { "work", key_work }, { "local", key_local }, { "count", key_count },
    { "tasks", key_tasks }, { "steals", key_steals }, { "parallelism", key_parallelism },
    { "topcaller", key_topcaller }, { "on-count", key_on_count }, { "on-work", key_on_work },
    { "on-parallelism", key_on_parallelism }, { "name", 0 },
};
#define KEYS (sizeof keys / sizeof keys[0])

static const struct sort_key *find_key(const char *name)
{
    for (unsigned i = 0; i < KEYS; i++)
        if (!strcmp(name, keys[i].name))
            return &keys[i];
    return 0;
}

const char *summary_sort_keys(void)
{
    static char all[256];
    size_t n = 0;
    for (unsigned i = 0; i < KEYS; i++)
        n += snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", keys[i].name);
    return all;
}

bool summary_is_sort_key(const char *key)
{
    return find_key(key) != 0;
}

static int compare_rows(const void *a, const void *b, void *key)
{
    double (*value)(const struct row *) = ((const struct sort_key *)key)->value;
    double x = value ? value(a) : 0, y = value ? value(b) : 0;
    return x < y ? 1 : x > y ? -1 : compare_sites(a, b);
}

int summary_sort(struct summary *m, const char *name)
{
    const struct sort_key *key = find_key(name);
    if (!key)
        return -1;
    qsort_r(m->rows, m->row_count, sizeof m->rows[0], compare_rows, (void *)key);
    return 0;
}
