/* sections.c - see sections.h. Each emit_* function makes one section, or a few that belong
 * together.
 *
 * Other threads may still run. Lists are read from a head that was stored with release. Entries
 * that were added after the snapshot was sized are left out.
 */
#define _GNU_SOURCE
#include "output/sections.h"
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/config.h"
#include "base/message.h"
#include "base/program.h"
#include "contexts/modules.h"
#include "clock/events.h"
#include "dagrec/dagrec.h"
#include "engine/calibrated.h"
#include "whatif/whatif.h"
#include "libprof_format.h"
#include "dag/job.h"
#include "dag/region.h"
#include "dag/run.h"
#include "dag/thread.h"
#include "dag/typical.h"
#include "output/process_time.h"
#include "sampling/off_cpu.h"
#include "sampling/sample_source.h"
#include "unwind/call_tree.h"
#include "unwind/path.h"
#include "base/forbid.h"

static void emit_setting(void *closure, const char *name, const char *value)
{
    struct sections *s = closure;
    struct lpf_setting e = { buffer_string(&s->strings, name), buffer_string(&s->strings, value) };
    buffer_add(&s->settings, &e, sizeof e);
}

static void emit_number(struct sections *s, const char *name, uint64_t value)
{
    char text[24];
    message_format(text, sizeof text, "%lu", (unsigned long)value);
    emit_setting(s, name, text);
}

static void emit_settings(struct sections *s)
{
    config_each(emit_setting, s);
    emit_setting(s, "host", program_host());
    emit_setting(s, "clock", clock_detail());
    emit_number(s, "cpu-before-ns", process_time.cpu_before_ns);
    emit_number(s, "cpu-start-ns", process_time.cpu_start_ns);
    emit_number(s, "cpu-writing-ns", process_time_writing_ns());
    if (program.processors)
        emit_number(s, "processors", program.processors);
    uint64_t children = __atomic_load_n(&process_time.children, __ATOMIC_RELAXED);
    if (children) {
        emit_number(s, "children", children);
        emit_number(s, "cpu-children-ns", process_time_children_ns());
    }
    uint64_t delay;
    if (off_cpu_waited_alone(&delay))
        emit_number(s, "waited-alone-ns", delay);
    const struct path_statistics *ps = &path_statistics;
    char paths[160];
    message_format(paths, sizeof paths,
                   "%llu walks of the stack, %llu of them not kept; "
                   "%llu starts, %llu states, %llu chains, %llu segments",
                   (unsigned long long)ps->walks, (unsigned long long)ps->uncacheable,
                   (unsigned long long)ps->entries, (unsigned long long)ps->states,
                   (unsigned long long)ps->chains, (unsigned long long)ps->segments);
    emit_setting(s, "spawn-paths", paths);
    const char *name;
    uint64_t value;
    for (unsigned i = 0; !events_read(i, &name, &value); i++) {
        char key[80];
        message_format(key, sizeof key, "event:%s", name);
        emit_number(s, key, value);
    }
}

static void emit_sites(struct sections *s)
{
    /* Ids count up from the oldest; the list starts at the newest. */
    const struct site *newest = __atomic_load_n(&site_list, __ATOMIC_ACQUIRE);
    uint32_t n = newest ? newest->id + 1 : 0;
    struct lpf_site *out = buffer_grow(&s->sites, n * sizeof *out);
    if (!out)
        return;
    for (const struct site *x = newest; x; x = x->next) {
        struct lpf_site e = { .runtime = buffer_string(&s->strings, x->runtime),
                              .construct = buffer_string(&s->strings, x->construct),
                              .flags = x->flags | (x->took_others ? LPF_SITE_TOOK_OTHERS : 0) };
        for (unsigned i = 0; i < SITE_ADDRESSES; i++)
            e.address[i] = x->address[i];
        out[x->id] = e;
    }
}

/* Context 0, the program's own strands, is in the totals; file index = id - 1. */
static void emit_contexts(struct sections *s, const struct snapshot *snap, struct clock_rate rate)
{
    uint32_t n = snap->context_count;
    struct lpf_context *out = n > 1 ? buffer_grow(&s->contexts, (n - 1) * sizeof *out) : 0;
    if (!out)
        return;
    const struct context *c = __atomic_load_n(&context_list, __ATOMIC_ACQUIRE);
    for (; c; c = c->next) {
        if (!c->id || c->id >= n)
            continue;
        const struct metrics *m = &snap->metrics[c->id];
        const struct on_span *o = &snap->on_span[c->id];
        out[c->id - 1] = (struct lpf_context){
            .id = c->id - 1,
            .parent = c->parent && c->parent->id ? c->parent->id - 1 : LPF_NONE,
            .site = c->site->id,
            .node = c->path->node,
            .flags = c->overflow ? LPF_CTX_OVERFLOW : 0,
            .tasks = m->tasks, .invocations = m->invocations, .steals = m->steals,
            .work_local_cost = m->work_local, .span_local_cost_all = m->span_local,
            .top_count = c->top ? m->invocations : 0,
            .top_work_cost = c->top ? m->work : 0,
            .top_span_cost = c->top ? m->span : 0,
            .topcaller_count = c->topcaller ? m->invocations : 0,
            .topcaller_work_cost = c->topcaller ? m->work : 0,
            .topcaller_span_cost = c->topcaller ? m->span : 0,
            .on_count = o->count,
            .blocked_ns = clock_ns(rate, snap->spread[c->id].blocked),
            .on_work_local_cost = o->work_local, .span_local_cost = o->span_local,
            .on_top_count = c->top ? o->count : 0,
            .on_top_work_cost = c->top ? o->work : 0,
            .on_top_span_cost = c->top ? o->span : 0,
            .on_topcaller_count = c->topcaller ? o->count : 0,
            .on_topcaller_work_cost = c->topcaller ? o->work : 0,
            .on_topcaller_span_cost = c->topcaller ? o->span : 0,
        };
    }
}

/* Entries ascend by context. Contexts without tasks have no entry. */
static void emit_spread(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t i = 1; i < snap->context_count; i++) {
        const struct spread *x = &snap->spread[i];
        if (!x->threads)
            continue;
        struct lpf_spread e = { .context = i - 1, .threads = x->threads,
                                .longest_cost = snap->metrics[i].longest,
                                .busiest_tid = x->busiest_tid, .busiest_tasks = x->busiest_tasks,
                                .busiest_work_cost = x->busiest_work };
        buffer_add(&s->spread, &e, sizeof e);
    }
}

static void emit_nodes(struct sections *s)
{
    uint32_t n = cct_count();
    modules_note_tree();
    struct lpf_node *out = buffer_grow(&s->nodes, n * sizeof *out);
    if (!out)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct cct_node *from = cct_node(i);
        out[i] = (struct lpf_node){ .parent = from->parent, .kind = from->kind,
                                    .address = from->address };
    }
}

static void emit_waits(struct sections *s, uint32_t node, const struct node_waits *w)
{
    for (uint32_t kind = 0; kind < LPF_WAIT_KINDS; kind++) {
        struct lpf_wait e = { .node = node, .kind = kind, .weight = w->weight[kind],
                              .idleness = w->idleness[kind] };
        if (e.weight)
            buffer_add(&s->waits, &e, sizeof e);
    }
}

static void emit_samples(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t i = 0; i < snap->node_count; i++) {
        const struct node_samples *n = &snap->samples[i];
        if (n->has_waits)
            emit_waits(s, i, &snap->waits[i]);
        if (!n->weight && !n->on_span && !n->blocked)
            continue;
        uint32_t blocked = n->blocked < UINT32_MAX ? n->blocked : UINT32_MAX;
        struct lpf_sample e = { .node = i, .blocked = blocked, .weight = n->weight,
                                .idleness = n->idleness, .on_span = n->on_span };
        buffer_add(&s->samples, &e, sizeof e);
        if (n->squares == n->weight && n->on_span_squares == n->on_span)
            continue;
        struct lpf_squares q = { .node = i, .weight = n->squares, .on_span = n->on_span_squares };
        buffer_add(&s->squares, &q, sizeof q);
    }
}

/* R, the last of the regions. */
static void emit_region_rank(struct sections *s, const struct snapshot *snap,
                             const struct region_total *r, struct clock_rate rate)
{
    uint64_t elapsed = clock_ns(rate, r->elapsed), in_mpi = clock_ns(rate, r->in_calls),
             outside = elapsed > in_mpi ? elapsed - in_mpi : 0;
    struct lpf_region_rank e = {
        .region = s->regions.used / sizeof(struct lpf_region) - 1, .ranks = 1,
        .workers = snap->workers, .work_cost = r->main_work, .most_work_cost = r->main_work,
        .elapsed_ns = elapsed, .most_elapsed_ns = elapsed, .outside_ns = outside,
        .most_outside_ns = outside,
    };
    buffer_add(&s->region_ranks, &e, sizeof e);
}

static void emit_regions(struct sections *s, const struct snapshot *snap, struct clock_rate rate)
{
    for (const struct region_total *r = engine_regions; r; r = r->next) {
        if (!r->count)
            continue;
        struct lpf_region e = { .name = buffer_string(&s->strings, r->name), .count = r->count,
                                .work_cost = r->work, .span_cost = r->span,
                                .burdened_len_cost = r->len.L, .burdened_edges = r->len.K,
                                .max_span_cost = r->max_span };
        buffer_add(&s->regions, &e, sizeof e);
        if (r->elapsed)
            emit_region_rank(s, snap, r, rate);
    }
}

static void emit_loops(struct sections *s, const struct snapshot *snap)
{
    struct lpf_loops e = { .span_cost = snap->len.D, .chunks = snap->chunks,
                           .chunks_divided = snap->chunks_divided,
                           .chunks_unknown = snap->chunks_unknown,
                           .iterations = snap->iterations };
    buffer_add(&s->loops, &e, sizeof e);
}

/* Entries ascend by context: that of the program's own strands (context 0), LPF_NONE, is last. */
static void emit_chunks(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t i = 1; i <= snap->context_count; i++) {
        uint32_t id = i % snap->context_count;
        const struct chunks *c = &snap->spread[id].chunks;
        struct lpf_chunks e = { .context = id - 1, .by_runtime = c->by_runtime,
                                .by_program = c->by_program };
        if (c->by_runtime && c->sized >= c->by_runtime)
            e.flags = LPF_CHUNKS_SIZED;
        if (c->by_runtime || c->by_program)
            buffer_add(&s->chunks, &e, sizeof e);
    }
}

static void emit_handed(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t id = 1; id < snap->context_count; id++) {
        const struct chunks *c = &snap->spread[id].chunks;
        struct lpf_handed e = { .context = id - 1, .chunks = c->tasks, .work_cost = c->work,
                                .longest_cost = c->longest };
        if (c->tasks)
            buffer_add(&s->handed, &e, sizeof e);
    }
}

/* With one worker, no team could have been larger. */
static void emit_teams_of_one(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t id = 1; id < snap->context_count && snap->workers > 1; id++) {
        const struct teams_of_one *t = &snap->spread[id].teams;
        struct lpf_team_of_one e = { .context = id - 1, .executions = t->executions,
                                     .work_cost = t->work };
        if (t->executions)
            buffer_add(&s->teams_of_one, &e, sizeof e);
    }
}

/* Excess that was taken off T and is not confirmed is added to the span again: all of it may be on
 * one path. The program's own strands (context 0) are few, so they have no entry. */
static void emit_typical(struct sections *s, const struct snapshot *snap)
{
    bool clean = typical_least == UINT64_MAX;
    uint64_t span = clean ? snap->span : snap->len.T;
    for (uint32_t i = 0; i < snap->context_count && !clean; i++) {
        struct outliers o;
        if (!typical_sum(i, &o))
            continue;
        span += o.again;
        if (!i || !o.count)
            continue;
        struct lpf_outliers e = { .context = i - 1, .parts = o.parts, .outliers = o.count,
                                  .excess_cost = o.excess, .longest_cost = o.longest };
        buffer_add(&s->outliers, &e, sizeof e);
    }
    struct lpf_typical e = { .span_cost = span < snap->span ? span : snap->span,
                             .least_cost = clean ? 0 : typical_least,
                             .most_cost = clean ? 0 : typical_most,
                             .flags = clean ? LPF_TYPICAL_CLEAN : 0 };
    buffer_add(&s->typical, &e, sizeof e);
}

static void emit_rank(struct sections *s, const struct snapshot *snap, struct clock_rate rate)
{
    if (!job.size)
        return;
    uint64_t elsewhere = 0;
    for (const struct context *c = __atomic_load_n(&context_list, __ATOMIC_ACQUIRE); c; c = c->next)
        if (c->id && c->id < snap->context_count && c->site->flags & LPF_SITE_ELSEWHERE)
            elsewhere += snap->on_span[c->id].span_local;
    struct lpf_rank e = {
        .rank = job.rank, .size = job.size, .pid = getpid(),
        .host = buffer_string(&s->strings, program_host()),
        .flags = (job.was_joined ? LPF_RANK_JOINED : 0) | (job.finished ? LPF_RANK_FINISHED : 0),
        .job_span_cost = job.finished ? job.span : 0,
        .work_cost = snap->work,
        .on_path_cost = snap->span > elsewhere ? snap->span - elsewhere : 0,
        .threads_ns = clock_ns(rate, snap->life_tsc),
        .calls = job.calls,
        .late_sender_ns = clock_ns(rate, job.ticks[JOB_LATE_SENDER]),
        .collective_ns = clock_ns(rate, job.ticks[JOB_COLLECTIVE]),
        .late_receiver_ns = clock_ns(rate, job.ticks[JOB_LATE_RECEIVER]),
        .sent_ns = clock_ns(rate, job.ticks[JOB_SENT]),
        .transfer_ns = clock_ns(rate, job.ticks[JOB_TRANSFER]),
        .samples = snap->sampled,
        .workers = snap->workers,
    };
    buffer_add(&s->ranks, &e, sizeof e);
}

static void emit_whatif(struct sections *s, const struct snapshot *snap)
{
    uint16_t mixed[WHATIF_CANDIDATES];
    whatif_mixed(mixed, snap->work / LPF_CANDIDATE_MIXED_PART);
    for (uint32_t i = 0; i < whatif_candidates; i++) {
        const struct whatif_seen *w = &whatif_seen[i];
        struct lpf_candidate e = { .name = buffer_string(&s->strings, whatif_candidate[i]),
                                   .flags = (w->code ? LPF_CANDIDATE_CODE : 0) |
                                            (uint32_t)mixed[i] << LPF_CANDIDATE_MIXED,
                                   .regions = w->regions, .contexts = w->contexts,
                                   .samples = whatif_equal(w->weight, w->squares) };
        buffer_add(&s->candidates, &e, sizeof e);
    }
    for (uint32_t i = 0; snap->scaled_work && i < whatif_scenarios; i++) {
        const struct whatif_scenario *w = &whatif_scenario[i];
        uint64_t half = whatif_unit / 2;
        struct lpf_scenario e = { .first_term = w->first, .terms = w->terms,
                                  .flags = w->limit ? LPF_SCENARIO_LIMIT : 0,
                                  .work_cost = snap->scaled_work[i],
                                  .span_cost = (snap->scaled_span[i] + half) / whatif_unit };
        buffer_add(&s->scenarios, &e, sizeof e);
        for (uint32_t k = w->first; k < w->first + w->terms; k++) {
            struct lpf_term t = { whatif_term[k].candidate, whatif_term[k].num,
                                  whatif_term[k].den, 0 };
            buffer_add(&s->terms, &t, sizeof t);
        }
    }
}

static void emit_dag_op(void *closure, const struct lpf_dag_op *op)
{
    struct sections *s = closure;
    buffer_add(&s->dag_ops, op, sizeof *op);
}

static void emit_dag_arc(void *closure, const struct lpf_dag_arc *arc)
{
    struct sections *s = closure;
    buffer_add(&s->dag_arcs, arc, sizeof *arc);
}

static void emit_dag(struct sections *s, const struct snapshot *snap)
{
    static const struct dagrec_emit emit = { emit_dag_op, emit_dag_arc };
    struct lpf_dag head;
    if (snap->final && dagrec_emit(&head, &emit, s))
        buffer_add(&s->dag, &head, sizeof head);
}

/* The switches of TH, the last of the threads. Adds to DELAY and IDLE what it was preempted. */
static void emit_switches(struct sections *s, const struct thread *th, uint64_t *delay,
                          uint64_t *idle)
{
    struct thread_switches w;
    if (!off_cpu_switches(th, &w))
        return;
    struct lpf_switches e = {
        .thread = s->threads.used / sizeof(struct lpf_thread) - 1,
        .voluntary = w.inside.voluntary, .involuntary = w.inside.involuntary,
        .wakeup_ns = w.inside.wakeup, .preempted_ns = w.inside.preempted,
        .idle_voluntary = w.between.voluntary, .idle_involuntary = w.between.involuntary,
        .idle_wakeup_ns = w.between.wakeup, .idle_preempted_ns = w.between.preempted,
    };
    buffer_add(&s->switches, &e, sizeof e);
    *delay += w.inside.preempted;
    *idle += w.between.preempted;
}

static void emit_threads(struct sections *s, struct clock_rate rate)
{
    uint64_t delay = 0, idle = 0;
    for (const struct thread *th = engine_threads; th; th = th->next) {
        uint64_t work = 0, tasks = 0;
        for (uint32_t i = 0, n = context_count(); i < n; i++) {
            const struct metrics *m = thread_metrics(th, i);
            work += m ? m->work_local : 0;
            tasks += m ? m->tasks : 0;
        }
        const struct task *live = th == thread_self_ ? th->cur : th->open_task;
        if (live)
            work += live->own + th->open;
        if (th->root && th->root != live)
            work += th->root->own;
        struct lpf_thread e = { .tid = th->tid, .busy_ns = clock_ns(rate, th->busy_tsc),
                                .work_cost = work, .tasks = tasks, .steals = th->steals,
                                .kind = th->kind };
        buffer_add(&s->threads, &e, sizeof e);
        emit_switches(s, th, &delay, &idle);
    }
    if (s->switches.used) {
        emit_number(s, "run-delay-ns", delay);
        emit_number(s, "run-delay-idle-ns", idle);
    }
}

/* Are the spans those of every run, or at least those of this run? */
static bool spans_are_exact(void)
{
    for (unsigned i = 0; i < ENGINE_CAVEATS && engine_caveats[i].construct; i++)
        if (__atomic_load_n(&engine_caveats[i].kind, __ATOMIC_RELAXED) != LPF_NOTE_EXECUTED)
            return false;
    return !job_is_cut();
}

static void emit_modules(struct sections *s)
{
    modules_note_runtimes();
    const struct module *m = __atomic_load_n(&modules_list, __ATOMIC_ACQUIRE);
    for (; m; m = m->next) {
        struct lpf_module e = m->m;
        e.path = buffer_string(&s->strings, m->path);
        buffer_add(&s->modules, &e, sizeof e);
    }
}

static void emit_totals(struct sections *s, const struct snapshot *snap, struct clock_rate rate,
                        uint32_t end, uint32_t status)
{
    struct lpf_totals t = {
        .work_cost = snap->work, .span_cost = snap->span,
        .burdened_len_cost = snap->len.L, .burdened_edges = snap->len.K,
        .burden_cost = snap->burden,
        .root_work_cost = snap->root_work, .root_span_cost = snap->root_span,
        .tasks = snap->tasks, .spawns = snap->spawns, .syncs = snap->syncs, .steals = snap->steals,
        .elapsed_ns = clock_read_ns(CLOCK_MONOTONIC) - process_time.start_wall_ns,
        .cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
        .idle_ns = clock_ns(rate, snap->idle_tsc), .own_ns = clock_ns(rate, snap->own_tsc),
        .start_unix_ns = process_time.start_unix_ns, .burden_steals = snap->burden_steals,
        .burden_source = snap->burden_source,
        .workers = snap->workers,
        .pid = getpid(), .ppid = getppid(),
        .clock = buffer_string(&s->strings, clock_name()),
        .exact = spans_are_exact() && !snap->lost[LOSS_LATE_JOIN] && !snap->lost[LOSS_MEMORY],
        .exe = buffer_string(&s->strings, program.exe),
        .cmdline = buffer_string(&s->strings, program.cmdline),
        .end = end, .exit_status = status,
        .min_strand_cost = calibrated.begin,
        .threads_ns = clock_ns(rate, snap->life_tsc),
        .search_ns = clock_ns(rate, snap->search_tsc), .sleep_ns = clock_ns(rate, snap->sleep_tsc),
        .dispatch_ns = clock_ns(rate, snap->dispatch_tsc),
        .blocked_ns = clock_ns(rate, snap->blocked_tsc),
        .sample_period_ns = sample_source_period_ns(),
        .sample_period_events = sample_source_period_events(),
        .samples = snap->sampled,
        .samples_outside = snap->sampled_outside, .samples_lost = snap->sampled_lost,
        .samples_cut = snap->sampled_cut, .nodes_lost = snap->lost[LOSS_NODES],
        .sample_source = buffer_string(&s->strings, sample_source_name()),
        .off_cpu_ns = OFF_CPU_NS,
    };
    clock_unit(&t.ns_num, &t.ns_den);
    buffer_add(&s->totals, &t, sizeof t);
}

void sections_fill(struct sections *s, const struct snapshot *snap, uint32_t end, uint32_t status)
{
    struct clock_rate rate = clock_rate();
    buffer_string(&s->strings, "");
    emit_settings(s);
    emit_totals(s, snap, rate, end, status);
    emit_sites(s);
    emit_contexts(s, snap, rate);
    emit_spread(s, snap);
    emit_nodes(s);
    emit_samples(s, snap);
    emit_modules(s);
    emit_regions(s, snap, rate);
    emit_loops(s, snap);
    emit_chunks(s, snap);
    emit_teams_of_one(s, snap);
    emit_handed(s, snap);
    emit_typical(s, snap);
    sections_idle(s, snap, rate);
    emit_rank(s, snap, rate);
    sections_awaited(s);
    emit_dag(s, snap);
    sections_notes(s, snap);
    emit_threads(s, rate);
    sections_timeline(s, rate);
    sections_cpus(s);
    emit_whatif(s, snap);
}

void sections_release(struct sections *s)
{
    struct buffer *each = (struct buffer *)s;
    for (unsigned i = 0; i < sizeof *s / sizeof *each; i++)
        buffer_release(&each[i]);
}
