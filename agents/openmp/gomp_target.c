/* gomp_target.c - target regions that the host executes, and target data. See gomp.h.
 *
 * A target region that the host executes is a task of its own, in no team. So the tasks that it
 * creates are undeferred. Its body gets the array of the addresses of the mapped objects, or a copy
 * of the array if the region is deferred. We put words of our own first into the array, as values.
 * libgomp does not change values.
 */
#define _GNU_SOURCE
#include "gomp.h"
#include <alloca.h>
#include <string.h>
#include "base/memory.h"
#include "dag/own_overhead.h"
#include "base/forbid.h"

/* Our words. */
enum { OURS_TASK, OURS_STRAND, OURS_BODY, OURS_ENTRY, OURS };
/* gcc's numbers: a flag, a device, a kind of an address. */
enum { TARGET_NOWAIT = 1, ON_HOST = -2, MAP_VALUE = 13 };
/* Arrays up to this size are on the stack. */
#define ON_STACK 16384

/* Is the region a task of the host's? libgomp finds the code for a device by the address of the
 * region's body, so we must not replace that body. */
static bool records_target(const struct gomp_entry *e, int device)
{
    return recorded(e) &&
           (device == ON_HOST || (e->omp_get_num_devices && !e->omp_get_num_devices()));
}

static void target_body(void *p)
{
    void **ours = p;
    struct task *t = ours[OURS_TASK];
    uint32_t outside = gomp_depth;
    const struct gomp_entry *other = gomp_enter(ours[OURS_ENTRY]);
    gomp_depth = 0;
    omp_entered(ours[OURS_STRAND]);
    struct task *interrupted = omp_task_begin(t, (uintptr_t)__builtin_frame_address(0), false);
    ((void (*)(void *))ours[OURS_BODY])(ours + OURS);
    if (t)
        omp_task_end(interrupted);
    gomp_depth = outside;
    gomp_leave(other);
    KEEP_FRAME();
}

/* The three arrays of a target region, with room for our words. */
struct mapping {
    size_t n;
    void **addresses;
    size_t *sizes;
    unsigned short *kinds;
};

/* Our words T, STRAND, FN and E, then the N words of the program's FROM. */
static void mapping_fill(struct mapping *to, const struct mapping *from, void *const ours[OURS])
{
    for (unsigned i = 0; i < OURS; i++) {
        to->addresses[i] = ours[i];
        to->sizes[i] = 0;
        to->kinds[i] = MAP_VALUE;
    }
    if (from->n) {
        memcpy(to->addresses + OURS, from->addresses, from->n * sizeof *to->addresses);
        memcpy(to->sizes + OURS, from->sizes, from->n * sizeof *to->sizes);
        memcpy(to->kinds + OURS, from->kinds, from->n * sizeof *to->kinds);
    }
}

EXPORT void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **addresses,
                            size_t *sizes, unsigned short *kinds, unsigned flags, void **depend,
                            void **args)
{
    struct path_point from = PATH_POINT();
    const struct gomp_entry *e = gomp_entry((void *)fn);
    size_t all = n + OURS, room = all * (sizeof *addresses + sizeof *sizes + sizeof *kinds);
    void **a = !records_target(e, device) ? 0 : room <= ON_STACK ? alloca(room) : memory_map(room);
    if (!a) {
        e->GOMP_target_ext(device, fn, n, addresses, sizes, kinds, flags, depend, args);
        return;
    }
    size_t *s = (size_t *)(a + all);
    bool call = !(flags & TARGET_NOWAIT) || omp_task_is_final();
    /* libgomp makes a team of this thread alone, for good. From now on it defers the thread's
     * tasks. */
    if (!call && !gomp_depth)
        gomp_depth = 1;
    struct task *t = omp_task_new(&from, &gomp_style, "target", call ? OMP_CALL : 0);
    if (t && depend && gomp_depth) {
        struct thread *th = thread_self_;
        struct own own = own_begin(th);
        gomp_depend_task(th, t, depend);
        own_end(th, &own);
    }
    /* the creator waits for the tasks that the region depends on */
    struct task *strand = call && depend && gomp_depth ? omp_wait_begin() : 0;
    struct mapping theirs = { n, addresses, sizes, kinds },
                   mapping = { all, a, s, (unsigned short *)(s + all) };
    mapping_fill(&mapping, &theirs,
                 (void *[OURS]){ [OURS_TASK] = t,
                                 [OURS_STRAND] = strand,
                                 [OURS_BODY] = (void *)fn,
                                 [OURS_ENTRY] = (void *)e });
    e->GOMP_target_ext(device, target_body, all, a, s, mapping.kinds, flags, depend, args);
    if (room > ON_STACK)
        memory_unmap(a, room);
}

/* For code of gcc before 5. The body starts at once. */
EXPORT void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t n,
                        void **addresses, size_t *sizes, unsigned char *kinds)
{
    const struct gomp_entry *e = gomp_entry((void *)fn);
    uint32_t outside = gomp_depth;
    gomp_depth = 0;
    e->GOMP_target(device, fn, unused, n, addresses, sizes, kinds);
    gomp_depth = outside;
}

/* These only move target data. On the host they do nothing but wait for the dependences. With
 * nowait they are a task without a body, whose start and end nobody sees. */
#define TARGET_DATA(name)                                                                       \
    EXPORT void name(int device, size_t n, void **addresses, size_t *sizes,                     \
                     unsigned short *kinds, unsigned flags, void **depend)                      \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        bool wrapped = recorded(e) && depend && gomp_depth;                                     \
        bool waits = wrapped && (!(flags & TARGET_NOWAIT) || omp_task_is_final());              \
        if (wrapped && !waits)                                                                  \
            run_lower_bound("target data nowait depend");                                    \
        struct task *strand = waits ? omp_wait_begin() : 0;                                     \
        e->name(device, n, addresses, sizes, kinds, flags, depend);                             \
        omp_entered(strand);                                                                    \
        if (strand)                                                                             \
            gomp_depend_wait(depend);                                                           \
    }
TARGET_DATA(GOMP_target_update_ext)
TARGET_DATA(GOMP_target_enter_exit_data)
