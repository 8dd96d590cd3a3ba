/* snapshot.c - sums the engine's figures for the writer.
 *
 * The final snapshot runs on the thread that ends the program. Other threads may still run. Each
 * word of theirs is read by one aligned 64-bit load. A checkpoint runs on the sampling or the
 * checkpoint thread while the program runs. So it must not follow pointers that the hooks change.
 * It takes the span and the on-span profile from what the main strand last published, or from a
 * longer strand or task.
 */
#include <errno.h>
#include <string.h>
#include "dag/job.h"
#include "dag/region.h"
#include "dag/run.h"
#include "dag/valid.h"
#include "engine/burden.h"
#include "engine/calibrated.h"
#include "engine/strand.h"
#include "libprof_format.h"
#include "output/snapshot.h"
#include "output/snapshot_private.h"
#include "sampling/off_cpu.h"
#include "sampling/sampler.h"
#include "unwind/call_tree.h"
#include "whatif/whatif.h"
#include "base/program.h"
#include "base/forbid.h"

static void add_rare(struct spread *to, const struct metrics_rare *rare, uint32_t i)
{
    const struct chunks *c = &rare->chunks[i];
    to->chunks.by_runtime += c->by_runtime;
    to->chunks.by_program += c->by_program;
    to->chunks.sized += c->sized;
    to->chunks.tasks += c->tasks;
    to->chunks.work += c->work;
    if (c->longest > to->chunks.longest)
        to->chunks.longest = c->longest;
    to->teams.executions += rare->teams[i].executions;
    to->teams.work += rare->teams[i].work;
}

/* TH has done M's tasks and work of context ID. */
static void add_spread(struct spread *to, const struct thread *th, const struct metrics *m,
                       uint32_t id)
{
    const struct metrics_rare *rare =
        __atomic_load_n(&th->metrics[id / METRICS_PIECE]->rare, __ATOMIC_ACQUIRE);
    if (rare)
        add_rare(to, rare, id % METRICS_PIECE);
    bool more = m->work_local > to->busiest_work || (m->tasks && !to->threads);
    to->threads += m->tasks != 0;
    if (more) {
        to->busiest_work = m->work_local;
        to->busiest_tasks = m->tasks;
        to->busiest_tid = th->tid;
    }
}

/* TH may end a chunk between two of these loads. So each kind is bounded by the sum of all. */
static void add_chunks(struct snapshot *s, const struct thread *th)
{
    uint64_t chunks = __atomic_load_n(&th->chunks, __ATOMIC_RELAXED);
    s->chunks += chunks;
    s->chunks_divided += at_most(__atomic_load_n(&th->chunks_divided, __ATOMIC_RELAXED), chunks);
    s->chunks_unknown += at_most(__atomic_load_n(&th->chunks_unknown, __ATOMIC_RELAXED), chunks);
    s->iterations += th->iterations;
}

static void sum_threads(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        for (uint32_t i = 0; i < s->context_count; i++) {
            const struct metrics *m = thread_metrics(th, i);
            struct metrics *to = &s->metrics[i];
            if (!m)
                continue;
            to->tasks += m->tasks;
            s->tasks += m->tasks;
            to->invocations += m->invocations;
            to->steals += m->steals;
            to->work_local += m->work_local;
            to->span_local += m->span_local;
            to->work += m->work;
            to->span += m->span;
            if (m->longest > to->longest)
                to->longest = m->longest;
            s->spread[i].blocked += thread_blocked(th, i);
            add_spread(&s->spread[i], th, m, i);
        }
        s->own_tsc += th->measured_tsc + (th->live ? th->clock.own : 0);
        s->spawns += th->spawns;
        s->syncs += th->syncs;
        s->steals += th->steals;
        add_chunks(s, th);
        s->busy_tsc += th->busy_tsc;
        if (th->cur && clock_ticks() > th->strand_tsc)
            s->busy_tsc += clock_ticks() - th->strand_tsc;
        s->approximate += th->approximate;
        for (unsigned i = 0; i < LOSSES; i++)
            s->lost[i] += th->lost[i];
    }
}

static void choose_burden(struct snapshot *s)
{
    static uint64_t h[128];
    uint64_t n = 0;
    memset(h, 0, sizeof h);
    for (struct thread *th = engine_threads; th; th = th->next) {
        for (unsigned i = 0; i < 128; i++)
            h[i] += th->steal_histogram[i];
        n += th->steal_samples;
    }
    burden_settle();
    s->burden_source = LPF_BURDEN_SETTING;
    s->burden = engine_burden;
    if (!burden_measured)
        return;
    s->burden_source = n ? LPF_BURDEN_MEASURED : LPF_BURDEN_DEFAULT;
    s->burden_steals = n;
    if (n)
        s->burden = histogram_median(h, n);
}

/* What no thread counts. ENDING: the strand that ends the program, or NULL; it leaves its regions
 * open. */
static void count_losses(struct snapshot *s, const struct task *ending)
{
    s->lost[LOSS_NODES] += context_lost_nodes;
    s->lost[LOSS_PATHS] += context_lost_paths;
    s->lost[LOSS_CONTEXTS] += context_lost_contexts;
    for (const struct region_instance *r = ending ? ending->regions : 0; r; r = r->next)
        s->lost[LOSS_REGION]++;
}

/* The work of all, and what the program's strands have of it and of the span. */
static void sum_work(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->context_count; i++)
        s->work += s->metrics[i].work_local;
    if (s->scaled_work)
        whatif_work(s->scaled_work);
    s->root_work = s->metrics[0].work_local;
    s->root_span = s->on_span[0].span_local;
}

#if LIBPROF_DEBUG
uint64_t strands_of_others(void)
{
    uint64_t sum = 0;
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next) {
        if (th == thread_self_)
            continue;
        if (__atomic_load_n(&th->cur, __ATOMIC_ACQUIRE))
            return UINT64_MAX;
        sum += __atomic_load_n(&th->idle_since, __ATOMIC_RELAXED) +
               __atomic_load_n(&th->spawns, __ATOMIC_RELAXED);
    }
    return sum;
}

bool snapshot_is_valid(const struct snapshot *s, uint64_t before)
{
    if (before == UINT64_MAX || strands_of_others() != before || memory_was_lost())
        return true;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->context_count; i++)
        sum += s->on_span[i].span_local;
    ASSERT(sum == s->span);
    ASSERT(s->len.L + s->len.K * s->burden >= s->span && s->len.D <= s->span &&
           s->len.T <= s->span);
    return true;
}
#endif

/* The tables of S, by context, node and scenario. */
static bool tables_new(struct snapshot *s)
{
    s->context_count = context_count();
    s->node_count = cct_count();
    s->metrics = memory_map(s->context_count * sizeof s->metrics[0]);
    s->spread = memory_map(s->context_count * sizeof s->spread[0]);
    s->on_span = memory_map(s->context_count * sizeof s->on_span[0]);
    s->samples = memory_map(s->node_count * sizeof s->samples[0]);
    s->waits = memory_map(s->node_count * sizeof s->waits[0]);
    if (whatif_scenarios &&
        (s->scaled_work = memory_map(2 * whatif_scenarios * sizeof s->scaled_work[0])))
        s->scaled_span = s->scaled_work + whatif_scenarios;
    return s->metrics && s->spread && s->on_span && s->samples && s->waits;
}

static bool has_tasks(const struct thread *th)
{
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < context_count(); i += METRICS_PIECE) {
        const struct metrics *m = thread_metrics(th, i);
        for (uint32_t k = 0; m && k < METRICS_PIECE; k++)
            tasks += m[k].tasks;
    }
    return tasks;
}

/* In the child of fork, the contexts may all be the parent's. */
bool snapshot_is_idle(void)
{
    const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    return !engine_regions && !job.calls &&
           (!th || (!th->next && !th->spawns && !th->syncs && !has_tasks(th)));
}

int snapshot_take(struct snapshot *s, bool final)
{
    memset(s, 0, sizeof *s);
    s->final = final;
    if (!tables_new(s)) {
        snapshot_free(s);
        return -ENOMEM;
    }
    struct thread *me = thread_self_;
#if LIBPROF_DEBUG >= 2
    uint64_t others = strands_of_others();
#endif
    ASSERT(!me || !final || thread_is_valid(me));
    const struct task *ending = final && me ? me->cur : 0;
    if (ending)
        engine_cut(me);
    choose_burden(s);
    sum_threads(s);
    count_losses(s, ending);
    s->workers = engine_worker_slots ? engine_worker_slots : sampler_most_working();
    sampler_sum(s);
    off_cpu_sum(s);
    snapshot_find_open(s);
    snapshot_add_open(s);
    if (final) {
        snapshot_span(s);
        ASSERT_WALK(snapshot_is_valid(s, others));
    } else {
        snapshot_span_so_far(s);
    }
    sum_work(s);
    /* The clock is read once a spawn, twice a task, a sync, or a call of MPI. */
    s->events = s->spawns + 2 * s->tasks + 2 * s->syncs + 2 * job.calls;
    s->own_tsc += s->events * calibrated.event;
    snapshot_time(s);
    return 0;
}

void snapshot_free(struct snapshot *s)
{
    memory_unmap(s->metrics, s->context_count * sizeof s->metrics[0]);
    memory_unmap(s->spread, s->context_count * sizeof s->spread[0]);
    memory_unmap(s->on_span, s->context_count * sizeof s->on_span[0]);
    memory_unmap(s->samples, s->node_count * sizeof s->samples[0]);
    memory_unmap(s->waits, s->node_count * sizeof s->waits[0]);
    memory_unmap(s->idle.at, IDLE_CONTEXTS * s->context_count * sizeof s->idle.at[0]);
    memory_unmap(s->idle.found, s->idle.count * sizeof s->idle.found[0]);
    memory_unmap(s->scaled_work, 2 * whatif_scenarios * sizeof s->scaled_work[0]);
    s->scaled_work = s->scaled_span = 0;
    s->idle = (struct idle_snapshot){ .at = 0 };
    s->samples = 0;
    s->waits = 0;
    s->metrics = 0;
    s->spread = 0;
    s->on_span = 0;
}
