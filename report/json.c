/* json.c - the stable form; docs/JSON.md describes every key. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "report.h"

static json_t *number(uint64_t v)
{
    return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

/* Costs are whole numbers of the unit: rounded, not cut. */
static json_t *cost(const struct profile *p, uint64_t c)
{
    double v = profile_ns(p, c);
    if (p->totals.ns_num == p->totals.ns_den || !p->totals.ns_num)
        return number(c);       /* no conversion: no rounding either */
    return number(v >= 9e18 ? INT64_MAX : (uint64_t)(v + 0.5));
}

static json_t *fraction(double a, double b)
{
    return b > 0 && isfinite(a / b) ? json_real(a / b) : json_null();
}

/* Names come from files: what is not UTF-8 must not lose the document. */
static json_t *text(const char *s)
{
    json_t *j = s ? json_string(s) : json_null();
    if (j)
        return j;
    char clean[4096];
    size_t n = 0;
    for (; *s && n < sizeof clean - 1; s++)
        clean[n++] = (unsigned char)*s < 128 ? *s : '?';
    clean[n] = 0;
    return json_string(clean);
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

static json_t *site(const struct model *m, const struct row *r)
{
    const struct profile *p = m->profile;
    json_t *j = json_object(), *addresses = json_array(), *on = json_object();
    json_object_set_new(j, "function", text(r->function));
    json_object_set_new(j, "file", text(r->file));
    json_object_set_new(j, "line", json_integer(r->line));
    json_object_set_new(j, "code", text(r->code));
    json_object_set_new(j, "construct", text(r->construct));
    json_object_set_new(j, "runtime", text(r->runtime));
    json_object_set_new(j, "outside_tasks", json_boolean(r->root));
    for (int i = 0; i < 4 && r->address[i]; i++)
        json_array_append_new(addresses, number(r->address[i]));
    json_object_set_new(j, "addresses", addresses);
    json_object_set_new(j, "module", text(r->address[0] ? symbols_module(p, r->address[0]) : 0));
    json_object_set_new(j, "lower_bound", json_boolean(r->lower_bound));
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
    json_object_set_new(on, "share_of_span", json_real(r->share));
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
    bool time = t->ns_num;
    json_object_set_new(j, "exe", text(profile_string(p, t->exe)));
    json_object_set_new(j, "cmdline", text(profile_string(p, t->cmdline)));
    json_object_set_new(j, "pid", number(t->pid));
    json_object_set_new(j, "clock", text(profile_string(p, t->clock)));
    json_object_set_new(j, "unit", text(profile_unit(p)));
    json_object_set_new(j, "work_ns", cost(p, t->work_cost));
    json_object_set_new(j, "span_ns", cost(p, t->span_cost));
    json_object_set_new(j, "burdened_span_ns",
                        cost(p, t->burdened_len_cost + t->burdened_edges * t->burden_cost));
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
    json_object_set_new(j, "strand_is_short",
                        json_boolean(t->spawns && m->average_strand <
                                     (time ? SHORT_STRAND_NS : SHORT_STRAND_INSTRUCTIONS)));
    json_object_set_new(j, "exact", json_boolean(t->exact));
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_LOWER_BOUND)
            json_array_append_new(bounds, text(profile_string(p, p->notes[i].name)));
    json_object_set_new(j, "lower_bound_constructs", bounds);
    json_object_set_new(j, "complete", json_boolean(!(p->flags & LPF_F_CHECKPOINT)));
    json_object_set_new(j, "end", text(ends[t->end < 5 ? t->end : 0]));
    json_object_set_new(j, "exit_status", number(t->exit_status));
    unsigned procs[16], n = m->span > 0 ? model_processors(m, procs, 16) : 0;
    for (unsigned i = 0; i < n; i++) {
        json_t *s = json_object();
        json_object_set_new(s, "processors", number(procs[i]));
        json_object_set_new(s, "lower", json_real(model_lower(m, procs[i])));
        json_object_set_new(s, "upper", json_real(model_upper(m, procs[i])));
        json_array_append_new(speedup, s);
    }
    json_object_set_new(j, "speedup", speedup);
    return j;
}

struct json_t *json_model(struct model *m)
{
    static const char *const kinds[] = { "", "lower_bound", "loss", "hint" };
    static const char *const threads[] = { "main", "user", "worker", "unknown" };
    const struct profile *p = m->profile;
    json_t *j = json_object(), *sites = json_array(), *regions = json_array(), *notes = json_array(),
           *settings = json_object(), *thread_array = json_array();
    json_object_set_new(j, "format_version", json_integer(1));
    json_object_set_new(j, "program", program(m));
    for (size_t i = 0; i < m->row_count; i++)
        json_array_append_new(sites, site(m, &m->rows[i]));
    json_object_set_new(j, "sites", sites);
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        json_t *e = json_object();
        json_object_set_new(e, "name", text(profile_string(p, r->name)));
        json_object_set_new(e, "count", number(r->count));
        json_object_set_new(e, "work_ns", cost(p, r->work_cost));
        json_object_set_new(e, "span_ns", cost(p, r->span_cost));
        json_object_set_new(e, "burdened_span_ns",
                            cost(p, r->burdened_len_cost + r->burdened_edges * p->totals.burden_cost));
        json_object_set_new(e, "max_span_ns", cost(p, r->max_span_cost));
        json_object_set_new(e, "parallelism", fraction(r->work_cost, r->span_cost));
        json_array_append_new(regions, e);
    }
    json_object_set_new(j, "regions", regions);
    for (size_t i = 0; i < p->note_count; i++) {
        json_t *e = json_object();
        json_object_set_new(e, "kind", text(kinds[p->notes[i].kind < 4 ? p->notes[i].kind : 0]));
        json_object_set_new(e, "name", text(profile_string(p, p->notes[i].name)));
        json_object_set_new(e, "text", text(profile_string(p, p->notes[i].text)));
        json_object_set_new(e, "count", number(p->notes[i].count));
        json_array_append_new(notes, e);
    }
    json_object_set_new(j, "notes", notes);
    for (size_t i = 0; i < p->thread_count; i++) {
        const struct lpf_thread *t = &p->threads[i];
        json_t *e = json_object();
        json_object_set_new(e, "tid", number(t->tid));
        json_object_set_new(e, "kind", text(threads[t->kind < 4 ? t->kind : 3]));
        json_object_set_new(e, "busy_ns", number(t->busy_ns));
        json_object_set_new(e, "work_ns", cost(p, t->work_cost));
        json_object_set_new(e, "tasks", number(t->tasks));
        json_object_set_new(e, "steals", number(t->steals));
        json_array_append_new(thread_array, e);
    }
    json_object_set_new(j, "threads", thread_array);
    for (size_t i = 0; i < p->setting_count; i++)
        json_object_set_new(settings, profile_string(p, p->settings[i].key),
                            text(profile_string(p, p->settings[i].value)));
    json_object_set_new(j, "settings", settings);
    return j;
}
