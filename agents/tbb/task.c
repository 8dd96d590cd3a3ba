/* task.c - see task.h. */
#include "lifecycle/thread.h"
#include "task.h"
#include "base/forbid.h"

const char tbb_task_twice[] = "a task object submitted twice";

/* The program destroys a task before it ran. */
static void armed_destroy(struct tbb_task *t, unsigned slot)
{
    struct thread *th = thread_self();
    void *const *vptr = t->original_vptr;
    struct task *rec = tbb_task_take(t, vptr);
    t->vptr = vptr;
    if (th && rec)
        engine_discard(th, rec);
    ((void (*)(struct tbb_task *))vptr[slot])(t);
}

static void armed_d1(struct tbb_task *t)
{
    armed_destroy(t, VTABLE_D1);
}

static void armed_d0(struct tbb_task *t)
{
    armed_destroy(t, VTABLE_D0);
}

READ_MOSTLY void *tbb_task_vtable[2 + VTABLE_SLOTS] = { [2 + VTABLE_D1] = (void *)armed_d1,
                                                        [2 + VTABLE_D0] = (void *)armed_d0 };

void tbb_task_runs_by(tbb_task_body *execute, tbb_task_body *cancel)
{
    tbb_task_vtable[2 + VTABLE_EXECUTE] = (void *)execute;
    tbb_task_vtable[2 + VTABLE_CANCEL] = (void *)cancel;
}

void tbb_task_refused(struct thread *th, const struct tbb_task *t)
{
    if (t->original_vptr)
        run_lower_bound(tbb_task_twice);
    else
        th->lost[LOSS_UNBALANCED]++;
}

bool tbb_task_seen(const struct tbb_task *t)
{
    return t->rec || t->vptr == TBB_ARMED;
}

void tbb_task_see(struct tbb_task *t, struct task *rec, bool spawned)
{
    if (spawned)
        tbb_task_arm(t, t->vptr, rec, true);
    else
        /* the program's own code still uses the task, which must have its class */
        t->rec = rec;
}
