/* strand.c - strands and tasks: spawn, begin, pause, resume, interrupt, end. See
 * engine/strand.h.
 *
 * Each function has a short way, for nearly all calls, and a slow way. The short way is open if the
 * reading of the clock is a quick one and only the strand's own counters change.
 */
#include "engine/rules.h"
#include "base/memory.h"
#include "engine/burden.h"
#include "engine/calibrated.h"
#include "libprof_format.h"
#include "base/forbid.h"

READ_MOSTLY struct calibrated calibrated;

void engine_cut(struct thread *th)
{
    if (th->cur)
        strand_cut(th, th->cur, 0);
}

/* ---- spawn ---- */

/* No strand runs on this thread: the task T could start with the program. A function of its own,
 * because START takes 300 bytes of the program's stack. */
static __attribute__((noinline)) void born_outside(struct thread *th, struct task *t,
                                                   struct scope *scope, struct context *ctx,
                                                   uint32_t flags)
{
    struct task start = { .S = 0 };
    strand_none(th);
    task_born(th, t, &start, scope, ctx, flags | TASK_CALL, 0);
    t->flags = flags;
    th->spawns += !(flags & TASK_CALL);
}

/* The running strand has been cut, if there is one. */
static __attribute__((noinline)) struct task *spawn_rest(struct thread *th, struct scope *scope,
                                                         struct context *ctx, uint32_t flags)
{
    struct task *cur = th->cur;
    struct task *t = block_new(th, BLOCK_TASK);
    if (__builtin_expect(!t, 0))
        return 0;
    if (cur) {
        task_born(th, t, cur, scope, ctx, flags, cur->next_seq++);
    } else {
        born_outside(th, t, scope, ctx, flags);
    }
    whatif_birth(th, t, cur);
    if (DAGREC_ON)
        dagrec_spawn(th, cur, t, scope);
    if (scope && scope->owner == cur && cur) {
        scope_count_own(scope, cur);
    } else if (scope) {
        if (!cur || !critical_along(th, t, cur))
            t->flags |= TASK_FOREIGN;
        scope_count_foreign(scope, t);
    }
    return t;
}

static __attribute__((noinline)) struct task *spawn_slow(struct thread *th, struct scope *scope,
                                                         struct context *ctx, uint32_t flags)
{
    if (th->cur)
        strand_cut_with(th, th->cur, calibrated.spawn, ctx, PART_SPAWNS);
    return spawn_rest(th, scope, ctx, flags);
}

static __attribute__((noinline)) struct task *spawn_long(struct thread *th, struct scope *scope,
                                                         struct context *ctx, uint32_t flags)
{
    strand_cut_again(th, th->cur, calibrated.spawn, ctx, PART_SPAWNS);
    return spawn_rest(th, scope, ctx, flags);
}

struct task *engine_spawn_any(struct thread *th, struct scope *scope, struct context *ctx,
                              uint32_t flags)
{
    struct task *cur = th->cur;
    ASSERT(!cur || strand_is_valid(cur));
    ASSERT(!scope || scope->owner != cur || !cur || scope_is_valid(th, scope));
    if (__builtin_expect(!cur || !scope || scope->owner != cur || ENGINE_EXTRAS, 0))
        return spawn_slow(th, scope, ctx, flags);
    if (!strand_cut_quick(th, cur, &calibrated.spawn))
        return spawn_long(th, scope, ctx, flags);
    struct block *b = th->free_blocks[BLOCK_TASK];
    if (__builtin_expect(!b, 0))
        return spawn_rest(th, scope, ctx, flags);
    struct task *t = block_take(th, BLOCK_TASK, b);
    task_born(th, t, cur, scope, ctx, flags, cur->next_seq++);
    scope_count_own(scope, cur);
    return t;
}

struct task *engine_spawn_paused_any(struct thread *th, struct task *strand, struct scope *scope,
                                     struct context *ctx, uint32_t flags)
{
    struct block *b = th->free_blocks[BLOCK_TASK];
    ASSERT(!th->cur && strand_is_valid(strand) && scope->owner == strand);
    ASSERT(scope_is_valid(th, scope));
    if (__builtin_expect(!b || ENGINE_EXTRAS, 0)) {
        engine_resume(th, strand);
        struct task *t = engine_spawn_any(th, scope, ctx, flags);
        engine_pause(th);
        return t;
    }
    struct task *t = block_take(th, BLOCK_TASK, b);
    task_born(th, t, strand, scope, ctx, flags, strand->next_seq++);
    scope_count_own(scope, strand);
    return t;
}

/* ---- calls ---- */

struct task *engine_spawn_call(struct thread *th, struct scope *scope, struct context *ctx,
                               uint32_t flags)
{
    struct task *cur = th->cur;
    struct block *b = th->free_blocks[BLOCK_TASK];
    ASSERT(!cur || strand_is_valid(cur));
    if (__builtin_expect(!cur || !b || !scope || scope->owner != cur || ENGINE_EXTRAS, 0)) {
        engine_skip_begin(th);
        return spawn_slow(th, scope, ctx, flags | TASK_CALL);
    }
    struct task *t = block_take(th, BLOCK_TASK, b);
    ASSERT_WALK(context_is_valid(ctx));
    task_zero(t);
    t->ctx = ctx;
    t->scope = scope;
    t->spawner = th;
    t->flags = flags | TASK_CALL | TASK_DIRECT;
    t->seq = cur->next_seq++;
    t->spawn_tsc = th->clock.last;
    th->t0 += calibrated.call;
    return t;
}

void call_count(struct thread *th, struct task *t)
{
    struct scope *s = t->scope;
    t->flags &= ~TASK_DIRECT;
    if (__atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th)
        scope_count_own(s, s->owner);
    else
        scope_count_foreign(s, t);
}

static inline void call_born(struct task *t, const struct task *from)
{
    t->S = t->birth = t->blk = from->S;
    t->len = from->len;
}

/* The spawner's strand is paused, or a strand that interrupted it runs. */
static __attribute__((noinline)) void call_begin_other(struct thread *th, struct task *t)
{
    call_born(t, t->scope->owner);
    call_count(th, t);
    engine_skip_begin(th);
    if (th->cur)
        engine_interrupt(th, t);
    else
        engine_begin(th, t);
}

static __attribute__((noinline)) void call_cut_slow(struct thread *th, const struct task *t)
{
    strand_cut_again(th, th->cur, calibrated.begin, t->ctx, PART_SPAWNS);
}

void engine_begin_call(struct thread *th, struct task *t)
{
    struct task *cur = th->cur;
    ASSERT(t->flags & TASK_DIRECT);
    if (__builtin_expect(cur != t->scope->owner, 0)) {
        call_begin_other(th, t);
        return;
    }
    if (!strand_cut_quick(th, cur, &calibrated.begin))
        call_cut_slow(th, t);
    call_born(t, cur);
    th->cur = t;
    t->thread = th;
}

/* ---- begin, pause, resume ---- */

/* The latency of a steal runs from the moment when the task was there and the thief was idle. A
 * thread's routine is also a task, but no steal: the thread was made for it. */
static void steal_sample(struct thread *th, const struct task *t, uint64_t begin)
{
    uint64_t since = t->spawn_tsc > th->idle_since ? t->spawn_tsc : th->idle_since;
    bool made_for_it = th->kind == LPF_THREAD_USER && th->idle_since == th->life_since;
    if (clock_kind != CLOCK_TSC || !t->spawn_tsc || !th->idle_since || begin <= since ||
        made_for_it)
        return;
    uint64_t ticks = begin - since;
    idle_latency(th, t->ctx->id, IDLE_WORK, ticks);
    uint32_t octave = 63 - __builtin_clzll(ticks | 4);
    uint32_t i = octave * 4 + (ticks >> (octave - 2) & 3);
    th->steal_histogram[i < 128 ? i : 127]++;
    uint64_t n = ++th->steal_samples;
    if (n >= 16 && (n & (n - 1)) == 0)
        burden_update(th);
}

__attribute__((noinline)) void engine_begin_slow(struct thread *th, struct task *t)
{
    strand_start(th, t, calibrated.begin);
    t->thread = th;
    th->begun++;
    if (t->spawner != th && !(t->flags & TASK_ROOT)) {
        t->flags |= TASK_STOLEN;
        th->steals++;
        steal_sample(th, t, th->clock.last);
        between_idle(th, th->between_cost, t->ctx, IDLE_WORK);
    }
}

static inline void interrupted_by(struct thread *th, struct task *t)
{
    th->cur = t;
    t->thread = th;
    th->begun++;
    if (__builtin_expect(t->spawner != th, 0)) {
        t->flags |= TASK_STOLEN;
        th->steals++;
    }
}

static __attribute__((noinline)) void interrupt_slow(struct thread *th, struct task *t)
{
    strand_cut_again(th, th->cur, calibrated.begin, th->cur->ctx, PART_CUT);
    interrupted_by(th, t);
}

void engine_interrupt(struct thread *th, struct task *t)
{
    ASSERT(strand_is_valid(th->cur));
    ASSERT(task_is_valid(t) && !(t->flags & (TASK_CLOSED | TASK_REST)));
    if (strand_cut_quick(th, th->cur, &calibrated.begin))
        interrupted_by(th, t);
    else
        interrupt_slow(th, t);
}

static __attribute__((noinline)) void switch_slow(struct thread *th)
{
    strand_cut_again(th, th->cur, calibrated.resume, th->cur->ctx, PART_PAUSES);
}

void engine_switch(struct thread *th, struct task *next)
{
    ASSERT(strand_is_valid(th->cur) && strand_is_valid(next));
    if (!strand_cut_quick(th, th->cur, &calibrated.resume))
        switch_slow(th);
    th->cur = next;
}

__attribute__((noinline)) void engine_pause_slow(struct thread *th, struct task *cur)
{
    strand_cut_again(th, cur, 0, cur->ctx, PART_PAUSES);
    strand_stop(th);
}

__attribute__((noinline)) void engine_resume_slow(struct thread *th, struct task *task)
{
    strand_start(th, task, calibrated.resume);
}

void engine_unbias(struct task *t)
{
    __atomic_store_n(&t->thread, (struct thread *)0, __ATOMIC_RELEASE);
    for (struct scope *s = task_scopes(t); s; s = task_scopes_next(t, s))
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
}

void engine_bias(struct thread *th, struct task *t)
{
    ASSERT(!t->own_scope);
    __atomic_store_n(&t->thread, th, __ATOMIC_RELEASE);
}
