/* here.c - see here.h. */
#include "callsite/here.h"
#include "dag/own_overhead.h"
#include "dag/thread.h"
#include "base/forbid.h"

const struct segment *path_slow(uintptr_t from, uintptr_t cfa, uintptr_t fp, uintptr_t limit)
{
    struct path_point p = { from, cfa, fp };
    const struct segment *s = path_find(&p, limit);
    struct thread *th = thread_self_;
    if (s || !th)
        return s ? s : path_learn(&p, limit, 0);
    struct own own = own_from(th);
    s = path_learn(&p, limit, &th->deep_spawns);
    own_until_now(th, own, 0, 0);
    return s;
}

void here_move(struct task *t, const struct path_point *point, uintptr_t entry,
               struct task_place *saved)
{
    *saved = (struct task_place){ t->entry, t->base, t->flags & (TASK_MOVED | TASK_ENTRY_AT) };
    const struct segment *segment = path_here(point, task_entry(t));
    const struct logical_path *base = segment ? context_path_child(task_path(t), segment) : 0;
    t->base = base ? base : task_path(t);
    t->entry = entry;
    t->flags = (t->flags & ~TASK_ENTRY_AT) | TASK_MOVED;
}

void here_moved_back(struct task *t, const struct task_place *saved)
{
    t->entry = saved->entry;
    t->base = saved->base;
    t->flags = (t->flags & ~TASK_MOVED) | saved->moved;
}
