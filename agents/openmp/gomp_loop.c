/* gomp_loop.c - libgomp's loops that hand out their parts, sections, and loops whose iterations
 * wait. See gomp.h. */
#define _GNU_SOURCE
#include "gomp.h"
#include <stdarg.h>
#include <string.h>
#include "base/inline.h"
#include "doacross.h"
#include "libprof_format.h"
#include "ompt_agent.h"
#include "base/forbid.h"

/* ---- ordered blocks ---- */

/* The thread has already executed its ordered block in the current part of an ordered loop. */
static __thread bool had_turn __attribute__((tls_model("initial-exec")));

EXPORT void GOMP_ordered_start(void)
{
    had_turn = true;
    ENTER("ordered", LPF_SITE_IN_ORDER, e->GOMP_ordered_start())
    if (strand)
        omp_ordered_enter();
}

EXPORT void GOMP_ordered_end(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_ordered_leave();
    e->GOMP_ordered_end();
}

/* ---- the ends of loops ---- */

#define LOOP_END(name)                                                                          \
    EXPORT void name(void)                                                                      \
    {                                                                                           \
        if (recorded(ENTRY()))                                                                  \
            omp_loop_end();                                                                     \
        AT_BARRIER(e->name())                                                                   \
    }
#define LOOP_END_CANCEL(name)                                                                   \
    EXPORT bool name(void)                                                                      \
    {                                                                                           \
        bool cancelled;                                                                         \
        if (recorded(ENTRY()))                                                                  \
            omp_loop_end();                                                                     \
        AT_BARRIER(cancelled = e->name())                                                       \
        return cancelled;                                                                       \
    }
#define LOOP_END_NOWAIT(name)                                                                   \
    EXPORT void name(void)                                                                      \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (recorded(e))                                                                        \
            omp_loop_end();                                                                     \
        e->name();                                                                              \
    }
LOOP_END(GOMP_loop_end)
LOOP_END(GOMP_sections_end)
LOOP_END_CANCEL(GOMP_loop_end_cancel)
LOOP_END_CANCEL(GOMP_sections_end_cancel)
LOOP_END_NOWAIT(GOMP_loop_end_nowait)
LOOP_END_NOWAIT(GOMP_sections_end_nowait)

/* ---- parts of loops, and sections ---- */

/* Kinds of schedules, as libgomp passes them. DYNAMIC here means all schedules that are not
 * static. */
enum { RUNTIME = 0, STATIC = 1, DYNAMIC = 2, MONOTONIC = 1 << 31 };

static bool is_static(const struct gomp_entry *e, long schedule)
{
    int kind = schedule & ~MONOTONIC, chunk;
    if (kind == RUNTIME) {
        e->omp_get_schedule(&kind, &chunk);
        kind &= ~MONOTONIC;
    }
    return kind == STATIC;
}

/* The program asks for a part of the running loop. Is the loop static? A runtime schedule is read
 * where the loop STARTS, or at its first part, and kept: the loop's body may change it by
 * omp_set_schedule. */
static bool loop_is_static(const struct gomp_entry *e, long schedule, bool starts)
{
    if ((schedule & ~MONOTONIC) != RUNTIME)
        return is_static(e, schedule);
    if (starts || !omp_in_loop())
        omp_loop_kind(is_static(e, schedule));
    return omp_loop_is_static();
}

static ALWAYS_INLINE bool starts(const char *name)
{
    return strstr(name, "_start");
}

/* Is the function with this name the start of an ordered loop? */
static ALWAYS_INLINE bool begins_ordered(const char *name)
{
    return strstr(name, "_ordered_") && starts(name);
}

/* Does the function with this name wait for the thread's turn in an ordered loop? libgomp hands out
 * the next part only when the turn has come. A thread that has executed its ordered block has
 * already waited for its turn. */
static ALWAYS_INLINE bool waits_for_turn(const char *name)
{
    bool waits = strstr(name, "_ordered_") && strstr(name, "_next") && !had_turn;
    if (strstr(name, "_ordered_"))
        had_turn = false;
    return waits;
}

/* STRAND's turn has come. Returns it, paused again. */
static struct task *its_turn(struct task *strand, const struct path_point *from)
{
    uint64_t ticks = omp_entered(strand);
    if (ticks)
        omp_waited(ticks, from, &gomp_style, "ordered", LPF_SITE_IN_ORDER);
    return strand ? omp_wait_begin() : 0;
}

/* ---- loops whose iterations wait for each other ---- */

/* gcc counts the iterations of each loop, from 0. */
static void doacross_begin(unsigned n, const uint64_t *counts)
{
    struct doacross_dimension d[DOACROSS_DIMENSIONS];
    for (unsigned i = 0; i < n && i < DOACROSS_DIMENSIONS; i++)
        d[i] = (struct doacross_dimension){ 0, counts[i] - 1, 1 };
    omp_doacross_begin(n, d);
}

/* ---- the entry points of both ---- */

/* These stand in for parameters that a function lacks. step, chunk 0: not known here. first, last
 * NULL: sections, which are handed out one by one. */
enum { step = 0, chunk = 0 };
static const int64_t *const first, *const last;

/* The size of chunks that the program passes to the function with this name; 0: none, or a schedule
 * that makes chunks larger than that (guided). */
static ALWAYS_INLINE uint64_t chunk_size(const char *name, long schedule, uint64_t k)
{
    return (schedule & ~MONOTONIC) == DYNAMIC && !strstr(name, "guided") ? k : 0;
}

static inline uint64_t iterations(struct task *strand, bool got, const void *from, const void *to,
                                  int64_t by)
{
    return got && from ? omp_iterations(strand, *(const int64_t *)from, *(const int64_t *)to, by)
                       : 1;
}

#define PLAIN(result, name, parameters)
#define CHUNK(result, name, schedule, parameters, arguments)                                    \
    EXPORT result name parameters                                                               \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (e->foreign)                                                                         \
            ompt_schedule((schedule) != DYNAMIC && is_static(e, schedule), starts(#name),       \
                          chunk_size(#name, schedule, chunk));                                  \
        if (engine_recording && begins_ordered(#name))                                          \
            omp_ordered_begin();                                                                \
        bool chunks = recorded(e) && ((schedule) == DYNAMIC ||                                  \
                                      !loop_is_static(e, schedule, starts(#name)));             \
        bool turn = engine_recording && waits_for_turn(#name);                                  \
        struct path_point from = PATH_POINT();                                                  \
        if (e->foreign && (turn || starts(#name))) {                                            \
            ompt_loop_waits();                                                                  \
            result got = e->name arguments;                                                     \
            uint64_t ticks = ompt_loop_waited();                                                \
            if (turn && ticks)                                                                  \
                omp_waited(ticks, &from, &gomp_style, "ordered", LPF_SITE_IN_ORDER);            \
            return got;                                                                         \
        }                                                                                       \
        if (!chunks && !turn) {                                                                 \
            result got = e->name arguments;                                                     \
            if (recorded(e))                                                                    \
                omp_part_next(got, iterations(0, got, first, last, step));                      \
            return got;                                                                         \
        }                                                                                       \
        struct task *strand = chunks ? omp_chunk_end() : omp_wait_begin();                      \
        result got = e->name arguments;                                                         \
        if (turn)                                                                               \
            strand = its_turn(strand, &from);                                                   \
        if (chunks && strand && starts(#name))                                                  \
            omp_loop_chunk(strand, chunk_size(#name, schedule, chunk));                         \
        if (chunks)                                                                             \
            omp_chunk_next(strand, got, iterations(strand, got, first, last, step));            \
        else                                                                                    \
            omp_wait_end(strand, false);                                                        \
        return got;                                                                             \
    }
#define DOACROSS(result, name, schedule, parameters, arguments)                                 \
    EXPORT result name parameters                                                               \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (e->foreign)                                                                         \
            ompt_schedule((schedule) != DYNAMIC && is_static(e, schedule), true, 0);            \
        if (!recorded(e))                                                                       \
            return e->name arguments;                                                           \
        doacross_begin(n, (const uint64_t *)counts);                                            \
        if ((schedule) != DYNAMIC && loop_is_static(e, schedule, true))                         \
            return e->name arguments;                                                           \
        struct task *strand = omp_chunk_end();                                                  \
        result got = e->name arguments;                                                         \
        omp_chunk_next(strand, got, 1);                                                         \
        return got;                                                                             \
    }
#define LOCK(name, symbol, version, at)
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

EXPORT void GOMP_doacross_post(long *at)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_doacross_post(at);
    e->GOMP_doacross_post(at);
}

EXPORT void GOMP_doacross_ull_post(ull *at)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_doacross_post((const int64_t *)at);
    e->GOMP_doacross_ull_post(at);
}

/* The program passes one index for each dimension of the loop. Only the runtime knows the number of
 * dimensions. So we read and pass on the largest number. The words beyond the program's indices are
 * from the caller's stack, and do no harm. */
#define EIGHT(i) at[i], at[i + 1], at[i + 2], at[i + 3], at[i + 4], at[i + 5], at[i + 6], at[i + 7]
#define DOACROSS_WAIT(name, type)                                                               \
    EXPORT void name(type first, ...)                                                           \
    {                                                                                           \
        type at[DOACROSS_DIMENSIONS] = { first };                                               \
        va_list ap;                                                                             \
        va_start(ap, first);                                                                    \
        for (unsigned i = 1; i < DOACROSS_DIMENSIONS; i++)                                      \
            at[i] = va_arg(ap, type);                                                           \
        va_end(ap);                                                                             \
        ENTER("doacross", LPF_SITE_IN_ORDER, e->name(EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)); \
              if (strand) omp_doacross_after(strand, (const int64_t *)at))                      \
    }
_Static_assert(DOACROSS_DIMENSIONS == 32, "all are handed on");
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, ull)
