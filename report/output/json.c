/* json.c - the stable form; docs/JSON.md describes every key. */
#include "output/json.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/certainty.h"
#include "analysis/ledger.h"
#include "analysis/model.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "output/options.h"
#include "profile/profile.h"
#include "symbols/names.h"

static void put_measure(json_t *to, const struct profile *p, const struct measure *m)
{
    json_object_set_new(to, "count", json_number(m->count));
    json_object_set_new(to, "work_ns", json_cost(p, m->work));
    json_object_set_new(to, "span_ns", json_cost(p, m->span));
    json_object_set_new(to, "parallelism", json_parallelism(m->work, m->span));
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
        json_array_append_new(addresses, json_number(sites[i].address[0]));
    for (int i = 1; r->first != LPF_NONE && i < 4 && sites[r->first].address[i]; i++)
        json_array_append_new(callers, json_number(sites[r->first].address[i]));
    json_object_set_new(j, "addresses", addresses);
    json_object_set_new(j, "callers", callers);
}

static json_t *wait(const struct model *m, const struct row *r)
{
    json_t *j = json_place(r);
    put_addresses(j, m, r);
    json_object_set_new(j, "count", json_number(r->top.count));
    json_object_set_new(j, "waited_ns", json_cost(m->profile, r->top.work));
    return j;
}

/* How surely R's costs are known; counts are exact. */
static void put_certainty(json_t *to, const struct model *m, const struct paths *t,
                          const struct row *r)
{
    enum certainty span = certainty_of_row(m, r);
    bool own = t && paths_own_share(t, r).tells;
    json_t *j = json_object();
    json_object_set_new(j, "work_ns",
                        json_text(certainty_names[own ? CERTAIN_ESTIMATED : CERTAIN_EXACT]));
    json_object_set_new(j, "span_ns", json_text(certainty_names[span]));
    json_object_set_new(j, "parallelism", json_text(certainty_names[certainty_of_ratio(span)]));
    json_object_set_new(to, "certainty", j);
}

/* T: NULL, or who says how much of the strands libprof was. */
static json_t *site(const struct model *m, const struct paths *t, const struct row *r)
{
    const struct profile *p = m->profile;
    json_t *j = json_place(r), *on = json_object();
    json_object_set_new(j, "outside_tasks", json_boolean(r->root));
    put_addresses(j, m, r);
    json_object_set_new(j, "lower_bound", json_boolean(r->lower_bound));
    json_object_set_new(j, "as_executed", json_boolean(r->as_executed));
    put_certainty(j, m, t, r);
    json_object_set_new(j, "invocations", json_number(r->invocations));
    json_object_set_new(j, "tasks", json_number(r->tasks));
    json_object_set_new(j, "steals", json_number(r->steals));
    json_object_set_new(j, "mean_task_ns", json_fraction(profile_ns(p, r->local.work), r->tasks));
    json_object_set_new(j, "longest_task_ns", r->threads ? json_cost(p, r->longest) : json_null());
    json_object_set_new(j, "threads", r->threads ? json_integer(r->threads) : json_null());
    json_object_set_new(j, "busiest_thread_tasks",
                        r->threads ? json_number(r->busiest_tasks) : json_null());
    json_object_set_new(j, "busiest_thread_share",
                        r->threads ? json_fraction(r->busiest_work, r->local.work) : json_null());
    json_object_set_new(j, "work_ns", json_cost(p, r->top.work));
    json_object_set_new(j, "span_ns", json_cost(p, r->top.span));
    json_object_set_new(j, "parallelism", json_parallelism(r->top.work, r->top.span));
    json_object_set_new(j, "local_work_ns", json_cost(p, r->local.work));
    if (t) {
        struct own_share s = paths_own_share(t, r);
        json_object_set_new(j, "samples", json_number(s.samples - s.own));
        json_object_set_new(j, "samples_in_libprof", json_number(s.own));
        json_object_set_new(j, "local_work_at_least_ns",
                            s.tells ? json_cost(p, paths_work_at_least(&s, r->local.work))
                                    : json_null());
    }
    json_object_set_new(j, "local_span_ns", json_cost(p, r->local.span));
    json_object_set_new(j, "top_call_site", measure(p, &r->top));
    json_object_set_new(j, "top_caller", measure(p, &r->topcaller));
    put_measure(on, p, &r->on_top);
    json_object_set_new(on, "count", json_number(r->on_local.count));
    json_object_set_new(on, "local_work_ns", json_cost(p, r->on_local.work));
    json_object_set_new(on, "local_span_ns", json_cost(p, r->on_local.span));
    json_object_set_new(on, "top_call_site", measure(p, &r->on_top));
    json_object_set_new(on, "top_caller", measure(p, &r->on_topcaller));
    json_object_set_new(on, "share_of_span", json_fraction(r->on_local.span, p->totals.span_cost));
    json_object_set_new(j, "on_span", on);
    return j;
}

static json_t *regions(const struct profile *p)
{
    json_t *all = json_array();
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        uint64_t burdened = profile_burdened(p, r->burdened_len_cost, r->burdened_edges);
        if (burdened < r->span_cost)
            burdened = r->span_cost;
        json_t *j = json_object();
        json_object_set_new(j, "name", json_text(profile_string(p, r->name)));
        json_object_set_new(j, "count", json_number(r->count));
        json_object_set_new(j, "work_ns", json_cost(p, r->work_cost));
        json_object_set_new(j, "span_ns", json_cost(p, r->span_cost));
        json_object_set_new(j, "burdened_span_ns", json_cost(p, burdened));
        json_object_set_new(j, "parallelism", json_parallelism(r->work_cost, r->span_cost));
        json_object_set_new(j, "burdened_parallelism", json_parallelism(r->work_cost, burdened));
        json_object_set_new(j, "max_span_ns", json_cost(p, r->max_span_cost));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *notes(const struct profile *p)
{
    static const char *const kinds[] = { "unknown", "lower_bound", "loss",
                                         "hint",    "dag",         "not_exact" };
    json_t *all = json_array();
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        json_t *j = json_object();
        json_object_set_new(j, "kind", json_text(kinds[n->kind < 6 ? n->kind : 0]));
        json_object_set_new(j, "name", json_text(profile_string(p, n->name)));
        json_object_set_new(j, "text", json_text(profile_string(p, n->text)));
        json_object_set_new(j, "count", json_number(n->count));
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
        json_object_set_new(j, "tid", json_number(t->tid));
        json_object_set_new(j, "kind", json_text(kinds[t->kind < 4 ? t->kind : 3]));
        json_object_set_new(j, "busy_ns", json_number(t->busy_ns));
        json_object_set_new(j, "work_ns", json_cost(p, t->work_cost));
        json_object_set_new(j, "tasks", json_number(t->tasks));
        json_object_set_new(j, "steals", json_number(t->steals));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *settings(const struct profile *p)
{
    json_t *all = json_object();
    for (size_t i = 0; i < p->setting_count; i++) {
        char *key = format_clean(profile_string(p, p->settings[i].key));
        json_object_set_new(all, key, json_text(profile_string(p, p->settings[i].value)));
        free(key);
    }
    return all;
}

json_t *json_path_cost(const struct path_cost *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "work_ns", json_number(c->work));
    json_object_set_new(j, "span_ns", json_number(c->span));
    json_object_set_new(j, "overhead_ns", json_number(c->overhead));
    json_object_set_new(j, "idleness_ns", json_number(path_idleness(c)));
    json_object_set_new(j, "blocked_ns", json_number(c->blocked));
    json_object_set_new(j, "own_ns", json_number(c->own));
    json_object_set_new(j, "samples", json_number(c->samples));
    json_object_set_new(j, "samples_on_span", json_number(c->on_span));
    json_object_set_new(j, "tasks", json_number(c->tasks));
    return j;
}

static void put_margin(json_t *to, const char *key, double share, double of)
{
    json_object_set_new(to, key, isfinite(share) ? json_real(share * of) : json_null());
}

/* C of the path, function or line of that name: how surely its work and span are known; where
 * samples split them, with half of the 95 % interval. */
static json_t *json_cost_of(const struct paths *t, const char *function, const struct path_cost *c,
                            bool whole_program)
{
    json_t *j = json_path_cost(c);
    const struct path_cost *all = &t->total;
    bool sampled = !whole_program && certainty_is_sampled(function, c);
    enum certainty span = certainty_span(t->model);
    json_object_set_new(j, "certainty",
                        json_text(certainty_names[sampled ? CERTAIN_SAMPLED : span]));
    if (!sampled)
        return j;
    put_margin(j, "span_margin_ns", c->on_span ? path_margin(c, all) : NAN, all->span);
    put_margin(j, "work_margin_ns",
               c->samples ? stats_share(c->samples, c->squares, all->samples, all->squares) : NAN,
               all->work);
    return j;
}

static void put_place(json_t *j, const char *function, const char *file, int line)
{
    json_object_set_new(j, "function", json_text(function));
    json_object_set_new(j, "file", file ? json_text(file) : json_null());
    json_object_set_new(j, "line", line ? json_integer(line) : json_null());
}

static json_t *path_rows(const struct paths *t, const struct path_row *rows, size_t count,
                         bool whole)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *j = json_object();
        put_place(j, rows[i].function, rows[i].file, rows[i].line);
        json_object_set_new(j, "self", json_cost_of(t, rows[i].function, &rows[i].self, false));
        if (whole) {
            json_object_set_new(j, "all", json_cost_of(t, rows[i].function, &rows[i].all, false));
            json_object_set_new(j, "parallelism",
                                json_parallelism(rows[i].all.work, rows[i].all.span));
            json_object_set_new(j, "verdict", json_text(rows[i].verdict));
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
    json_object_set_new(j, "source", json_text(profile_string(p, k->sample_source)));
    json_object_set_new(j, "period_ns", json_number(k->sample_period_ns));
    json_object_set_new(j, "period_events", json_number(k->sample_period_events));
    json_object_set_new(j, "samples", json_number(t->total.samples));
    json_object_set_new(j, "samples_on_span", json_number(t->total.on_span));
    json_object_set_new(j, "off_cpu_samples", json_number(t->off_cpu_samples));
    json_object_set_new(j, "equal_samples",
                        json_real(stats_equal(t->total.samples, t->total.squares)));
    json_object_set_new(j, "equal_samples_on_span",
                        json_real(stats_equal(t->total.on_span, t->total.on_span_squares)));
    json_object_set_new(j, "samples_in_libprof", json_number(t->own_samples));
    json_object_set_new(j, "samples_outside_strands", json_number(k->samples_outside));
    json_object_set_new(j, "samples_with_unknown_frames", json_number(k->samples_cut));
    for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
        json_object_set_new(kinds, overhead_names[i], json_number(t->overhead[i]));
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
        json_object_set_new(j, "self", json_cost_of(t, n->function, &n->self, false));
        json_object_set_new(j, "all", json_cost_of(t, n->function, &n->all, !i));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *ledger_certainty(void)
{
    static const struct {
        const char *key;
        enum certainty sure;
    } rows[] = { { "work_ns", CERTAIN_SAMPLED }, /* exact with the overhead, which samples say */
                 { "overhead_in_strands_ns", CERTAIN_SAMPLED },
                 { "overhead_between_strands_ns", CERTAIN_ESTIMATED },
                 { "search_ns", CERTAIN_EXACT },
                 { "sleep_ns", CERTAIN_EXACT },
                 { "sleep_run_delay_ns", CERTAIN_ESTIMATED },
                 { "waits_ns", CERTAIN_EXACT },
                 { "blocked_ns", CERTAIN_EXACT },
                 { "run_delay_ns", CERTAIN_EXACT },
                 { "own_ns", CERTAIN_ESTIMATED },
                 { "without_thread_ns", CERTAIN_EXACT } };
    json_t *j = json_object();
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_object_set_new(j, rows[i].key, json_text(certainty_names[rows[i].sure]));
    return j;
}

/* Worker slots times elapsed, and where it went: what the text calls the ledger. */
static json_t *ledger(const struct model *m, const struct paths *t)
{
    const struct lpf_totals *k = &m->profile->totals;
    json_t *j = json_object();
    if (!k->ns_num)
        return j;
    struct ledger l = ledger_of(m, t);
    double all = (double)k->elapsed_ns * k->workers;
    json_object_set_new(j, "total_ns", json_real(all));
    json_object_set_new(j, "work_ns", json_real(l.work));
    json_object_set_new(j, "overhead_in_strands_ns", json_real(l.inside));
    json_object_set_new(j, "overhead_between_strands_ns", json_number(k->dispatch_ns));
    json_object_set_new(j, "search_ns", json_number(k->search_ns));
    json_object_set_new(j, "sleep_ns", json_number(k->sleep_ns));
    uint64_t delay;
    json_object_set_new(j, "sleep_run_delay_ns",
                        profile_idle_run_delay_ns(m->profile, &delay) ? json_number(delay)
                                                                      : json_null());
    double waits = 0;
    for (size_t i = 0; i < m->wait_count; i++)
        waits += profile_ns(m->profile, m->waits[i].top.work);
    json_object_set_new(j, "waits_ns", json_real(waits));
    json_object_set_new(j, "blocked_ns", json_number(k->blocked_ns));
    json_object_set_new(j, "run_delay_ns",
                        profile_run_delay_ns(m->profile, &delay) ? json_number(delay)
                                                                 : json_null());
    json_object_set_new(j, "own_ns", json_number(k->own_ns));
    json_object_set_new(j, "without_thread_ns",
                        json_real(all > k->threads_ns ? all - k->threads_ns : 0));
    json_object_set_new(j, "extra_threads_ns",
                        json_real(all < k->threads_ns ? all - k->threads_ns : 0));
    json_object_set_new(j, "on_cpu_ns",
                        json_real(m->work + k->dispatch_ns + k->search_ns + k->own_ns));
    json_object_set_new(j, "kernel_cpu_ns", json_number(k->cpu_ns));
    json_object_set_new(j, "cpu_before_libprof_ns", json_number(profile_cpu_before_ns(m->profile)));
    json_object_set_new(j, "cpu_of_start_and_end_ns",
                        json_number(profile_cpu_outside_ns(m->profile)));
    json_object_set_new(j, "certainty", ledger_certainty());
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
        json_array_append_new(names, json_text(name));
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
    return (struct cost_columns){ column(j, "work_ns"),     column(j, "span_ns"),
                                  column(j, "overhead_ns"), column(j, "idleness_ns"),
                                  column(j, "samples"),     column(j, "samples_on_span") };
}

static void add_cost(const struct cost_columns *to, const struct path_cost *c)
{
    json_array_append_new(to->work, json_number(c->work));
    json_array_append_new(to->span, json_number(c->span));
    json_array_append_new(to->overhead, json_number(c->overhead));
    json_array_append_new(to->idleness, json_number(path_idleness(c)));
    json_array_append_new(to->samples, json_number(c->samples));
    json_array_append_new(to->on_span, json_number(c->on_span));
}

static json_t *columns(const struct paths *t)
{
    struct pooled *pool = 0, *n, *next;
    json_t *j = json_object(), *names = column(j, "names"), *labels, *table, *function, *file,
           *line, *other;
    struct cost_columns self, all;

    json_object_set_new(j, "paths", table = json_object());
    other = column(table, "parent");
    function = column(table, "function"), file = column(table, "file"),
    line = column(table, "line");
    self = cost_columns(table, "self");
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *node = &t->nodes[i];
        json_array_append_new(other, i ? json_integer(node->parent) : json_integer(-1));
        json_array_append_new(function, pool_index(&pool, names, node->function));
        json_array_append_new(file, pool_index(&pool, names, node->file));
        json_array_append_new(line, json_integer(node->line));
        add_cost(&self, &node->self);
    }

    json_object_set_new(j, "functions", table = json_object());
    function = column(table, "function"), file = column(table, "file"),
    other = column(table, "verdict");
    self = cost_columns(table, "self"), all = cost_columns(table, "all");
    for (size_t i = 0; i < t->function_count; i++) {
        const struct path_row *r = &t->functions[i];
        json_array_append_new(function, pool_index(&pool, names, r->function));
        json_array_append_new(file, pool_index(&pool, names, r->file));
        json_array_append_new(other, pool_index(&pool, names, r->verdict));
        add_cost(&self, &r->self);
        add_cost(&all, &r->all);
    }

    json_object_set_new(j, "lines", table = json_object());
    function = column(table, "function"), file = column(table, "file"),
    line = column(table, "line");
    self = cost_columns(table, "self");
    for (size_t i = 0; i < t->line_count; i++) {
        const struct path_row *r = &t->lines[i];
        json_array_append_new(function, pool_index(&pool, names, r->function));
        json_array_append_new(file, pool_index(&pool, names, r->file));
        json_array_append_new(line, json_integer(r->line));
        add_cost(&self, &r->self);
    }

    /* what is short enough to stand in a frame */
    labels = column(j, "labels");
    HASH_ITER(hh, pool, n, next) {      /* in the order of insertion: that of the names */
        char *plain = name_plain(n->text);
        json_array_append_new(labels, strcmp(plain, n->text) ? json_text(plain) : json_null());
        free(plain);
        HASH_DEL(pool, n);
        free(n);
    }
    return j;
}

/* What a merged profile was merged from. */
static json_t *merged(const struct profile *p)
{
    static const char *const ends[] = { "running", "exit", "signal", "quick", "exec" };
    json_t *j = json_object(), *inputs = json_array();
    uint64_t profiles = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        const struct lpf_input *in = &p->inputs[i];
        json_t *one = json_object();
        profiles += in->profiles;
        json_object_set_new(one, "profile", json_text(profile_string(p, in->name)));
        json_object_set_new(one, "exe", json_text(profile_string(p, in->exe)));
        json_object_set_new(one, "cmdline", json_text(profile_string(p, in->cmdline)));
        json_object_set_new(one, "pid", json_number(in->pid));
        json_object_set_new(one, "workers", json_number(in->workers));
        json_object_set_new(one, "profiles", json_number(in->profiles));
        json_object_set_new(one, "start_unix_ns", json_number(in->start_unix_ns));
        json_object_set_new(one, "elapsed_ns", json_number(in->elapsed_ns));
        json_object_set_new(one, "work_ns", json_cost(p, in->work_cost));
        json_object_set_new(one, "span_ns", json_cost(p, in->span_cost));
        json_object_set_new(one, "complete",
                            json_boolean(!(in->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED))));
        json_object_set_new(one, "end", json_text(ends[in->end < 5 ? in->end : 0]));
        json_object_set_new(one, "exit_status", json_number(in->exit_status));
        json_array_append_new(inputs, one);
    }
    json_object_set_new(j, "as",
                        json_text(p->inputs[0].mode == LPF_MERGE_RUNS ? "runs" : "processes"));
    json_object_set_new(j, "profiles", json_number(profiles));
    json_object_set_new(j, "inputs", inputs);
    return j;
}

struct json_t *json_model(const struct model *m, const struct paths *t, const struct options *o)
{
    json_t *j = json_object(), *sites = json_array(), *waits = json_array();
    for (size_t i = 0; i < m->row_count; i++)
        json_array_append_new(sites, site(m, t, &m->rows[i]));
    for (size_t i = 0; i < m->wait_count; i++)
        json_array_append_new(waits, wait(m, &m->waits[i]));
    json_object_set_new(j, "format_version", json_integer(3));
    if (o->raw)
        json_object_set_new(j, "raw", json_true());
    json_object_set_new(j, "profile", json_text(m->profile->path));
    json_object_set_new(j, "program", json_program(m, t));
    json_object_set_new(j, "limits", json_limits(m, t));
    if (m->profile->input_count)
        json_object_set_new(j, "merged", merged(m->profile));
    json_object_set_new(j, "sites", sites);
    json_object_set_new(j, "waits", waits);
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
    json_t *whatif = scenarios_json(m);
    if (whatif)
        json_object_set_new(j, "whatif", whatif);
    json_object_set_new(j, "notes", notes(m->profile));
    json_object_set_new(j, "threads", threads(m->profile));
    json_object_set_new(j, "settings", settings(m->profile));
    return j;
}
