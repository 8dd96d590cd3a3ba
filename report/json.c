/* json.c - the stable form; docs/JSON.md describes every key. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "format.h"
#include "names.h"
#include "report.h"
#include "whatif.h"

static json_t *number(uint64_t v)
{
    return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

/* Costs are whole numbers of the unit. */
static json_t *cost(const struct profile *p, uint64_t c)
{
    return number(profile_whole_ns(p, c));
}

static json_t *fraction(double a, double b)
{
    return b > 0 && isfinite(a / b) ? json_real(a / b) : json_null();
}

/* Names come from files: what is not UTF-8 must not lose the document; it stands as \\xNN. */
static json_t *text(const char *s)
{
    if (!s)
        return json_null();
    json_t *j = json_string(s);
    if (j)
        return j;
    char *clean = format_clean(s);
    j = json_string(clean);
    free(clean);
    return j;
}

static void put_measure(json_t *to, const struct profile *p, const struct measure *m)
{
    json_object_set_new(to, "count", number(m->count));
    json_object_set_new(to, "work_ns", cost(p, m->work));
    json_object_set_new(to, "span_ns", cost(p, m->span));
    json_object_set_new(to, "parallelism", fraction(m->work, m->span));
}

static json_t *measure(const struct profile *p, const struct measure *m)
{
    json_t *j = json_object();
    put_measure(j, p, m);
    return j;
}

/* The return addresses of every site in the row; and the first one's callers, as far as known. */
static void put_addresses(json_t *j, const struct model *m, const struct row *r)
{
    const struct lpf_site *sites = m->profile->sites;
    json_t *addresses = json_array(), *callers = json_array();
    for (uint32_t i = r->first; i != LPF_NONE; i = m->next_site[i])
        json_array_append_new(addresses, number(sites[i].address[0]));
    for (int i = 1; r->first != LPF_NONE && i < 4 && sites[r->first].address[i]; i++)
        json_array_append_new(callers, number(sites[r->first].address[i]));
    json_object_set_new(j, "addresses", addresses);
    json_object_set_new(j, "callers", callers);
}

static json_t *site(const struct model *m, const struct row *r)
{
    const struct profile *p = m->profile;
    json_t *j = json_object(), *on = json_object();
    json_object_set_new(j, "function", text(r->function));
    json_object_set_new(j, "file", text(r->file));
    json_object_set_new(j, "line", r->file ? json_integer(r->line) : json_null());
    json_object_set_new(j, "code", text(r->code));
    json_object_set_new(j, "module", text(r->module));
    json_object_set_new(j, "construct", text(r->construct));
    json_object_set_new(j, "runtime", text(r->runtime));
    json_object_set_new(j, "outside_tasks", json_boolean(r->root));
    put_addresses(j, m, r);
    json_object_set_new(j, "lower_bound", json_boolean(r->lower_bound));
    json_object_set_new(j, "as_executed", json_boolean(r->as_executed));
    json_object_set_new(j, "invocations", number(r->invocations));
    json_object_set_new(j, "tasks", number(r->tasks));
    json_object_set_new(j, "steals", number(r->steals));
    json_object_set_new(j, "work_ns", cost(p, r->top.work));
    json_object_set_new(j, "span_ns", cost(p, r->top.span));
    json_object_set_new(j, "parallelism", fraction(r->top.work, r->top.span));
    json_object_set_new(j, "local_work_ns", cost(p, r->local.work));
    json_object_set_new(j, "local_span_ns", cost(p, r->local.span));
    json_object_set_new(j, "top_call_site", measure(p, &r->top));
    json_object_set_new(j, "top_caller", measure(p, &r->topcaller));
    put_measure(on, p, &r->on_top);
    json_object_set_new(on, "count", number(r->on_local.count));
    json_object_set_new(on, "local_work_ns", cost(p, r->on_local.work));
    json_object_set_new(on, "local_span_ns", cost(p, r->on_local.span));
    json_object_set_new(on, "top_call_site", measure(p, &r->on_top));
    json_object_set_new(on, "top_caller", measure(p, &r->on_topcaller));
    json_object_set_new(on, "share_of_span", fraction(r->on_local.span, p->totals.span_cost));
    json_object_set_new(j, "on_span", on);
    return j;
}

static json_t *program(const struct model *m)
{
    static const char *const source[] = { "default", "setting", "measured" };
    static const char *const ends[] = { "running", "exit", "signal", "quick", "exec" };
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    json_t *j = json_object(), *bounds = json_array(), *speedup = json_array();
    json_object_set_new(j, "exe", text(profile_string(p, t->exe)));
    json_object_set_new(j, "cmdline", text(profile_string(p, t->cmdline)));
    json_object_set_new(j, "pid", number(t->pid));
    json_object_set_new(j, "start_unix_ns", number(t->start_unix_ns));
    json_object_set_new(j, "clock", text(profile_string(p, t->clock)));
    json_object_set_new(j, "unit", text(profile_unit(p)));
    json_object_set_new(j, "work_ns", cost(p, t->work_cost));
    json_object_set_new(j, "span_ns", cost(p, t->span_cost));
    json_object_set_new(j, "burdened_span_ns", cost(p, m->burdened_cost));
    json_object_set_new(j, "parallelism", fraction(m->work, m->span));
    json_object_set_new(j, "burdened_parallelism", fraction(m->work, m->burdened_span));
    json_object_set_new(j, "spawns", number(t->spawns));
    json_object_set_new(j, "syncs", number(t->syncs));
    json_object_set_new(j, "steals", number(t->steals));
    json_object_set_new(j, "tasks", number(t->tasks));
    json_object_set_new(j, "elapsed_ns", number(t->elapsed_ns));
    json_object_set_new(j, "cpu_ns", number(t->cpu_ns));
    json_object_set_new(j, "workers", number(t->workers));
    json_object_set_new(j, "idle_ns", number(t->idle_ns));
    json_object_set_new(j, "own_ns", number(t->own_ns));
    json_object_set_new(j, "burden_ns", cost(p, t->burden_cost));
    json_object_set_new(j, "burden_source", text(source[t->burden_source < 3 ? t->burden_source : 0]));
    json_object_set_new(j, "burden_steals", number(t->burden_steals));
    json_object_set_new(j, "avg_maximal_strand_ns", json_real(m->average_strand));
    json_object_set_new(j, "strand_is_short", json_boolean(m->short_strands));
    json_object_set_new(j, "exact", json_boolean(t->exact));
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_LOWER_BOUND)
            json_array_append_new(bounds, text(profile_string(p, p->notes[i].name)));
    json_object_set_new(j, "lower_bound_constructs", bounds);
    json_object_set_new(j, "complete", json_boolean(!(p->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED))));
    json_object_set_new(j, "end", text(ends[t->end < 5 ? t->end : 0]));
    json_object_set_new(j, "exit_status", number(t->exit_status));
    unsigned procs[16], n = m->span > 0 ? model_processors(m, procs, 16) : 0;
    for (unsigned i = 0; i < n; i++) {
        json_t *s = json_object();
        json_object_set_new(s, "p", number(procs[i]));
        json_object_set_new(s, "lower", json_real(model_lower(m, procs[i])));
        json_object_set_new(s, "upper", json_real(model_upper(m, procs[i])));
        json_array_append_new(speedup, s);
    }
    json_object_set_new(j, "speedup", speedup);
    return j;
}

static json_t *regions(const struct profile *p)
{
    json_t *all = json_array();
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        uint64_t burdened = model_burdened(p, r->burdened_len_cost, r->burdened_edges);
        if (burdened < r->span_cost)
            burdened = r->span_cost;
        json_t *j = json_object();
        json_object_set_new(j, "name", text(profile_string(p, r->name)));
        json_object_set_new(j, "count", number(r->count));
        json_object_set_new(j, "work_ns", cost(p, r->work_cost));
        json_object_set_new(j, "span_ns", cost(p, r->span_cost));
        json_object_set_new(j, "burdened_span_ns", cost(p, burdened));
        json_object_set_new(j, "parallelism", fraction(r->work_cost, r->span_cost));
        json_object_set_new(j, "burdened_parallelism", fraction(r->work_cost, burdened));
        json_object_set_new(j, "max_span_ns", cost(p, r->max_span_cost));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *notes(const struct profile *p)
{
    static const char *const kinds[] = { "unknown", "lower_bound", "loss", "hint", "dag" };
    json_t *all = json_array();
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        json_t *j = json_object();
        json_object_set_new(j, "kind", text(kinds[n->kind < 5 ? n->kind : 0]));
        json_object_set_new(j, "name", text(profile_string(p, n->name)));
        json_object_set_new(j, "text", text(profile_string(p, n->text)));
        json_object_set_new(j, "count", number(n->count));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *threads(const struct profile *p)
{
    static const char *const kinds[] = { "main", "user", "worker", "unknown" };
    json_t *all = json_array();
    for (size_t i = 0; i < p->thread_count; i++) {
        const struct lpf_thread *t = &p->threads[i];
        json_t *j = json_object();
        json_object_set_new(j, "tid", number(t->tid));
        json_object_set_new(j, "kind", text(kinds[t->kind < 4 ? t->kind : 3]));
        json_object_set_new(j, "busy_ns", number(t->busy_ns));
        json_object_set_new(j, "work_ns", cost(p, t->work_cost));
        json_object_set_new(j, "tasks", number(t->tasks));
        json_object_set_new(j, "steals", number(t->steals));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *settings(const struct profile *p)
{
    json_t *all = json_object();
    for (size_t i = 0; i < p->setting_count; i++) {
        char *key = format_clean(profile_string(p, p->settings[i].key));
        json_object_set_new(all, key, text(profile_string(p, p->settings[i].value)));
        free(key);
    }
    return all;
}

static json_t *path_cost(const struct path_cost *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "work_ns", number(c->work));
    json_object_set_new(j, "span_ns", number(c->span));
    json_object_set_new(j, "overhead_ns", number(c->overhead));
    json_object_set_new(j, "idleness_ns", number(c->idleness));
    json_object_set_new(j, "blocked_ns", number(c->blocked));
    json_object_set_new(j, "own_ns", number(c->own));
    json_object_set_new(j, "samples", number(c->samples));
    json_object_set_new(j, "samples_on_span", number(c->on_span));
    return j;
}

static void put_place(json_t *j, const char *function, const char *file, int line)
{
    json_object_set_new(j, "function", text(function));
    json_object_set_new(j, "file", file ? text(file) : json_null());
    json_object_set_new(j, "line", line ? json_integer(line) : json_null());
}

static json_t *path_rows(const struct paths *t, const struct path_row *rows, size_t count, bool whole)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *j = json_object();
        put_place(j, rows[i].function, rows[i].file, rows[i].line);
        json_object_set_new(j, "self", path_cost(&rows[i].self));
        if (whole) {
            json_object_set_new(j, "all", path_cost(&rows[i].all));
            json_object_set_new(j, "parallelism", fraction(rows[i].all.work, rows[i].all.span));
            json_object_set_new(j, "verdict", text(path_verdict(t, &rows[i].self)));
        }
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *sampling(const struct paths *t)
{
    const struct profile *p = t->model->profile;
    const struct lpf_totals *k = &p->totals;
    json_t *j = json_object(), *kinds = json_object();
    json_object_set_new(j, "source", text(profile_string(p, k->sample_source)));
    json_object_set_new(j, "period_ns", number(k->sample_period_ns));
    json_object_set_new(j, "period_events", number(k->sample_period_events));
    json_object_set_new(j, "samples", number(t->total.samples));
    json_object_set_new(j, "samples_on_span", number(t->total.on_span));
    json_object_set_new(j, "samples_in_libprof", number(t->own_samples));
    json_object_set_new(j, "samples_outside_strands", number(k->samples_outside));
    json_object_set_new(j, "samples_with_unknown_frames", number(k->samples_cut));
    for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
        json_object_set_new(kinds, overhead_names[i], number(t->overhead[i]));
    json_object_set_new(j, "overhead_ns", kinds);
    json_object_set_new(j, "idleness_is_sampled", json_boolean(t->idle_scaled));
    return j;
}

static json_t *path_nodes(const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        json_t *j = json_object();
        json_object_set_new(j, "node", json_integer(i));
        json_object_set_new(j, "parent", i ? json_integer(n->parent) : json_null());
        put_place(j, n->function, n->file, n->line);
        json_object_set_new(j, "self", path_cost(&n->self));
        json_object_set_new(j, "all", path_cost(&n->all));
        json_array_append_new(all, j);
    }
    return all;
}

/* Worker slots times elapsed, and where it went: what the text calls the ledger. */
static json_t *ledger(const struct model *m, const struct paths *t)
{
    const struct lpf_totals *k = &m->profile->totals;
    json_t *j = json_object();
    if (!k->ns_num)
        return j;
    double all = (double)k->elapsed_ns * k->workers, overhead = t ? t->total.overhead : 0;
    json_object_set_new(j, "total_ns", json_real(all));
    json_object_set_new(j, "work_ns", json_real(m->work - overhead));
    json_object_set_new(j, "overhead_in_strands_ns", json_real(overhead));
    json_object_set_new(j, "overhead_between_strands_ns", number(k->dispatch_ns));
    json_object_set_new(j, "search_ns", number(k->search_ns));
    json_object_set_new(j, "sleep_ns", number(k->sleep_ns));
    json_object_set_new(j, "blocked_ns", number(k->blocked_ns));
    json_object_set_new(j, "own_ns", number(k->own_ns));
    json_object_set_new(j, "without_thread_ns", json_real(all > k->threads_ns ? all - k->threads_ns : 0));
    json_object_set_new(j, "extra_threads_ns", json_real(all < k->threads_ns ? all - k->threads_ns : 0));
    json_object_set_new(j, "on_cpu_ns", json_real(m->work + k->dispatch_ns + k->search_ns + k->own_ns));
    json_object_set_new(j, "kernel_cpu_ns", number(k->cpu_ns));
    return j;
}

/* ---- the same as columns, every name once: a page with 10^5 paths stays some MB ---- */

/* Names of a struct paths: equal ones are one pointer. */
struct pooled {
    const char *text;
    json_int_t at;
    UT_hash_handle hh;
};

static json_t *pool_index(struct pooled **pool, json_t *names, const char *name)
{
    struct pooled *n;
    if (!name)
        return json_integer(-1);
    HASH_FIND_PTR(*pool, &name, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n));
        n->text = name;
        n->at = (json_int_t)json_array_size(names);
        HASH_ADD_PTR(*pool, text, n);
        json_array_append_new(names, text(name));
    }
    return json_integer(n->at);
}

static json_t *column(json_t *table, const char *key)
{
    json_t *c = json_array();
    json_object_set_new(table, key, c);
    return c;
}

struct cost_columns {
    json_t *work, *span, *overhead, *idleness, *samples, *on_span;
};

static struct cost_columns cost_columns(json_t *table, const char *key)
{
    json_t *j = json_object();
    json_object_set_new(table, key, j);
    return (struct cost_columns){ column(j, "work_ns"), column(j, "span_ns"), column(j, "overhead_ns"),
                                  column(j, "idleness_ns"), column(j, "samples"), column(j, "samples_on_span") };
}

static void add_cost(const struct cost_columns *to, const struct profile *p, const struct path_cost *c)
{
    json_array_append_new(to->work, cost(p, c->work));
    json_array_append_new(to->span, cost(p, c->span));
    json_array_append_new(to->overhead, cost(p, c->overhead));
    json_array_append_new(to->idleness, number((uint64_t)(c->idleness + 0.5)));
    json_array_append_new(to->samples, number(c->samples));
    json_array_append_new(to->on_span, number(c->on_span));
}

static json_t *columns(const struct paths *t)
{
    const struct profile *p = t->model->profile;
    struct pooled *pool = 0, *n, *next;
    json_t *j = json_object(), *names = column(j, "names"), *labels, *table, *function, *file, *line, *other;
    struct cost_columns self, all;

    json_object_set_new(j, "paths", table = json_object());
    other = column(table, "parent");
    function = column(table, "function"), file = column(table, "file"), line = column(table, "line");
    self = cost_columns(table, "self");
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *node = &t->nodes[i];
        json_array_append_new(other, i ? json_integer(node->parent) : json_integer(-1));
        json_array_append_new(function, pool_index(&pool, names, node->function));
        json_array_append_new(file, pool_index(&pool, names, node->file));
        json_array_append_new(line, json_integer(node->line));
        add_cost(&self, p, &node->self);
    }

    json_object_set_new(j, "functions", table = json_object());
    function = column(table, "function"), file = column(table, "file"), other = column(table, "verdict");
    self = cost_columns(table, "self"), all = cost_columns(table, "all");
    for (size_t i = 0; i < t->function_count; i++) {
        const struct path_row *r = &t->functions[i];
        json_array_append_new(function, pool_index(&pool, names, r->function));
        json_array_append_new(file, pool_index(&pool, names, r->file));
        json_array_append_new(other, pool_index(&pool, names, path_verdict(t, &r->self)));
        add_cost(&self, p, &r->self);
        add_cost(&all, p, &r->all);
    }

    json_object_set_new(j, "lines", table = json_object());
    function = column(table, "function"), file = column(table, "file"), line = column(table, "line");
    self = cost_columns(table, "self");
    for (size_t i = 0; i < t->line_count; i++) {
        const struct path_row *r = &t->lines[i];
        json_array_append_new(function, pool_index(&pool, names, r->function));
        json_array_append_new(file, pool_index(&pool, names, r->file));
        json_array_append_new(line, json_integer(r->line));
        add_cost(&self, p, &r->self);
    }

    /* what is short enough to stand in a frame */
    labels = column(j, "labels");
    HASH_ITER(hh, pool, n, next) {      /* in the order of insertion: that of the names */
        char *plain = name_plain(n->text);
        json_array_append_new(labels, strcmp(plain, n->text) ? text(plain) : json_null());
        free(plain);
        HASH_DEL(pool, n);
        free(n);
    }
    return j;
}

struct json_t *json_model(const struct model *m, const struct paths *t, const struct options *o)
{
    json_t *j = json_object(), *sites = json_array();
    for (size_t i = 0; i < m->row_count; i++)
        json_array_append_new(sites, site(m, &m->rows[i]));
    json_object_set_new(j, "format_version", json_integer(1));
    if (o->raw)
        json_object_set_new(j, "raw", json_true());
    json_object_set_new(j, "profile", text(m->profile->path));
    json_object_set_new(j, "program", program(m));
    json_object_set_new(j, "sites", sites);
    json_object_set_new(j, "ledger", ledger(m, t));
    if (t)
        json_object_set_new(j, "sampling", sampling(t));
    if (t && o->columns) {
        json_object_set_new(j, "columns", columns(t));
    } else if (t) {
        json_object_set_new(j, "functions", path_rows(t, t->functions, t->function_count, true));
        json_object_set_new(j, "lines", path_rows(t, t->lines, t->line_count, false));
        if (o->paths)
            json_object_set_new(j, "paths", path_nodes(t));
    }
    json_object_set_new(j, "regions", regions(m->profile));
    json_t *whatif = whatif_json(m);
    if (whatif)
        json_object_set_new(j, "whatif", whatif);
    json_object_set_new(j, "notes", notes(m->profile));
    json_object_set_new(j, "threads", threads(m->profile));
    json_object_set_new(j, "settings", settings(m->profile));
    return j;
}
