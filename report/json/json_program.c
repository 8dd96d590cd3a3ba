/* json_program.c - the whole program, and its ledger, in the stable form; see json.c. */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/figures.h"
#include "analysis/ledger.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "json/json.h"
#include "profile/profile.h"

static void put(json_t *to, const char *const *keys, enum certainty c)
{
    for (; *keys; keys++)
        json_object_set_new(to, *keys, json_text(certainty_names[c]));
}

/* How surely each figure of the program is known. */
static json_t *json_certainty(const struct summary *m, bool own)
{
    static const char
        *const measured[] = { "work_ns", "avg_maximal_strand_ns", NULL },
        *const exact[] = { "spawns", "syncs",   "steals",  "tasks", "elapsed_ns",
                           "cpu_ns", "workers", "idle_ns", NULL },
               *const sampled[] = { "own_code_per_strand_ns", "own_code_per_task_ns", NULL },
               *const estimated[] = { "burdened_span_ns", "burdened_parallelism",
                                      "burden_ns",        "own_ns",
                                      "waited_ns",        NULL },
               *const speedup[] = { "speedup", NULL },
               *const span[] = { "span_ns", NULL }, *const ratios[] = { "parallelism", NULL },
               *const divided[] = { "span_divisible_ns", NULL },
               *const divided_ratios[] = { "parallelism_divisible", NULL },
               *const typical_span[] = { "span_typical_ns", NULL },
               *const typical_ratios[] = { "parallelism_typical", NULL };
    json_t *j = json_object();
    enum certainty of_span = certainty_of_measured(certainty_span(m), own);
    put(j, measured, certainty_of_measured(CERTAIN_EXACT, own));
    put(j, exact, CERTAIN_EXACT);
    put(j, sampled, CERTAIN_SAMPLED);
    put(j, estimated, CERTAIN_ESTIMATED);
    put(j, speedup, m->standstill.much ? CERTAIN_NOT : CERTAIN_ESTIMATED);
    put(j, span, of_span);
    put(j, ratios, certainty_of_ratio(of_span));
    put(j, divided, certainty_of_measured(certainty_divisible(m), own));
    put(j, divided_ratios,
        certainty_of_ratio(certainty_of_measured(certainty_divisible(m), own)));
    if (m->profile->typical_count) {
        bool clean = m->profile->typical->flags & LPF_TYPICAL_CLEAN;
        enum certainty typical = clean ? of_span : CERTAIN_ESTIMATED;
        put(j, typical_span, typical);
        put(j, typical_ratios, certainty_of_ratio(typical));
    }
    return j;
}

/* The constructs whose decisions in this run the span has, each once. */
static json_t *json_executed(const struct summary *m)
{
    const struct profile *p = m->profile;
    json_t *names = json_object(), *all = json_array();
    const char *name;
    json_t *value;
    for (size_t i = 0; i < m->row_count; i++)
        if (certainty_is_executed(m, &m->rows[i]))
            json_object_set_new(names, m->rows[i].root ? m->rows[i].function
                                                       : m->rows[i].construct, json_true());
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_EXECUTED)
            json_object_set_new(names, profile_string(p, p->notes[i].name), json_true());
    json_object_foreach (names, name, value)
        json_array_append_new(all, json_string(name));
    json_decref(names);
    return all;
}

/* How loops were cut. */
static json_t *chunks(const struct summary *m)
{
    const struct profile *p = m->profile;
    const struct lpf_loops *chunk = p->loops;
    json_t *j = json_object();
    json_object_set_new(j, "executed", json_number(chunk->chunks));
    json_object_set_new(j, "divided", json_number(chunk->chunks_divided));
    json_object_set_new(j, "not_divided", json_number(chunk->chunks_unknown));
    json_object_set_new(j, "iterations", json_number(chunk->iterations));
    json_put_cut(j, p, &m->cut);
    return j;
}

/* The process and its clock. */
static void put_process(json_t *j, const struct profile *p)
{
    const struct lpf_totals *k = &p->totals;
    json_object_set_new(j, "exe", json_text(profile_string(p, k->exe)));
    json_object_set_new(j, "cmdline", json_text(profile_string(p, k->cmdline)));
    json_object_set_new(j, "pid", json_number(k->pid));
    json_object_set_new(j, "start_unix_ns", json_number(k->start_unix_ns));
    json_object_set_new(j, "clock", json_text(profile_string(p, k->clock)));
    json_object_set_new(j, "unit", json_text(profile_unit(p)));
}

/* Work, the spans of all dags, and their ratios. OWN: how much of the strands libprof was. */
static void put_parallelism(json_t *j, const struct summary *m, const struct own_share *own)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    json_object_set_new(j, "work_ns", json_cost(p, k->work_cost));
    json_object_set_new(j, "work_at_least_ns",
                        own->large ? json_cost(p, paths_work_at_least(own, k->work_cost))
                                   : json_null());
    json_object_set_new(j, "span_ns", json_cost(p, k->span_cost));
    json_object_set_new(j, "span_divisible_ns", json_cost(p, profile_divisible_span(p)));
    json_object_set_new(j, "span_typical_ns",
                        p->typical_count ? json_cost(p, profile_typical_span(p)) : json_null());
    if (p->loop_count)
        json_object_set_new(j, "chunks", chunks(m));
    json_object_set_new(j, "burdened_span_ns", json_cost(p, m->burdened_cost));
    json_object_set_new(j, "parallelism", json_parallelism(m->work, m->span));
    json_object_set_new(j, "parallelism_divisible", json_parallelism(m->work, m->divisible_span));
    json_object_set_new(j, "parallelism_typical",
                        p->typical_count ? json_parallelism(m->work, m->typical_span)
                                         : json_null());
    json_object_set_new(j, "burdened_parallelism", json_parallelism(m->work, m->burdened_span));
}

/* What the run counted and measured beside work and span. */
static void put_run(json_t *j, const struct summary *m)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    json_object_set_new(j, "spawns", json_number(k->spawns));
    json_object_set_new(j, "syncs", json_number(k->syncs));
    json_object_set_new(j, "steals", json_number(k->steals));
    json_object_set_new(j, "tasks", json_number(k->tasks));
    json_object_set_new(j, "elapsed_ns", json_number(k->elapsed_ns));
    json_object_set_new(j, "cpu_ns", json_number(k->cpu_ns));
    json_object_set_new(j, "workers", json_number(k->workers));
    json_object_set_new(j, "idle_ns", json_number(profile_idle_ns(p)));
    json_object_set_new(j, "waited_ns", json_real(m->standstill.waited));
    json_object_set_new(j, "own_ns", json_number(k->own_ns));
}

static void put_burden(json_t *j, const struct profile *p)
{
    static const char *const source[] = { "default", "setting", "measured" };
    const struct lpf_totals *k = &p->totals;
    json_object_set_new(j, "burden_ns", json_cost(p, k->burden_cost));
    json_object_set_new(j, "burden_source",
                        json_text(source[k->burden_source < 3 ? k->burden_source : 0]));
    json_object_set_new(j, "burden_steals", json_number(k->burden_steals));
}

/* How much of the program's own code a strand, and a task, is. */
static void put_grain(json_t *j, const struct summary *m, const struct paths *t)
{
    double tasks = m->profile->totals.tasks;
    struct own_code own = figures_own_code(m, t);
    json_object_set_new(j, "avg_maximal_strand_ns", json_real(m->average_strand));
    json_object_set_new(j, "own_code_per_strand_ns", json_real(own.ns / m->strands));
    json_object_set_new(j, "own_code_per_task_ns",
                        tasks > 0 ? json_real(own.ns / tasks) : json_null());
    json_object_set_new(j, "own_code_per_task_margin_ns",
                        tasks > 0 ? json_finite(Z95 * own.deviation / tasks) : json_null());
}

/* Why the span is not exact. */
static json_t *bounds(const struct summary *m)
{
    const struct profile *p = m->profile;
    json_t *all = json_array();
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_LOWER_BOUND || p->notes[i].kind == LPF_NOTE_NOT_EXACT)
            json_array_append_new(all, json_text(profile_string(p, p->notes[i].name)));
    if (m->standstill.threads)
        json_array_append_new(all, json_text("pthread_create"));
    return all;
}

json_t *json_end(uint32_t end)
{
    static const char *const ends[] = { "running", "exit", "signal", "quick", "exec" };
    return json_text(ends[end < 5 ? end : 0]);
}

json_t *json_thread_kind(uint32_t kind)
{
    static const char *const kinds[] = { "main", "user", "worker", "unknown" };
    return json_text(kinds[kind < 4 ? kind : LPF_THREAD_UNKNOWN]);
}

static json_t *speedup(const struct summary *m)
{
    json_t *all = json_array();
    bool typical = m->profile->typical_count, lower = summary_has_lower(m);
    unsigned procs[16], n = m->span > 0 ? summary_processors(m, procs, 16) : 0;
    for (unsigned i = 0; i < n; i++) {
        json_t *s = json_object();
        json_object_set_new(s, "p", json_number(procs[i]));
        json_object_set_new(s, "lower",
                            lower ? json_real(summary_lower(m, procs[i])) : json_null());
        json_object_set_new(s, "upper", json_real(summary_upper(m, procs[i])));
        json_object_set_new(s, "upper_divided", json_real(summary_upper_divided(m, procs[i])));
        json_object_set_new(s, "upper_typical",
                            typical ? json_real(summary_upper_typical(m, procs[i])) : json_null());
        json_array_append_new(all, s);
    }
    return all;
}

json_t *json_program(const struct summary *m, const struct paths *t)
{
    const struct profile *p = m->profile;
    struct own_share own = paths_own_share_all(m, t);
    json_t *j = json_object();
    put_process(j, p);
    put_parallelism(j, m, &own);
    put_run(j, m);
    put_burden(j, p);
    put_grain(j, m, t);
    json_object_set_new(j, "exact",
                        json_boolean(!own.estimate && certainty_span(m) == CERTAIN_EXACT));
    json_object_set_new(j, "certainty", json_certainty(m, own.estimate));
    json_object_set_new(j, "lower_bound_constructs", bounds(m));
    json_object_set_new(j, "as_executed_constructs", json_executed(m));
    json_object_set_new(j, "complete",
                        json_boolean(!(p->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED))));
    json_object_set_new(j, "end", json_end(p->totals.end));
    json_object_set_new(j, "exit_status", json_number(p->totals.exit_status));
    json_object_set_new(j, "speedup", speedup(m));
    return j;
}

static json_t *ledger_certainty(void)
{
    static const struct {
        const char *key;
        enum certainty sure;
    } rows[] = { { "work_ns", CERTAIN_SAMPLED }, /* exact with the overhead, which samples show */
                 { "overhead_in_strands_ns", CERTAIN_SAMPLED },
                 { "overhead_between_strands_ns", CERTAIN_ESTIMATED },
                 { "search_ns", CERTAIN_ESTIMATED },
                 { "sleep_ns", CERTAIN_EXACT },
                 { "sleep_run_delay_ns", CERTAIN_ESTIMATED },
                 { "waits_ns", CERTAIN_EXACT },
                 { "mpi_late_sender_ns", CERTAIN_EXACT },
                 { "mpi_late_receiver_ns", CERTAIN_EXACT },
                 { "mpi_collective_ns", CERTAIN_EXACT },
                 { "mpi_sent_ns", CERTAIN_EXACT },
                 { "mpi_transfer_ns", CERTAIN_EXACT },
                 { "blocked_ns", CERTAIN_EXACT },
                 { "run_delay_ns", CERTAIN_ESTIMATED },
                 { "own_ns", CERTAIN_ESTIMATED },
                 { "without_thread_ns", CERTAIN_EXACT } };
    json_t *j = json_object();
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_object_set_new(j, rows[i].key, json_text(certainty_names[rows[i].sure]));
    return j;
}

json_t *json_ledger(const struct summary *m, const struct paths *t)
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
    struct mpi_time mpi = summary_mpi(m);
    json_object_set_new(j, "mpi_late_sender_ns", json_real(mpi.late_sender));
    json_object_set_new(j, "mpi_late_receiver_ns", json_real(mpi.late_receiver));
    json_object_set_new(j, "mpi_collective_ns", json_real(mpi.collective));
    json_object_set_new(j, "mpi_sent_ns", json_real(mpi.sent));
    json_object_set_new(j, "mpi_transfer_ns", json_real(mpi.transfer));
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
