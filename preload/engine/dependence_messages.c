/* dependence_messages.c - paths that messages carry (struct trail), where a flow graph's messages
 * are edges. See dependence.h.
 */
#include "engine/calibrated.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include "base/forbid.h"

void arrival_now(struct thread *th, struct scope *scope, struct arrival *a)
{
    struct task *t = th->cur;
    strand_cut(th, t, calibrated.resume);
    a->len = t->len;
    if (DAGREC_ON)
        a->dag_event = dagrec_put(th, t);
    struct trail *r = block_new(th, block_class(sizeof *r));
    if (!r)
        return;
    *r = (struct trail){ .S = t->S, .scope = scope, .references = 1 };
    whatif_max(th, &r->scaled, t->scaled);
    if (WHATIF_ON)
        r->inside = t->inside;
    a->trail = r;
    if (t == scope->owner) {
        scope_births(scope, t);
        return;
    }
    /* T goes on: its samples and its children's births stay as they are */
    r->birth = t->birth;
    r->ctx = t->ctx;
    r->flags = t->flags & (TASK_INHERIT | TASK_FOREIGN);
    r->seq = t->seq;
    r->late = t->late;
    r->work_local = invocation_work(t);
    r->work = subtree_work(t);
    r->loc = t->loc + (t->S - t->blk);
    if (__builtin_expect(t->bag != 0, 0)) {
        r->bag = bag_copy(th, t->bag);
        if (!r->bag)
            r->loc = t->S - t->birth;
        else if (r->bag->fresh_count)
            bag_samples_settle(th, &r->bag, t->S);
    }
    ASSERT_WALK(trail_is_valid(r));
}

void trail_drop(struct thread *th, struct trail *r)
{
    ASSERT_WALK(!r || trail_is_valid(r));
    if (!r || (__atomic_load_n(&r->references, __ATOMIC_ACQUIRE) != 1 &&
               __atomic_sub_fetch(&r->references, 1, __ATOMIC_ACQ_REL)))
        return;
    bag_free(th, r->bag);
    whatif_free(th, &r->scaled);
    block_free(th, r);
}

/* A copy of R, the longer trail, with the maximum of both in every scenario. A copy, because trails
 * are shared. NULL: no memory. */
static struct trail *trail_of_both(struct thread *th, const struct trail *r,
                                   const struct trail *other)
{
    struct trail *both = block_new(th, block_class(sizeof *both));
    if (!both)
        return 0;
    *both = *r;
    both->references = 1;
    both->bag = bag_copy(th, r->bag);
    if (r->bag && !both->bag)
        both->loc = r->S - r->birth;
    both->scaled = 0;
    whatif_max(th, &both->scaled, r->scaled);
    whatif_max(th, &both->scaled, other->scaled);
    return both;
}

/* INTO becomes the later of both, put inside of IN. */
static void arrival_max_inside(struct thread *th, struct arrival *into, const struct arrival *a,
                               const struct whatif_inside *in)
{
    lengths_max(&into->len, &a->len);
    if (DAGREC_ON)
        into->dag_event = dagrec_both(th, into->dag_event, a->dag_event);
    struct trail *r = a->trail, *was = into->trail;
    if (WHATIF_ON && r && was && r != was) {
        struct trail *both = critical_is_longer(r->S, r->seq, was->S, was->seq)
                                 ? trail_of_both(th, r, was)
                                 : trail_of_both(th, was, r);
        if (both) {
            both->inside = in;
            into->trail = both;
            trail_drop(th, was);
            return;
        }
    }
    if (!r || (was && !critical_is_longer(r->S, r->seq, was->S, was->seq)))
        return;
    __atomic_fetch_add(&r->references, 1, __ATOMIC_RELAXED);
    into->trail = r;
    trail_drop(th, was);
}

void arrival_max(struct thread *th, struct arrival *into, const struct arrival *a)
{
    const struct whatif_inside *in = 0;
    if (WHATIF_ON && into->trail && a->trail)
        in = whatif_common(into->trail->inside, a->trail->inside);
    arrival_max_inside(th, into, a, in);
}

void arrival_delay(struct thread *th, struct arrival *into, const struct arrival *a)
{
    arrival_max_inside(th, into, a, into->trail ? into->trail->inside : 0);
}

void trail_prepend(struct thread *th, struct trail *r, const struct trail *before,
                   uint64_t birth)
{
    ASSERT(r->birth == birth && before->S <= birth);
    uint64_t own = birth - before->S;
    struct bag *bag = bag_copy(th, before->bag);
    if (before->bag && !bag)
        own = birth - before->birth;
    struct on_span *v = bag_at(th, &bag, before->ctx->id);
    if (v) {
        v->span_local += own;
        if (!(before->flags & TASK_INHERIT)) {
            v->count++;
            v->work_local += own;
            v->work += own;
            v->span += own;
        }
    }
    if (r->bag)
        bag_merge(th, &bag, r->bag);
    r->bag = bag;
    r->late += birth - before->birth;
    r->birth = before->birth;
}

struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx,
                                uint32_t seq, uint32_t flags, const struct arrival *a)
{
    struct task *t = task_spawned_free(th, scope, ctx, seq, flags);
    if (__builtin_expect(!t, 0))
        return 0;
    whatif_birth_after(th, t, a->trail ? a->trail->scaled : 0, a->trail ? a->trail->inside : 0);
    if (DAGREC_ON)
        dagrec_ready(th, t, scope);
    return t;
}

/* R, longer than T's path, becomes T's path. */
static void critical_follow(struct thread *th, struct task *t, const struct trail *r)
{
    if (r->scope != t->scope) {
        t->flags |= TASK_FOREIGN;
        critical_jump(th, t, r->S, r->ctx ? r->ctx : t->ctx, true);
        return;
    }
    t->flags = (t->flags & ~TASK_FOREIGN) | (r->flags & TASK_FOREIGN);
    bag_free(th, t->bag);
    t->bag = 0;
    t->loc = t->late = 0;
    t->birth = r->S;
    if (r->ctx) {
        t->birth = r->birth;
        t->late = r->S - r->birth;
        t->bag = bag_copy(th, r->bag);
        uint64_t loc = r->bag && !t->bag ? t->late : r->loc;
        struct on_span *v = bag_at(th, &t->bag, r->ctx->id);
        if (v) {
            v->span_local += loc;
            if (!(r->flags & TASK_INHERIT)) {
                v->count++;
                v->work_local += r->work_local;
                v->work += r->work;
                v->span += r->S - r->birth - r->late;
            }
        }
    }
    t->S = t->blk = r->S;
    ASSERT(task_is_valid(t));
}

void engine_task_after(struct thread *th, struct task *t, const struct arrival *a, uint32_t burdens)
{
    lengths_max_burdened(&t->len, &a->len, burdens);
    const struct trail *r = a->trail;
    if (r)
        whatif_max(th, &t->scaled, r->scaled);
    bool later = r && r->S > t->S;
    if (later)
        critical_follow(th, t, r);
    if (DAGREC_ON)
        dagrec_get(th, t, a->dag_event, later, DAGREC_EDGE);
}

/* Counts T, a task that the running strand makes ready in S. Only the thread of S's owner writes
 * `spawned`. */
static inline void scope_count_ready(struct thread *th, struct scope *s, const struct task *t)
{
    if (__atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th) {
        __atomic_store_n(&s->spawned, s->spawned + 1, __ATOMIC_RELEASE);
        scope_takes(scope_context(s), t);
        return;
    }
    scope_count_foreign(s, t);
}

struct task *engine_spawn_along(struct thread *th, struct scope *scope, struct context *ctx,
                                uint32_t seq, uint32_t flags)
{
    struct task *cur = th->cur;
    if (ENGINE_EXTRAS)
        return 0;
    strand_cut(th, cur, calibrated.resume);     /* nothing, if the strand is held */
    struct task *t = cur->S ? block_new(th, BLOCK_TASK) : 0;
    if (__builtin_expect(!t, 0))
        return 0;
    task_born(th, t, cur, scope, ctx, flags, seq);
    if (scope->owner == cur)
        scope_births(scope, cur);
    else if (!critical_along(th, t, cur))
        t->flags |= TASK_FOREIGN;
    scope_count_ready(th, scope, t);
    ASSERT(task_is_valid(t));
    return t;
}

void engine_running_after(struct thread *th, const struct arrival *a)
{
    struct task *t = th->cur;
    strand_cut(th, t, calibrated.resume);
    divide_end_cut(th, t);
    lengths_max(&t->len, &a->len);
    const struct trail *r = a->trail;
    if (r)
        whatif_max(th, &t->scaled, r->scaled);
    bool later = r && r->S > t->S;
    if (later)
        critical_jump(th, t, r->S, r->ctx ? r->ctx : t->ctx, true);
    if (DAGREC_ON)
        dagrec_get(th, t, a->dag_event, later, DAGREC_EDGE);
}
