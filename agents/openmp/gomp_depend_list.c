/* gomp_depend_list.c - gcc's lists of dependences, read into the model's. See gomp.h. */
#include "lifecycle/thread.h"
#include "gomp.h"
#include "depend_table.h"
#include "base/forbid.h"

/* gcc has two forms of lists:
 *     {n, out, addresses: writers first}
 *     {0, n, out, mutexinoutset, in, addresses, then objects} */
static inline uintptr_t depend_count(void **list)
{
    return (uintptr_t)(list[0] ? list[0] : list[1]);
}

struct dependence {
    const void *address;
    enum depend_kind kind;
};

static struct dependence depend_of_object(void **object) /* omp_depend_t: {address, kind} */
{
    uintptr_t kind = (uintptr_t)object[1];
    return (struct dependence){ object[0], kind == 1   ? DEPEND_IN
                                           : kind == 4 ? DEPEND_MUTEXINOUTSET
                                           : kind == 5 ? DEPEND_INOUTSET
                                                       : DEPEND_OUT };
}

static struct dependence depend_of_long(void **list, uintptr_t i)
{
    uintptr_t writers = (uintptr_t)list[2], mutexes = writers + (uintptr_t)list[3],
              plain = mutexes + (uintptr_t)list[4];
    if (i >= plain)
        return depend_of_object(list[5 + i]);
    return (struct dependence){ list[5 + i], i < writers   ? DEPEND_OUT
                                             : i < mutexes ? DEPEND_MUTEXINOUTSET
                                                           : DEPEND_IN };
}

/* To gcc 13 and later a null address is omp_all_memory, and orders tasks of other addresses. No
 * version of the list distinguishes them. */
static inline struct dependence depend_at(void **list, uintptr_t i)
{
    struct dependence one = { list[2 + i], i < (uintptr_t)list[1] ? DEPEND_OUT : DEPEND_IN };
    if (!list[0])
        one = depend_of_long(list, i);
    if (__builtin_expect(!one.address, 0))
        run_lower_bound(depend_all_memory);
    return one;
}

/* After a `target nowait` outside of every region, libgomp also defers tasks there. */
void gomp_only_children(const struct thread *th)
{
    if (th && th->cur && !is_omp(th->cur))
        run_lower_bound("depend or taskgroup (outside of OpenMP regions)");
}

void gomp_depend_task(struct thread *th, struct task *t, void **list)
{
    gomp_only_children(th);
    struct omp_data *d = omp_data_of(th, omp_creator(th->cur));
    for (uintptr_t i = 0, n = depend_count(list); i < n; i++) {
        struct dependence one = depend_at(list, i);
        if (d)
            depend_add(th, d, t, one.address, one.kind);
    }
}

void gomp_depend_wait(void **list)
{
    struct thread *th = thread_self();
    for (uintptr_t i = 0, n = depend_count(list); i < n; i++) {
        struct dependence one = depend_at(list, i);
        if (th && th->cur)
            depend_join(th, omp_creator(th->cur), one.address, one.kind);
    }
}
