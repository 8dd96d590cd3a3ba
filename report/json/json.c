/* json.c - the stable form; docs/JSON.md describes every key. */
#include "json/json.h"
#include <jansson.h>
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/options.h"
#include "profile/profile.h"
#include "symbols/module_files.h"
#include "symbols/symbols.h"
#include "words/names_words.h"

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

static json_t *wait(const struct summary *m, const struct row *r)
{
    json_t *j = json_place(r);
    json_put_addresses(j, m, r);
    json_object_set_new(j, "count", json_number(r->top.count));
    json_object_set_new(j, "waited_ns", json_cost(m->profile, r->top.work));
    return j;
}

/* How surely R's costs are known; counts are exact. */
static void put_certainty(json_t *to, const struct summary *m, const struct paths *t,
                          const struct row *r)
{
    bool own = t && paths_own_share(t, r).estimate;
    enum certainty work = certainty_of_row_work(r, own), span = certainty_of_row(m, r);
    if (summary_taken_most(m, r) > 0)
        span = certainty_of_measured(span, true);
    json_t *j = json_object();
    json_object_set_new(j, "work_ns", json_text(certainty_names[work]));
    json_object_set_new(j, "span_ns", json_text(certainty_names[span]));
    json_object_set_new(j, "parallelism",
                        json_text(certainty_names[certainty_of_row_ratio(work, span)]));
    json_object_set_new(to, "certainty", j);
}

static json_t *outliers(const struct profile *p, const struct row *r)
{
    json_t *j = json_object();
    json_object_set_new(j, "count", json_number(r->outliers.count));
    json_object_set_new(j, "of_strands", json_number(r->outliers.parts));
    json_object_set_new(j, "excess_ns", json_cost(p, r->outliers.excess));
    json_object_set_new(j, "longest_ns", json_cost(p, r->outliers.longest));
    return j;
}

/* T: NULL, or the paths that show how much of the strands libprof was. */
static json_t *site(const struct summary *m, const struct paths *t, const struct row *r)
{
    const struct profile *p = m->profile;
    json_t *j = json_place(r), *on = json_object(), *chunks = json_object();
    json_object_set_new(j, "outside_tasks", json_boolean(r->root));
    json_put_addresses(j, m, r);
    json_object_set_new(j, "lower_bound", json_boolean(r->lower_bound));
    json_object_set_new(j, "as_executed", json_boolean(r->as_executed));
    put_certainty(j, m, t, r);
    json_object_set_new(j, "invocations", json_number(r->invocations));
    json_object_set_new(j, "tasks", json_number(r->tasks));
    json_object_set_new(j, "steals", json_number(r->steals));
    json_object_set_new(j, "tasks_of_mean", json_number(r->parts));
    json_object_set_new(j, "mean_task_ns", r->parts ? json_finite(profile_ns(p, row_mean(r)))
                                                    : json_null());
    json_object_set_new(j, "longest_task_ns", r->threads ? json_cost(p, r->longest) : json_null());
    json_object_set_new(j, "threads", r->threads ? json_integer(r->threads) : json_null());
    json_object_set_new(j, "busiest_thread_tasks",
                        r->threads ? json_number(r->busiest_tasks) : json_null());
    json_object_set_new(j, "busiest_thread_share",
                        r->threads ? json_fraction(r->busiest_work, r->local.work) : json_null());
    json_put_cut(chunks, p, &r->cut);
    json_object_set_new(j, "chunks", chunks);
    json_object_set_new(j, "teams_of_one", json_pack("{s:o, s:o}", "executions",
                                                     json_number(r->of_one.executions), "work_ns",
                                                     json_cost(p, r->of_one.work)));
    json_object_set_new(j, "handed_out", json_pack("{s:o, s:o, s:o}", "chunks",
                                                   json_number(r->handed.chunks), "work_ns",
                                                   json_cost(p, r->handed.work), "longest_ns",
                                                   json_cost(p, r->handed.longest)));
    json_object_set_new(j, "outliers", p->typical_count ? outliers(p, r) : json_null());
    json_object_set_new(j, "work_ns", json_cost(p, r->top.work));
    json_object_set_new(j, "span_ns", json_cost(p, r->top.span));
    json_object_set_new(j, "parallelism", json_parallelism(r->top.work, r->top.span));
    json_object_set_new(j, "local_work_ns", json_cost(p, r->local.work));
    if (t) {
        struct own_share s = paths_own_share(t, r);
        json_object_set_new(j, "samples", json_number(s.samples - s.own));
        json_object_set_new(j, "samples_in_libprof", json_number(s.own));
        json_object_set_new(j, "local_work_at_least_ns",
                            s.large ? json_cost(p, paths_work_at_least(&s, r->local.work))
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

/* How the ranks of a job spent their time in region AT; *NEXT: of p->region_ranks, ascending. */
static json_t *region_ranks(const struct summary *m, size_t at, size_t *next)
{
    const struct profile *p = m->profile;
    struct efficiencies e;
    if (*next >= p->region_rank_count || p->region_ranks[*next].region != at)
        return json_null();
    const struct lpf_region_rank *r = &p->region_ranks[(*next)++];
    json_t *j = json_object();
    json_object_set_new(j, "ranks", json_number(r->ranks));
    json_object_set_new(j, "work_ns", json_cost(p, r->work_cost));
    json_object_set_new(j, "most_work_ns", json_cost(p, r->most_work_cost));
    json_object_set_new(j, "most_elapsed_ns", json_number(r->most_elapsed_ns));
    json_object_set_new(j, "in_mpi_ns", json_number(r->elapsed_ns > r->outside_ns
                                                        ? r->elapsed_ns - r->outside_ns : 0));
    json_object_set_new(j, "efficiencies", summary_region_efficiencies(m, r, &e)
                                               ? json_efficiencies(&e) : json_null());
    return j;
}

static json_t *regions(const struct summary *m)
{
    const struct profile *p = m->profile;
    json_t *all = json_array();
    size_t next = 0;
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
        if (p->rank_count)
            json_object_set_new(j, "job", region_ranks(m, i, &next));
        json_array_append_new(all, j);
    }
    return all;
}

static json_t *sampling(const struct paths *t)
{
    const struct profile *p = t->summary->profile;
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

static json_t *notes(const struct profile *p)
{
    static const char *const kinds[] = { "unknown", "lower_bound", "loss",      "hint",
                                         "dag",     "not_exact",   "as_executed" };
    json_t *all = json_array();
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        json_t *j = json_object();
        json_object_set_new(j, "kind", json_text(kinds[n->kind < 7 ? n->kind : 0]));
        json_object_set_new(j, "name", json_text(profile_string(p, n->name)));
        json_object_set_new(j, "text", json_text(profile_string(p, n->text)));
        json_object_set_new(j, "count", json_number(n->count));
        json_array_append_new(all, j);
    }
    return all;
}

/* S: of a thread, or of all. */
static json_t *switches(const struct lpf_switches *s)
{
    json_t *j = json_object();
    json_object_set_new(j, "voluntary", json_number(s->voluntary));
    json_object_set_new(j, "involuntary", json_number(s->involuntary));
    json_object_set_new(j, "wakeup_ns", json_number(s->wakeup_ns));
    json_object_set_new(j, "preempted_ns", json_number(s->preempted_ns));
    json_object_set_new(j, "idle_voluntary", json_number(s->idle_voluntary));
    json_object_set_new(j, "idle_involuntary", json_number(s->idle_involuntary));
    json_object_set_new(j, "idle_wakeup_ns", json_number(s->idle_wakeup_ns));
    json_object_set_new(j, "idle_preempted_ns", json_number(s->idle_preempted_ns));
    return j;
}

/* Why strands were off the CPU: what samples found, in ns, and the threads' switches. */
static json_t *off_cpu(const struct profile *p)
{
    json_t *j = json_object(), *kinds = json_object();
    struct lpf_switches sum;
    double ns[LPF_WAIT_KINDS] = { 0 };
    for (size_t i = 0; i < p->wait_count; i++)
        ns[p->waits[i].kind] += (double)p->waits[i].weight * p->totals.off_cpu_ns;
    for (unsigned kind = 0; kind < LPF_WAIT_KINDS; kind++)
        json_object_set_new(kinds, profile_wait_names[kind], json_real(ns[kind]));
    json_object_set_new(j, "sample_ns", json_number(p->totals.off_cpu_ns));
    json_object_set_new(j, "waits_ns", p->wait_count ? kinds : json_null());
    if (!p->wait_count)
        json_decref(kinds);
    json_object_set_new(j, "switches", profile_switches(p, &sum) ? switches(&sum) : json_null());
    return j;
}

static json_t *threads(const struct profile *p)
{
    json_t *all = json_array();
    for (size_t i = 0, at = 0; i < p->thread_count; i++) {
        const struct lpf_thread *t = &p->threads[i];
        json_t *j = json_object();
        json_object_set_new(j, "tid", json_number(t->tid));
        json_object_set_new(j, "kind", json_thread_kind(t->kind));
        json_object_set_new(j, "busy_ns", json_number(t->busy_ns));
        json_object_set_new(j, "work_ns", json_cost(p, t->work_cost));
        json_object_set_new(j, "tasks", json_number(t->tasks));
        json_object_set_new(j, "steals", json_number(t->steals));
        bool has = at < p->switch_count && p->switches[at].thread == i;
        json_object_set_new(j, "switches", has ? switches(&p->switches[at++]) : json_null());
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

/* What a merged profile was merged from. */
static json_t *merged(const struct profile *p)
{
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
        json_object_set_new(one, "end", json_end(in->end));
        json_object_set_new(one, "exit_status", json_number(in->exit_status));
        json_array_append_new(inputs, one);
    }
    json_object_set_new(j, "as",
                        json_text(p->inputs[0].mode == LPF_MERGE_RUNS  ? "runs"
                                  : p->inputs[0].mode == LPF_MERGE_JOB ? "job"
                                                                       : "processes"));
    json_object_set_new(j, "profiles", json_number(profiles));
    json_object_set_new(j, "inputs", inputs);
    return j;
}

/* The modules whose addresses were looked up, and why addresses of theirs have no names. */
static json_t *modules(struct symbols *s)
{
    json_t *all = json_array();
    struct symbols_module *found;
    char id[FILES_ID];
    size_t n = symbols_modules(s, &found);
    for (size_t i = 0; i < n; i++) {
        const struct symbols_module *m = &found[i];
        json_t *j = json_object();
        json_object_set_new(j, "path", json_text(m->path));
        json_object_set_new(j, "build_id",
                            *files_build_id(m->map, id) ? json_text(id) : json_null());
        json_object_set_new(j, "file", json_text(m->file));
        json_object_set_new(j, "debug_file", json_text(m->debug));
        json_object_set_new(j, "addresses", json_number(m->lookups));
        json_object_set_new(j, "addresses_without_name", json_number(m->nameless));
        json_object_set_new(j, "names_missing",
                            m->lack ? json_text(symbols_lack_names[m->lack]) : json_null());
        json_array_append_new(all, j);
    }
    free(found);
    return all;
}

struct json_t *json_report(const struct summary *m, const struct paths *t, const struct options *o)
{
    json_t *j = json_object(), *sites = json_array(), *waits = json_array();
    for (size_t i = 0; i < m->row_count; i++)
        json_array_append_new(sites, site(m, t, &m->rows[i]));
    for (size_t i = 0; i < m->wait_count; i++)
        json_array_append_new(waits, wait(m, &m->waits[i]));
    json_object_set_new(j, "format_version", json_integer(5));
    if (o->raw)
        json_object_set_new(j, "raw", json_true());
    json_object_set_new(j, "profile", json_text(m->profile->path));
    json_object_set_new(j, "program", json_program(m, t));
    json_object_set_new(j, "findings", json_findings(m, t));
    if (m->profile->input_count)
        json_object_set_new(j, "merged", merged(m->profile));
    json_object_set_new(j, "sites", sites);
    json_object_set_new(j, "waits", waits);
    json_object_set_new(j, "job", json_job(m, t));
    json_object_set_new(j, "ledger", json_ledger(m, t));
    if (m->profile->machine_count)
        json_object_set_new(j, "processors", json_processors(m->profile));
    json_object_set_new(j, "idle_intervals", json_idle_intervals(m));
    if (t)
        json_object_set_new(j, "sampling", sampling(t));
    if (t && o->columns) {
        json_object_set_new(j, "columns", json_path_columns(t));
    } else if (t) {
        json_object_set_new(j, "functions",
                            json_path_rows(t, t->functions, t->function_count, true));
        json_object_set_new(j, "lines", json_path_rows(t, t->lines, t->line_count, false));
        if (o->paths)
            json_object_set_new(j, "paths", json_path_nodes(t));
    }
    json_object_set_new(j, "regions", regions(m));
    json_t *whatif = scenarios_json(m);
    if (whatif)
        json_object_set_new(j, "whatif", whatif);
    json_object_set_new(j, "notes", notes(m->profile));
    json_object_set_new(j, "threads", threads(m->profile));
    json_object_set_new(j, "off_cpu", off_cpu(m->profile));
    if (m->profile->timeline_count)
        json_object_set_new(j, "timeline", json_timeline(m->profile));
    json_object_set_new(j, "modules", modules(m->symbols));
    char *lacking = names_lacking(m->symbols);
    json_object_set_new(j, "names_missing", json_text(lacking));
    free(lacking);
    json_object_set_new(j, "settings", settings(m->profile));
    return j;
}
