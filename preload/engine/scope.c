/* scope.c - scopes and their joins. See engine/scope.h. */
#include "base/kernel.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engine/between.h"
#include "engine/publish.h"
#include "base/forbid.h"

static struct scope *own_new(struct thread *th, struct task *t)
{
    struct scope *s = block_new(th, BLOCK_SCOPE);
    if (!s)
        return 0;
    s->owner = t;
    s->thread = __atomic_load_n(&t->thread, __ATOMIC_RELAXED);
    s->key_next = s->owner_next = 0;
    s->key = 0;
    return s;
}

static __attribute__((noinline)) void scope_block_free_slow(struct thread *th, struct scope *s)
{
    prefixes_free(th, s);
    block_free(th, s);
}

/* S has neither results nor owner any more. */
static inline void scope_block_free(struct thread *th, struct scope *s)
{
    s->owner = 0;
    s->thread = 0;
    s->born_block = 0;
    s->dag_id = 0;
    if (__builtin_expect(s->prefixes != 0, 0))
        scope_block_free_slow(th, s);
    else
        block_free(th, s);
}

struct scope *scope_make_own(struct thread *th, struct task *t)
{
    struct scope *s = own_new(th, t);
    __atomic_store_n(&t->own_scope, s, __ATOMIC_RELEASE);
    return s;
}

struct scope *scope_own_paused(struct thread *th, struct task *t)
{
    struct scope *s = __atomic_load_n(&t->own_scope, __ATOMIC_ACQUIRE), *other = 0;
    if (s || !(s = own_new(th, t)))
        return s;
    if (__atomic_compare_exchange_n(&t->own_scope, &other, s, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return s;
    scope_block_free(th, s);    /* another thread was first */
    return other;
}

void scope_free_own(struct thread *th, struct task *t)
{
    struct scope *s = t->own_scope;
    __atomic_store_n(&t->own_scope, (struct scope *)0, __ATOMIC_RELAXED);
    scope_block_free(th, s);
}

void scope_free(struct thread *th, struct scope *s)
{
    struct task *owner = s->owner;
    if (owner) {
        struct scope **at = &owner->scopes;
        while (__builtin_expect(*at != s, 0) && *at)
            at = &(*at)->owner_next;
        if (*at)
            *at = s->owner_next;
        if (__builtin_expect(s->born_block != 0, 0))    /* not joined */
            owner->fresh -= s->born_block == owner->block + 1 && owner->fresh;
    }
    scope_block_free(th, s);
}

void scope_leave(struct thread *th, struct scope *s)
{
    lock_take(&s->lock);
    ASSERT(!s->left);
    s->key = 0;
    s->key_next = 0;
    __atomic_store_n(&s->left, true, __ATOMIC_RELAXED);
    bool last = !s->owner && scope_over(s);
    lock_release(&s->lock);
    if (last)
        scope_drop(th, s, true);
}

bool scope_adopt(struct thread *th, struct scope *s)
{
    struct task *cur = th->cur;
    lock_take(&s->lock);
    bool unused = !s->owner && !s->left && !s->rest && scope_is_empty(s);
    if (unused) {
        prefixes_free(th, s);   /* of its last owner's path */
        s->born_block = 0;
        s->dag_id = 0;
        __atomic_store_n(&s->thread, th, __ATOMIC_RELAXED);
        __atomic_store_n(&s->owner, cur, __ATOMIC_RELEASE);
        s->owner_next = cur->scopes;
        cur->scopes = s;
    }
    lock_release(&s->lock);
    return unused;
}

void scopes_sweep(struct thread *th)
{
    enum { SWEEP_LEAST = 8 };   /* few, because each scope may keep copies of T's bag */
    struct task *t = th->cur;
    if (!t->sweep_in)           /* T's first sweep */
        t->sweep_in = SWEEP_LEAST;
    if (t->sweep_in-- > 1)
        return;
    uint32_t kept = 0;
    for (struct scope **at = &t->scopes, *s; (s = *at);) {
        if (!__atomic_load_n(&s->left, __ATOMIC_RELAXED)) {
            at = &s->owner_next;
            kept++;
            continue;
        }
        *at = s->owner_next;
        t->fresh -= s->born_block == t->block + 1;
        scope_give_up(th, s);
    }
    t->sweep_in = kept > SWEEP_LEAST ? kept : SWEEP_LEAST;
    ASSERT(strand_is_valid(t));
}

/* ---- joins ---- */

/* Reads the longest of H, the local half of a scope that another thread may use. That thread may
 * meanwhile put tasks into H, and free shorter ones, whose blocks become other tasks. What we read
 * of H's best is valid if `done` has not changed since, because `done` counts up after each
 * replacement. *SCALED becomes a copy of the scenarios' lengths. They need the same check, because
 * a join moves them away. *WORK, *LEN: of all tasks in H. */
static void local_best(struct thread *th, const struct scope_half *h, uint64_t *S,
                       struct context **ctx, uint64_t **scaled, uint64_t *work,
                       struct lengths *len)
{
    for (uint32_t turns = 0; turns < LOCK_TURNS_MOST; lock_turn(&turns)) {
        uint64_t done = __atomic_load_n(&h->done, __ATOMIC_ACQUIRE);
        const struct task *best = __atomic_load_n(&h->best, __ATOMIC_ACQUIRE);
        uint64_t best_S = best ? __atomic_load_n(&best->S, __ATOMIC_ACQUIRE) : 0;
        struct context *best_ctx = best ? __atomic_load_n(&best->ctx, __ATOMIC_ACQUIRE) : 0;
        *work = half_sums(h, len);
        uint64_t *lengths = __atomic_load_n(&h->scaled, __ATOMIC_ACQUIRE);
        whatif_max(th, scaled, lengths);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&h->best, __ATOMIC_ACQUIRE) == best &&
            __atomic_load_n(&h->scaled, __ATOMIC_ACQUIRE) == lengths &&
            __atomic_load_n(&h->done, __ATOMIC_ACQUIRE) == done) {
            *S = best_ctx ? best_S : 0;
            *ctx = best_ctx;
            return;
        }
        whatif_free(th, scaled);
    }
}

/* Returns when the owner of S is not emptying S, and will not until the caller releases S's lock.
 * Before Linux 4.14 there is no such barrier: the owner's two steps may seem to be out of order. */
static void keep_owner_out(const struct scope *s)
{
    enum { EXPEDITED = MEMBARRIER_CMD_PRIVATE_EXPEDITED };
    int saved = errno;
    if (kernel_call(SYS_membarrier, (long)EXPEDITED, 0L, 0L) && errno == EPERM) {
        kernel_call(SYS_membarrier, (long)MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0L, 0L);
        kernel_call(SYS_membarrier, (long)EXPEDITED, 0L, 0L);
    }
    errno = saved;
    /* in vain if a handler of the program interrupted the owner there, and left it by longjmp */
    for (uint32_t turns = 0;
         turns < LOCK_TURNS_MOST && __atomic_load_n(&s->taking, __ATOMIC_ACQUIRE);)
        lock_turn(&turns);
}

/* The running strand takes the results in S. S also keeps them, unless S is an orphan. */
static void join_settled(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    divide_end_cut(th, t);
    lock_take(&s->lock);
    if (s->owner)
        keep_owner_out(s);
    uint64_t S = 0, work = 0;
    struct context *ctx = 0;
    uint64_t *scaled = 0;
    struct lengths len = { 0 };
    local_best(th, &s->local, &S, &ctx, &scaled, &work, &len);
    half_settle(&s->remote);
    const struct task *r = s->remote.best;      /* under the lock: a late task may replace it */
    if (r && r->S > S) {
        S = r->S;
        ctx = r->ctx;
    }
    lengths_max(&t->len, &len);
    lengths_max(&t->len, &s->remote.len);
    whatif_move(th, &t->scaled, &scaled);
    whatif_max(th, &t->scaled, s->remote.scaled);
    work += s->remote.work;
    ASSERT(s->taken_work <= work);
    if (work > s->taken_work)
        context_takes(t->ctx, scope_context(s), true);
    t->joined += work - s->taken_work;
    s->taken_work = work;
    /* Nobody else uses an orphan's results. They are removed under the lock, because other strands
     * may still spawn into the orphan. */
    struct scope_half over = { 0 };
    if (!s->owner && scope_done(s)) {
        half_merge(th, &s->local, &s->remote);
        over = s->local;
        memset(&s->local, 0, sizeof s->local);
        s->spawned = s->spawned_foreign = s->taken_work = 0;
    }
    lock_release(&s->lock);
    if (S > t->S) {
        critical_jump(th, t, S, ctx, true);
        if (DAGREC_ON)
            dagrec_wait(th, t, DAGREC_JOIN);
    }
    /* A task may have ended in the local half after we read S and before we read D and T. */
    lengths_at_most(&t->len, t->S);
    if (over.best)
        task_free(th, over.best);
    whatif_free(th, &over.scaled);
}

/* The context of one of S's tasks is taken for that of all: nearly all joins are of tasks of one
 * site. */
void scope_waited(struct thread *th, struct task *t, struct scope *s)
{
    const struct task *one = s->local.best;
    lock_take(&s->lock);
    if (!one)
        one = s->remote.best;
    const struct context *ctx = one ? one->ctx : t->ctx;
    /* else the last end may be one of an earlier join, or may not be recorded yet */
    uint64_t ended = s->remote.done && scope_done(s) ? s->ended : 0;
    lock_release(&s->lock);
    between_was_wait_for(th, ctx, ended);
}

static __attribute__((noinline)) void join_slow(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    scope_taken(s);
    if (!t)
        return;
    if (s->local.done != s->spawned || s->spawned_foreign) {
        scope_waited(th, t, s);
        if (!scope_done(s) && !scope_settle(th, s, scope_done)) {
            join_settled(th, s);
            return;
        }
    } else if (!s->spawned) {
        return;
    }
    if (DAGREC_ON)
        dagrec_join(th, t, s);
    scope_collect(th, t, s);
    if (__builtin_expect(engine_publish_wanted && t->flags & TASK_ROOT && th == engine_main, 0))
        engine_publish(t);
}

void engine_join(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    uint64_t n = s->spawned;
    ASSERT(!t || (strand_is_valid(t) && s->owner == t && scope_is_valid(th, s)));
    if (__builtin_expect(!t || !n || s->local.done != n || ENGINE_EXTRAS ||
                             engine_publish_wanted || scope_taking(s) | s->spawned_foreign,
                         0)) {
        join_slow(th, s);
        return;
    }
    struct task *best = scope_empty(t, s, &s->local);
    scope_taken(s);
    scope_path(th, t, s, best);
}

void engine_join_wait(struct thread *th, struct scope *s)
{
    ASSERT(strand_is_valid(th->cur));
    between_idle(th, th->between_cost, th->cur->ctx, IDLE_WAIT);
    if (!scope_done(s))
        scope_settle(th, s, scope_done);
}

void engine_join_ended(struct thread *th, struct scope *s)
{
    if (!scope_is_empty(s))
        join_settled(th, s);
}

void engine_join_foreign(struct thread *th, struct scope *s)
{
    if (!th->cur || scope_is_empty(s))
        return;
    engine_join_wait(th, s);
    join_settled(th, s);
}

/* ---- joins of paused strands ---- */

void engine_join_group(struct thread *th, struct scope *s)
{
    if (__atomic_load_n(&s->rest, __ATOMIC_ACQUIRE) || !scope_done(s)) {
        scope_waited(th, th->cur, s);
        lock_take(&s->lock);
        bool over = scope_over(s);
        lock_release(&s->lock);
        if (!over)
            scope_settle(th, s, scope_over);
        lock_take(&s->lock);
        over = scope_over(s);
        if (over && s->rest)
            scope_add_rest(th, s);
        lock_release(&s->lock);
    }
    engine_join(th, s);
}

void engine_join_paused(struct thread *th, struct task *t)
{
    struct task *cur = th->cur;
    uint64_t between = th->between_cost, idle_since = th->idle_since, t0 = th->t0;
    /* The recorded dag and the scenarios read the clock. T does not run: it must not be charged
     * what this thread has waited for T's tasks. */
    bool held = ENGINE_EXTRAS && !cur;
    if (held)
        th->t0 = strand_none(th) + STRAND_HELD;
    th->cur = t;
    th->idle_since = th->strand_tsc;    /* the agent decides later what it was */
    th->between_cost = 0;
    if (t->own_scope)
        engine_join_group(th, t->own_scope);
    th->cur = cur;
    if (held)
        th->t0 = t0;
    th->between_cost = between;
    th->idle_since = idle_since;
}
