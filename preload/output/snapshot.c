/* snapshot.c - what the engine knows, summed for the writer.
 *
 * The final snapshot runs on the thread that ends the program; other threads may still run, their
 * words are read as they are (each is one aligned 64-bit load). A checkpoint runs on the writer's
 * thread while everything runs: it must not follow pointers that the hooks change, so it takes the
 * span and the on-span profile from what the main strand last published.
 */
#include <string.h>
#include <time.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "sampling/blocked.h"
#include "engine/burden.h"
#include "engine/publish.h"
#include "engine/strand.h"
#include "dag/run.h"
#include "output/snapshot.h"
#include "libprof_format.h"
#include "dag/region.h"
#include "sampling/sampler.h"
#include "dag/thread.h"
#include "whatif/whatif.h"
#include "unwind/cct.h"


static inline uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* Entry of CONTEXT in the snapshot; contexts made after it was sized share the root's. */
static struct on_span *at(struct snapshot *s, uint32_t context)
{
    return &s->on_span[context < s->context_count ? context : 0];
}

static void add_node(struct snapshot *s, uint32_t node, uint64_t weight, uint64_t squares)
{
    if (node >= s->node_count)
        return;
    s->samples[node].on_span += weight;
    s->samples[node].on_span_squares += squares;
}

/* Entries of SIZE bytes that the block of P has room for behind HEADER bytes; not more than COUNT.
 */
static uint32_t within(const void *p, uint32_t header, uint32_t size, uint32_t count)
{
    size_t most = (block_capacity(((const struct block *)p - 1)->class_) - header) / size;
    return count < most ? count : most;
}

/* B's thread may free it, use it again and write to it meanwhile. It stays a bag (dag/slab.h),
 * and what it points at stays a block of samples. So a count that is read once, and bounded by its
 * block, leads nowhere else. */
static void add_bag(struct snapshot *s, const struct bag *b, uint64_t until)
{
    if (!b)
        return;
    const struct bag_sample *fresh = __atomic_load_n(&b->fresh, __ATOMIC_RELAXED);
    uint32_t n = fresh ? within(fresh, 0, sizeof *fresh,
                                __atomic_load_n(&b->fresh_count, __ATOMIC_RELAXED))
                       : 0;
    for (uint32_t i = 0; i < n && fresh[i].S <= until; i++)
        add_node(s, __atomic_load_n(&fresh[i].node, __ATOMIC_RELAXED), fresh[i].weight,
                 fresh[i].squares);
    n = within(b, sizeof *b, sizeof b->e[0], __atomic_load_n(&b->count, __ATOMIC_RELAXED));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t context = __atomic_load_n(&b->e[i].context, __ATOMIC_RELAXED);
        if (context & BAG_NODE) {
            add_node(s, context & ~BAG_NODE, b->e[i].v.count, b->e[i].v.work);
            continue;
        }
        struct on_span *v = at(s, context);
        v->count += b->e[i].v.count;
        v->work_local += b->e[i].v.work_local;
        v->span_local += b->e[i].v.span_local;
        v->work += b->e[i].v.work;
        v->span += b->e[i].v.span;
    }
}

/* The id of T's context; the program's where T has none: the block of a task that ended may be a
 * new task by now, without a context yet. A context never changes. */
static uint32_t context_of(const struct task *t)
{
    const struct context *ctx = __atomic_load_n(&t->ctx, __ATOMIC_RELAXED);
    return ctx ? ctx->id : 0;
}

/* Chains of other threads change while we follow them, and may lead in a circle. So we follow them
 * no further than any whole chain can be long. Strands wait for each other as deep as stacks are.
 */
enum { CHAIN_MOST = 1 << 24, WAITING_MOST = 4096 };

/* A task on the path that has not ended counts with what it has done so far. */
static void add_running(struct snapshot *s, const struct task *t)
{
    if (t->flags & (TASK_INHERIT | TASK_ROOT))
        return;
    struct on_span *v = at(s, context_of(t));
    v->count++;
    v->work_local += t->own + t->inherited_work;
    v->work += t->own + t->joined;
    v->span += t->S - t->birth;
}

/* The path from the start of the program to point FROM of the owner of SCOPE: the owner's own, then
 * its ancestors' up to where it was born. An ancestor that is gone leaves the rest to the program's
 * strands. */
static void add_prefix(struct snapshot *s, const struct scope *scope, uint64_t from)
{
    const struct task *t;
    uint32_t tasks = 0;
    for (; scope && (t = __atomic_load_n(&scope->owner, __ATOMIC_RELAXED)) && tasks < CHAIN_MOST;
         from = t->birth, scope = __atomic_load_n(&t->scope, __ATOMIC_RELAXED), tasks++) {
        const struct bag *bag = __atomic_load_n(&t->bag, __ATOMIC_RELAXED);
        uint64_t blk = t->blk, loc = t->loc;
        if (from < blk) {
            const struct prefix *p = scope->prefixes;
            uint32_t prefixes = 0;
            while (p && (from < p->blk || from > p->end) && prefixes++ < CHAIN_MOST)
                p = __atomic_load_n(&p->next, __ATOMIC_RELAXED);
            if (!p)
                break;
            bag = p->bag;
            blk = p->blk;
            loc = p->loc;
        }
        add_bag(s, bag, from);
        at(s, context_of(t))->span_local += loc + (from - blk);
        add_running(s, t);
    }
    at(s, 0)->span_local += from;
    s->approximate += from != 0;
}

/* OPEN: what T's strand has cost since it last read its clock. */
static void add_live_path(struct snapshot *s, const struct task *t, uint64_t open)
{
    add_bag(s, t->bag, t->S);
    at(s, context_of(t))->span_local += t->loc + (t->S - t->blk) + open;
    add_running(s, t);
    add_prefix(s, t->scope, t->birth);
}

/* The path of T, a finished task that nobody joined; SCOPE: where it ended, NULL: detached. */
static void add_ended_path(struct snapshot *s, const struct task *t, const struct scope *scope)
{
    add_bag(s, t->bag, t->S);
    at(s, context_of(t))->span_local += t->loc;
    add_running(s, t);
    add_prefix(s, t->flags & TASK_FOREIGN ? 0 : scope, t->birth);
}

/* Whether the clock shows off-CPU gaps. */
static bool on_cpu_clock(void)
{
    return clock_kind == CLOCK_TSC && clock_gap;
}

/* Strands of other threads that run now: they have not read their clock since th->t0. What is read
 * here may change under us; a strand that took a reading meanwhile is looked at again. */
static void find_open_strands(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        th->open_task = 0;
        th->open = th->open_blocked = 0;
        for (unsigned tries = 0; th != thread_self_ && tries < 100; tries++) {
            uint64_t last = __atomic_load_n(&th->clock.last, __ATOMIC_ACQUIRE), value;
            struct task *t = __atomic_load_n(&th->cur, __ATOMIC_ACQUIRE);
            uint64_t t0 = th->t0;
            bool known = t && clock_peek(&th->clock, th->tid, &value);
            uint64_t now = __rdtsc();
            if (__atomic_load_n(&th->clock.last, __ATOMIC_ACQUIRE) != last ||
                __atomic_load_n(&th->cur, __ATOMIC_RELAXED) != t)
                continue;
            th->open_task = t;
            th->open = known && value > t0 ? value - t0 : 0;
            if (known && on_cpu_clock() && now > last + th->open)
                th->open_blocked = now - last - th->open;
            break;
        }
        s->running += th->open_task && !(th->open_task->flags & TASK_ROOT);
    }
}

/* Work that no completed task has reported: of strands that run or wait. Those that wait are the
 * ancestors of the ones that run, and each thread's own strand. At a checkpoint ancestors may end
 * while we look, so only what runs counts. */
static void add_live_work(struct snapshot *s, const struct task *t, uint64_t open, uint64_t blocked)
{
    uint32_t context = context_of(t);
    uint32_t i = context < s->context_count ? context : 0;
    s->metrics[i].work_local += t->own + open;
    s->spread[i].blocked += blocked;
}

static void add_all_live_work(struct snapshot *s)
{
    enum { SEEN = 4096 };
    static const struct task *seen[SEEN];   /* one snapshot at a time */
    unsigned n = 0;
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *running = th == thread_self_ ? th->cur : th->open_task;
        for (int own = 0; own < 2; own++) {
            const struct task *t = own ? th->root : running;
            while (t && t->ctx && n < SEEN) {
                unsigned i = 0;
                while (i < n && seen[i] != t)
                    i++;
                if (i < n)
                    break;
                seen[n++] = t;
                bool open = t == th->open_task;
                add_live_work(s, t, open ? th->open : 0, open ? th->open_blocked : 0);
                const struct scope *in = s->final && !(t->flags & TASK_ROOT)
                                             ? __atomic_load_n(&t->scope, __ATOMIC_RELAXED)
                                             : 0;
                t = in ? __atomic_load_n(&in->owner, __ATOMIC_RELAXED) : 0;
            }
        }
    }
}

/* What A has more than B. A thread's clock may be ahead of its CPU time: by what a host took. */
static uint64_t above(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) > 0 ? a - b : 0;
}

/* Takes up to PART off *FROM; returns what it took. */
static uint64_t take(uint64_t *from, uint64_t part)
{
    if (part > *from)
        part = *from;
    *from -= part;
    return part;
}

/* Where the threads' time went. What is between two strands was idle if a thief began the second,
 * or if it waited for others; the rest is the runtime's dispatching. A thread that is between
 * strands now is idle. What a thread was off the CPU, but not in a strand, it was as if asleep.
 * OWN is libprof's estimate for all of itself. */
static void sum_time(struct snapshot *s)
{
    uint64_t all_busy = 0, off = 0, own = s->own_tsc;
    bool on_cpu = on_cpu_clock();
    for (const struct thread *th = engine_threads; th; th = th->next) {
        uint64_t now = __rdtsc(), idle = th->idle_gap_tsc, search = th->idle_gap_cost;
        uint64_t life = th->life_tsc, cost = th->life_cost, busy = th->busy_tsc, value;
        if (th->live) {
            bool known = th == thread_self_ ? (value = th->t0, true)
                                            : clock_peek(&th->clock, th->tid, &value);
            life += now - th->life_since;
            cost += known ? value + th->clock.own : now - th->life_since;
            if (th->cur) {
                busy += now - th->strand_tsc;
            } else {
                idle += now - th->idle_since;
                search += !known ? now - th->idle_since : above(value, th->t0);
            }
        }
        if (!on_cpu || search > idle)
            search = idle;
        s->life_tsc += life;
        s->idle_tsc += life > busy ? life - busy : 0;
        all_busy += busy;
        s->search_tsc += search;
        s->sleep_tsc += idle - search;
        s->dispatch_tsc += life > busy + idle ? life - busy - idle : 0;
        off += life > cost ? life - cost : 0;
    }
    if (!on_cpu)
        return;
    /* Strands hold work, the time that they were blocked, and libprof, whose part is the rest. What
     * it has between strands is the estimate's remainder: first the readings of the clock that look
     * like sleep in idle gaps, as no clock counts them. */
    for (uint32_t i = 0; i < s->context_count; i++)
        s->blocked_tsc += s->spread[i].blocked;
    uint64_t known = s->work + s->blocked_tsc, inside = above(all_busy, known);
    uint64_t asleep = above(off, s->blocked_tsc);
    s->sleep_tsc += take(&s->dispatch_tsc, above(asleep, s->sleep_tsc));
    s->own_tsc = inside;
    uint64_t reading = at_most(above(s->sleep_tsc, asleep), above(own, s->own_tsc));
    s->own_tsc += take(&s->sleep_tsc, reading);
    s->own_tsc += take(&s->dispatch_tsc, above(own, s->own_tsc));
}

/* TH has done M's tasks and work of a context. */
static void add_spread(struct spread *to, const struct thread *th, const struct metrics *m)
{
    bool more = m->work_local > to->busiest_work || (m->tasks && !to->threads);
    to->threads += m->tasks != 0;
    if (more) {
        to->busiest_work = m->work_local;
        to->busiest_tasks = m->tasks;
        to->busiest_tid = th->tid;
    }
}

/* TH may end a chunk between two of these readings, and a kind of chunks is never more than all. */
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
            add_spread(&s->spread[i], th, m);
        }
        s->own_tsc += th->measured_tsc + (th->live ? th->clock.own : 0);
        s->spawns += th->spawns;
        s->syncs += th->syncs;
        s->steals += th->steals;
        add_chunks(s, th);
        s->busy_tsc += th->busy_tsc;
        if (th->cur && __rdtsc() > th->strand_tsc)
            s->busy_tsc += __rdtsc() - th->strand_tsc;
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
    s->burden_source = LPF_BURDEN_SETTING;
    s->burden = engine_burden;
    if (!burden_measured)
        return;
    s->burden_source = n ? LPF_BURDEN_MEASURED : LPF_BURDEN_DEFAULT;
    s->burden_steals = n;
    if (n)
        s->burden = histogram_median(h, n);
}

/* The longest path so far: of what runs, of what ended detached, and of what ended in a scope that
 * nobody has joined, which counts as joined by the end of the program. */
struct longest {
    uint64_t S, burden, open, *scaled;
    struct lengths len;
    const struct task *live, *ended; /* one of them has S */
    const struct scope *scope;  /* where `ended` ended */
};

static void consider(struct longest *l, const struct task *live, uint64_t open,
                     const struct task *ended, const struct scope *scope)
{
    const struct task *t = live ? live : ended;
    if (t && t->S + open > l->S) {
        l->S = t->S + open;
        l->open = open;
        l->live = live;
        l->ended = ended;
        l->scope = scope;
    }
}

/* As lengths_max, with the burden that the whole snapshot uses. */
static void lengths_consider(struct lengths *a, const struct lengths *b, uint64_t burden)
{
    if (b->L + b->K * burden > a->L + a->K * burden) {
        a->L = b->L;
        a->K = b->K;
    }
    if (b->D > a->D)
        a->D = b->D;
}

/* A burdened path may have been chosen while the burden was still being measured: S, the span, is
 * a better bound then. And a strand that runs meanwhile may have gone on between the reading of its
 * S and that of its D, which is never more. */
static void lengths_bound(struct lengths *a, uint64_t S, uint64_t burden)
{
    if (a->L + a->K * burden < S) {
        a->L = S;
        a->K = 0;
    }
    a->D = at_most(a->D, S);
}

static void consider_task(struct longest *l, const struct task *t, uint64_t open)
{
    if (!t || !t->ctx)
        return;
    consider(l, t, open, 0, 0);
    struct lengths len = lengths_plus(&t->len, open);
    lengths_consider(&l->len, &len, l->burden);
    whatif_longest(l->scaled, t->scaled, t, open);
    uint32_t scopes = 0;
    for (const struct scope *sc = &t->self; sc && scopes++ < CHAIN_MOST;
         sc = __atomic_load_n(sc == &t->self ? &t->scopes : &sc->owner_next, __ATOMIC_RELAXED)) {
        /* of equal paths the earlier spawned, as a join would take */
        const struct task *best = __atomic_load_n(&sc->local.best, __ATOMIC_RELAXED);
        const struct task *r = __atomic_load_n(&sc->remote.best, __ATOMIC_RELAXED);
        if (r && (!best || r->S > best->S || (r->S == best->S && r->seq < best->seq)))
            best = r;
        consider(l, 0, 0, best, sc);
        lengths_consider(&l->len, &sc->local.len, l->burden);
        lengths_consider(&l->len, &sc->remote.len, l->burden);
        whatif_longest(l->scaled, sc->local.scaled, 0, 0);
        whatif_longest(l->scaled, sc->remote.scaled, 0, 0);
    }
}

/* The strands that wait for T: they may be further than what they wait for. */
static void consider_waiting(struct longest *l, const struct task *t)
{
    for (unsigned n = 0; t && t->ctx && !(t->flags & TASK_ROOT) && n < WAITING_MOST; n++) {
        const struct scope *in = __atomic_load_n(&t->scope, __ATOMIC_RELAXED);
        t = in ? __atomic_load_n(&in->owner, __ATOMIC_RELAXED) : 0;
        consider_task(l, t, 0);
    }
}

static void longest_path(struct snapshot *s)
{
    struct longest l = { .burden = s->burden, .scaled = s->scaled_span };
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *running = th == thread_self_ ? th->cur : th->open_task;
        consider_task(&l, th->root, running == th->root ? th->open : 0);
        if (running != th->root) {
            consider_task(&l, running, th->open);
            consider_waiting(&l, running);
        }
        consider(&l, 0, 0, th->detached, 0);
        lengths_consider(&l.len, &th->detached_len, l.burden);
        whatif_longest(l.scaled, th->detached_scaled, 0, 0);
    }
    if (l.live)
        add_live_path(s, l.live, l.open);
    else if (l.ended)
        add_ended_path(s, l.ended, l.scope);
    lengths_bound(&l.len, l.S, l.burden);
    s->span = l.S;
    s->len = l.len;
}

/* A checkpoint while the main strand waits: the longest strand that runs now may have outgrown what
 * was published. Its path before its birth is not looked for. */
static void longest_open_strand(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *t = th->open_task;
        if (!t)
            continue;
        uint64_t S = t->S + th->open, birth = t->birth;
        struct lengths len = lengths_plus(&t->len, th->open);
        struct context *ctx = t->ctx;
        if (__atomic_load_n(&th->cur, __ATOMIC_ACQUIRE) != t || !ctx || birth > S || S <= s->span)
            continue;
        memset(s->on_span, 0, s->context_count * sizeof s->on_span[0]);
        struct on_span *v = at(s, ctx->id);
        v->span_local = S - birth;
        v->count = ctx != context_root;
        at(s, 0)->span_local += birth;
        s->span = S;
        whatif_longest(s->scaled_span, t->scaled, t, th->open);
        lengths_consider(&s->len, &len, s->burden);
    }
    lengths_bound(&s->len, s->span, s->burden);
}

/* A checkpoint before a join: what has ended is on no path yet. But a task's own strands follow one
 * another, so the longest task of all is a bound. Where loops divide, D is not bound by it. */
static void longest_ended_task(struct snapshot *s)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < s->context_count; i++)
        if (s->metrics[i].longest > s->metrics[longest].longest)
            longest = i;
    uint64_t S = s->metrics[longest].longest;
    if (S <= s->span)
        return;
    memset(s->on_span, 0, s->context_count * sizeof s->on_span[0]);
    s->on_span[longest] = (struct on_span){ .count = longest != 0, .work_local = S,
                                            .span_local = S, .work = S, .span = S };
    s->span = S;
    if (!s->chunks_divided)
        s->len.D = S;
    lengths_bound(&s->len, s->span, s->burden);
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
    ASSERT(s->len.L + s->len.K * s->burden >= s->span && s->len.D <= s->span);
    return true;
}
#endif

int engine_snapshot(struct snapshot *s, bool final)
{
    memset(s, 0, sizeof *s);
    s->final = final;
    s->context_count = context_count();
    s->node_count = cct_count();
    s->metrics = memory_map(s->context_count * sizeof s->metrics[0]);
    s->spread = memory_map(s->context_count * sizeof s->spread[0]);
    s->on_span = memory_map(s->context_count * sizeof s->on_span[0]);
    s->samples = memory_map(s->node_count * sizeof s->samples[0]);
    if (whatif_scenarios &&
        (s->scaled_work = memory_map(2 * whatif_scenarios * sizeof s->scaled_work[0])))
        s->scaled_span = s->scaled_work + whatif_scenarios;
    if (!s->metrics || !s->spread || !s->on_span || !s->samples) {
        engine_snapshot_free(s);
        return -12; /* ENOMEM */
    }
    struct thread *me = thread_self_;
#if LIBPROF_DEBUG >= 2
    uint64_t others = strands_of_others();
#endif
    ASSERT(!me || !final || thread_is_valid(me));
    if (final && me && me->cur)
        engine_cut(me);
    choose_burden(s);
    sum_threads(s);
    s->lost[LOSS_NODES] += context_lost_nodes;
    s->lost[LOSS_PATHS] += context_lost_paths;
    s->lost[LOSS_CONTEXTS] += context_lost_contexts;
    s->workers = engine_worker_slots ? engine_worker_slots : sampler_at_work();
    sampler_sum(s);
    blocked_sum(s);
    find_open_strands(s);
    add_all_live_work(s);
    if (final && me && me->cur)
        for (const struct region_instance *r = me->cur->regions; r; r = r->next)
            s->lost[LOSS_REGION]++;
    if (final) {
        longest_path(s);
        ASSERT_WALK(snapshot_is_valid(s, others));
    } else {
        publish_take(s);
        longest_open_strand(s);
        longest_ended_task(s);
    }
    for (uint32_t i = 0; i < s->context_count; i++)
        s->work += s->metrics[i].work_local;
    if (s->scaled_work)
        whatif_work(s->scaled_work);
    s->root_work = s->metrics[0].work_local;
    s->root_span = s->on_span[0].span_local;
    /* readings of the clock: one a spawn, two a task, two a sync */
    s->events = s->spawns + 2 * s->tasks + 2 * s->syncs;
    s->own_tsc += s->events * calibrated.event;
    sum_time(s);
    uint64_t elapsed = __rdtsc() - engine_start_tsc;
    uint64_t slots = s->workers * elapsed;
    s->idle_tsc += slots > s->life_tsc ? slots - s->life_tsc : 0;
    if (s->idle_tsc > slots)
        s->idle_tsc = slots;
    return 0;
}

void engine_snapshot_free(struct snapshot *s)
{
    memory_unmap(s->metrics, s->context_count * sizeof s->metrics[0]);
    memory_unmap(s->spread, s->context_count * sizeof s->spread[0]);
    memory_unmap(s->on_span, s->context_count * sizeof s->on_span[0]);
    memory_unmap(s->samples, s->node_count * sizeof s->samples[0]);
    memory_unmap(s->scaled_work, 2 * whatif_scenarios * sizeof s->scaled_work[0]);
    s->scaled_work = s->scaled_span = 0;
    s->samples = 0;
    s->metrics = 0;
    s->spread = 0;
    s->on_span = 0;
}
