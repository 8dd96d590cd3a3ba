/* gomp_depend_list.c - gcc's lists of dependences, read into the model's. See gomp.h. */
#include "lifecycle/thread.h"
#include "gomp.h"
#include "depend_table.h"
#include "base/forbid.h"

/* Calls F for each dependence of LIST. gcc has two forms of lists:
 *     {n, out, addresses: writers first}
 *     {0, n, out, mutexinoutset, in, addresses, then objects} */
typedef void depend_function(void *closure, const void *address, enum depend_kind kind);
static void depend_each(void **list, depend_function *f, void *closure)
{
    uintptr_t n = (uintptr_t)list[0], writers = (uintptr_t)list[1];
    if (n) {
        for (uintptr_t i = 0; i < n; i++)
            f(closure, list[2 + i], i < writers ? DEPEND_OUT : DEPEND_IN);
        return;
    }
    n = (uintptr_t)list[1];
    writers = (uintptr_t)list[2];
    uintptr_t mutexes = writers + (uintptr_t)list[3], plain = mutexes + (uintptr_t)list[4];
    for (uintptr_t i = 0; i < n; i++) {
        if (i < plain) {
            f(closure, list[5 + i],
              i < writers   ? DEPEND_OUT
              : i < mutexes ? DEPEND_MUTEXINOUTSET
                            : DEPEND_IN);
            continue;
        }
        void **object = list[5 + i];    /* omp_depend_t: {address, kind} */
        uintptr_t kind = (uintptr_t)object[1];
        f(closure, object[0],
          kind == 1   ? DEPEND_IN
          : kind == 4 ? DEPEND_MUTEXINOUTSET
          : kind == 5 ? DEPEND_INOUTSET
                      : DEPEND_OUT);
    }
}

/* To gcc 13 and later a null address is omp_all_memory, and orders tasks of other addresses. No
 * version of the list distinguishes them. */
static void see_all_memory(const void *address)
{
    if (__builtin_expect(!address, 0))
        run_lower_bound(depend_all_memory);
}

static void depend_of_task(void *task, const void *address, enum depend_kind kind)
{
    struct thread *th = thread_self();
    see_all_memory(address);
    if (th && th->cur)
        depend_add(th, omp_creator(th->cur), task, address, kind);
}

void gomp_depend_task(struct task *t, void **list)
{
    depend_each(list, depend_of_task, t);
}

static void depend_of_wait(void *unused, const void *address, enum depend_kind kind)
{
    struct thread *th = thread_self();
    see_all_memory(address);
    if (th && th->cur)
        depend_join(th, omp_creator(th->cur), address, kind);
}

void gomp_depend_wait(void **list)
{
    depend_each(list, depend_of_wait, 0);
}

/* After a `target nowait` outside of every region, libgomp also defers tasks there. */
void gomp_only_children(void)
{
    struct thread *th = thread_self();
    if (th && th->cur && !(th->cur->flags & OMP_TASK))
        run_lower_bound("depend or taskgroup (outside of OpenMP regions)");
}
