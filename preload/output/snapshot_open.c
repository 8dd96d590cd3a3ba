/* snapshot_open.c - strands that run or wait during the snapshot. See snapshot_private.h. */
#include "output/snapshot_private.h"
#include "base/memory.h"
#include "base/forbid.h"

void snapshot_find_open(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        th->open_task = 0;
        th->open = th->open_blocked = 0;
        for (unsigned tries = 0; th != thread_self_ && tries < 100; tries++) {
            uint64_t last = __atomic_load_n(&th->clock.last, __ATOMIC_ACQUIRE), value;
            struct task *t = __atomic_load_n(&th->cur, __ATOMIC_ACQUIRE);
            uint64_t t0 = th->t0;
            bool known = t && clock_peek(&th->clock, th->tid, &value);
            uint64_t now = clock_ticks();
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

/* Strands that were added. */
struct seen {
    unsigned count, most;
    const struct task **task;
};

/* Adds T, which costs OPEN since its last reading, and was off its CPU for BLOCKED of that. False:
 * there is no T, or it was added before. */
static bool add_live_work(struct snapshot *s, struct seen *seen, const struct task *t,
                          uint64_t open, uint64_t blocked)
{
    if (!t || !t->ctx || seen->count == seen->most)
        return false;
    for (unsigned i = 0; i < seen->count; i++)
        if (seen->task[i] == t)
            return false;
    seen->task[seen->count++] = t;
    uint32_t i = snapshot_index(s, context_of(t));
    s->metrics[i].work_local += t->own + open;
    s->spread[i].blocked += blocked;
    return true;
}

static const struct task *running(const struct thread *th)
{
    return th == thread_self_ ? th->cur : th->open_task;
}

/* The task that spawned T. NULL: T is a root, or its spawner has ended. */
static const struct task *parent(const struct task *t)
{
    const struct scope *in =
        t->flags & TASK_ROOT ? 0 : __atomic_load_n(&t->scope, __ATOMIC_RELAXED);
    return in ? __atomic_load_n(&in->owner, __ATOMIC_RELAXED) : 0;
}

/* Waiting strands are the ancestors of running ones, and the root strand of each thread. At a
 * checkpoint, ancestors may end meanwhile, so they do not count. An ancestor may run, too. So all
 * running strands come first. */
void snapshot_add_open(struct snapshot *s)
{
    enum { MOST = 4096, FEW = 64 };
    static const struct task *few[FEW];         /* one snapshot at a time */
    const struct task **all = memory_map(MOST * sizeof all[0]);
    struct seen seen = { .most = all ? MOST : FEW, .task = all ? all : few };
    for (const struct thread *th = engine_threads; th; th = th->next)
        add_live_work(s, &seen, running(th), th->open, th->open_blocked);
    for (const struct thread *th = engine_threads; th; th = th->next) {
        const struct task *t = running(th);
        while (s->final && t && t->ctx && add_live_work(s, &seen, t = parent(t), 0, 0))
            ;
        add_live_work(s, &seen, th->root, 0, 0);
    }
    if (all)
        memory_unmap(all, MOST * sizeof all[0]);
}
