/* ompt_loop.c - loops whose chunks libomp hands out, and loops whose iterations wait. OMPT reports
 * neither, so we interpose libomp's functions. See ompt.h.
 */
#include "ompt.h"
#include "doacross.h"
#include "engine/divide.h"
#include "libprof_format.h"
#include "ompt_agent.h"
#include "base/forbid.h"

/* ---- schedules ---- */

/* libomp's numbers of schedules. Ordered ones are 32 higher than plain ones, nonmonotonic ones 128
 * higher. Two more bits modify them. */
enum {
    SCHEDULE_STATIC_CHUNKED = 33,
    SCHEDULE_STATIC = 34,
    SCHEDULE_DYNAMIC_CHUNKED = 35,
    SCHEDULE_STATIC_BALANCED = 45,
    SCHEDULE_RUNTIME = 37,
    SCHEDULE_ORDERED = 32,
    SCHEDULE_ORDERED_LAST = 72,
    SCHEDULE_NONMONOTONIC = 128,
    SCHEDULE_MODIFIERS = 3 << 29
};

/* The kind of SCHEDULE: without what modifies it. */
static int32_t plain(int32_t schedule)
{
    schedule &= ~SCHEDULE_MODIFIERS;
    if (schedule > SCHEDULE_NONMONOTONIC)
        schedule -= SCHEDULE_NONMONOTONIC;
    if (schedule > 2 * SCHEDULE_ORDERED)
        schedule -= SCHEDULE_ORDERED;
    return schedule;
}

static bool is_static(const struct kmpc_entry *e, int32_t schedule)
{
    schedule = plain(schedule);
    if (schedule == SCHEDULE_RUNTIME && e->omp_get_schedule) {
        int kind = 0, chunk;
        e->omp_get_schedule(&kind, &chunk);
        return (kind & ~(1 << 31)) == 1;
    }
    return schedule == SCHEDULE_STATIC || schedule == SCHEDULE_STATIC_CHUNKED;
}

/* The size of chunks that a loop of this SCHEDULE hands out, if the program passes CHUNK; 0: the
 * runtime chooses it. */
static uint64_t chunk_size(int32_t schedule, int64_t chunk)
{
    return plain(schedule) == SCHEDULE_DYNAMIC_CHUNKED && chunk > 0 ? chunk : 0;
}

static bool is_ordered(int32_t schedule)
{
    schedule &= ~SCHEDULE_MODIFIERS;
    if (schedule > SCHEDULE_NONMONOTONIC)
        schedule -= SCHEDULE_NONMONOTONIC;
    return schedule > 2 * SCHEDULE_ORDERED && schedule <= SCHEDULE_ORDERED_LAST;
}

/* ---- parts of loops ---- */

/* A team can be in seven loops at a time. A thread that comes to the eighth waits until all threads
 * have left the first. */
#define DISPATCH_INIT(name, type, stride)                                                       \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, type lower, type upper,    \
                     stride step, stride chunk);                                                \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, type lower, type upper,    \
                     stride step, stride chunk)                                                 \
    {                                                                                           \
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));                   \
        if (ompt_get_task_info) {                                                               \
            omp_loop_begin(is_static(e, schedule));                                             \
            omp_loop_chunk(0, chunk_size(schedule, chunk));                                     \
        }                                                                                       \
        if (ompt_get_task_info && is_ordered(schedule))                                         \
            omp_ordered_begin();                                                                \
        struct task *strand = ompt_get_task_info ? omp_wait_begin() : 0;                        \
        e->name(location, gtid, schedule, lower, upper, step, chunk);                           \
        omp_entered(strand);                                                                    \
    }
DISPATCH_INIT(__kmpc_dispatch_init_4, int32_t, int32_t)
DISPATCH_INIT(__kmpc_dispatch_init_4u, uint32_t, int32_t)
DISPATCH_INIT(__kmpc_dispatch_init_8, int64_t, int64_t)
DISPATCH_INIT(__kmpc_dispatch_init_8u, uint64_t, int64_t)

/* The iterations of a part that was handed out. */
#define PART(lower, upper, step)                                                                \
    (*(step) ? (uint64_t)((int64_t)(*(upper) - *(lower)) / *(step)) + 1 : DIVIDE_UNKNOWN)
#define DISPATCH(name, type, stride)                                                            \
    EXPORT int name(void *location, int32_t gtid, int32_t *last, type *lower, type *upper,      \
                    stride *step);                                                              \
    EXPORT int name(void *location, int32_t gtid, int32_t *last, type *lower, type *upper,      \
                    stride *step)                                                               \
    {                                                                                           \
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));                   \
        if (__builtin_expect(ompt_here.in_loop != 0, 0))                                        \
            ompt_loop_waited();                                                                 \
        if (!ompt_get_task_info || omp_loop_is_static()) {                                      \
            int got = e->name(location, gtid, last, lower, upper, step);                        \
            if (ompt_get_task_info)                                                             \
                omp_part_next(got, got ? PART(lower, upper, step) : 0);                         \
            if (!got && ompt_get_task_info)                                                     \
                omp_loop_end();                                                                 \
            return got;                                                                         \
        }                                                                                       \
        struct task *strand = omp_chunk_end();                                                  \
        int got = e->name(location, gtid, last, lower, upper, step);                            \
        omp_chunk_next(strand, got, got ? PART(lower, upper, step) : 0);                        \
        if (!got)                                                                               \
            omp_loop_end();                                                                     \
        return got;                                                                             \
    }
DISPATCH(__kmpc_dispatch_next_4, int32_t, int32_t)
DISPATCH(__kmpc_dispatch_next_4u, uint32_t, int32_t)
DISPATCH(__kmpc_dispatch_next_8, int64_t, int64_t)
DISPATCH(__kmpc_dispatch_next_8u, uint64_t, int64_t)

/* An iteration of an ordered loop ends. If it did not execute its ordered block, it waits for its
 * turn here. */
#define DISPATCH_FINI(name)                                                                     \
    EXPORT void name(void *location, int32_t gtid);                                             \
    EXPORT void name(void *location, int32_t gtid)                                              \
    {                                                                                           \
        struct path_point mine = PATH_POINT();                                                  \
        struct task *strand = ompt_get_task_info ? omp_wait_begin() : 0;                        \
        kmpc_entry(__builtin_return_address(0))->name(location, gtid);                          \
        ompt_waited_for(strand, mine, "ordered", LPF_SITE_IN_ORDER);                            \
    }
DISPATCH_FINI(__kmpc_dispatch_fini_4)
DISPATCH_FINI(__kmpc_dispatch_fini_4u)
DISPATCH_FINI(__kmpc_dispatch_fini_8)
DISPATCH_FINI(__kmpc_dispatch_fini_8u)

/* The same for gcc's code, which calls functions of other names (gomp_loop.c). */
void ompt_schedule(bool is_static, bool starts, uint64_t chunk)
{
    if (ompt_get_task_info && (starts || !omp_in_loop()))
        omp_loop_kind(is_static);
    if (ompt_get_task_info && starts)
        omp_loop_chunk(0, chunk);
}

void ompt_loop_waits(void)
{
    ompt_here.in_loop = ompt_get_task_info && engine_recording ? omp_wait_begin() : 0;
    ompt_here.waited = 0;
}

uint64_t ompt_loop_waited(void)
{
    if (ompt_here.in_loop) {
        ompt_here.waited = omp_entered(ompt_here.in_loop);
        ompt_here.in_loop = 0;
    }
    return ompt_here.waited;
}

/* ---- static loops ---- */

/* A loop, as the compiler's code passes it; bounds are inclusive. */
struct bounds {
    int64_t lower, upper, stride, step;
};

/* The iterations of a thread's share. SHARE's bounds are its first chunk. A chunk of that length
 * follows at each stride, up to the end of the WHOLE loop. */
static uint64_t share_iterations(struct bounds whole, struct bounds share)
{
    int64_t step = whole.step;
    if (!step || (step > 0 ? share.lower > share.upper : share.lower < share.upper))
        return 0;
    uint64_t chunk = (share.upper - share.lower) / step + 1, each = share.stride / step;
    uint64_t left = (whole.upper - share.lower) / step + 1;
    if (!each || each >= left)
        return chunk < left ? chunk : left;
    uint64_t rest = left % each;
    return left / each * chunk + (rest < chunk ? rest : chunk);
}

/* ident_t: a word, then flags. */
enum { LOCATION_FLAGS = 1, LOCATION_LOOP = 0x200 };

static bool is_loop(const uint32_t *location, int32_t schedule)
{
    schedule &= ~SCHEDULE_MODIFIERS;
    return location && location[LOCATION_FLAGS] & LOCATION_LOOP &&
           (schedule == SCHEDULE_STATIC || schedule == SCHEDULE_STATIC_CHUNKED ||
            schedule == SCHEDULE_STATIC_BALANCED);
}

#define STATIC_INIT(name, type, stride)                                                         \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, int32_t *last,             \
                     type *lower, type *upper, stride *each, stride step, stride chunk);        \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, int32_t *last,             \
                     type *lower, type *upper, stride *each, stride step, stride chunk)         \
    {                                                                                           \
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));                   \
        struct bounds whole = { *lower, *upper, 0, step };                                      \
        e->name(location, gtid, schedule, last, lower, upper, each, step, chunk);               \
        if (ompt_get_task_info && engine_recording && is_loop(location, schedule))              \
            omp_share_of_loop_begin(                                                            \
                share_iterations(whole, (struct bounds){ *lower, *upper, *each, step }));       \
    }
STATIC_INIT(__kmpc_for_static_init_4, int32_t, int32_t)
STATIC_INIT(__kmpc_for_static_init_4u, uint32_t, int32_t)
STATIC_INIT(__kmpc_for_static_init_8, int64_t, int64_t)
STATIC_INIT(__kmpc_for_static_init_8u, uint64_t, int64_t)

EXPORT void __kmpc_for_static_fini(void *location, int32_t gtid);
EXPORT void __kmpc_for_static_fini(void *location, int32_t gtid)
{
    if (ompt_get_task_info && engine_recording)
        omp_share_of_loop_end();
    kmpc_entry(__builtin_return_address(0))->__kmpc_for_static_fini(location, gtid);
}

/* ---- loops whose iterations wait for each other ---- */

EXPORT void __kmpc_doacross_init(void *location, int32_t gtid, int32_t n,
                                 const struct doacross_dimension *dimensions);
EXPORT void __kmpc_doacross_init(void *location, int32_t gtid, int32_t n,
                                 const struct doacross_dimension *dimensions)
{
    if (ompt_get_task_info)
        omp_doacross_begin(n, dimensions);
    struct task *strand = ompt_get_task_info ? omp_wait_begin() : 0;
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_init(location, gtid, n, dimensions);
    omp_entered(strand);        /* as for any loop */
}

EXPORT void __kmpc_doacross_post(void *location, int32_t gtid, const int64_t *at);
EXPORT void __kmpc_doacross_post(void *location, int32_t gtid, const int64_t *at)
{
    if (ompt_get_task_info)
        omp_doacross_post(at);
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_post(location, gtid, at);
}

EXPORT void __kmpc_doacross_wait(void *location, int32_t gtid, const int64_t *at);
EXPORT void __kmpc_doacross_wait(void *location, int32_t gtid, const int64_t *at)
{
    struct path_point mine = PATH_POINT();
    struct task *strand = ompt_get_task_info ? omp_wait_begin() : 0;
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_wait(location, gtid, at);
    if (strand)
        omp_doacross_after(strand, at);
    ompt_waited_for(strand, mine, "doacross", LPF_SITE_IN_ORDER);
}

EXPORT void __kmpc_doacross_fini(void *location, int32_t gtid);
EXPORT void __kmpc_doacross_fini(void *location, int32_t gtid)
{
    if (ompt_get_task_info)
        omp_doacross_end();
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_fini(location, gtid);
}
