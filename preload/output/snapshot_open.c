/* snapshot_open.c - strands that run or wait during the snapshot. See snapshot_private.h. */
#include "output/snapshot_private.h"
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

static void add_live_work(struct snapshot *s, const struct task *t, uint64_t open, uint64_t blocked)
{
    uint32_t i = snapshot_index(s, context_of(t));
    s->metrics[i].work_local += t->own + open;
    s->spread[i].blocked += blocked;
}

/* Waiting strands are the ancestors of running ones, and the root strand of each thread. At a
 * checkpoint, ancestors may end meanwhile, so they do not count. */
void snapshot_add_open(struct snapshot *s)
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
