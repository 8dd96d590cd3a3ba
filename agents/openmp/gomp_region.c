/* gomp_region.c - parallel regions of libgomp: its entry points that begin one. See gomp.h. */
#include "lifecycle/thread.h"
#include "gomp.h"
#include <string.h>
#include "dag/block.h"
#include "cancel.h"
#include "base/forbid.h"

struct region {
    uintptr_t word; /* GOMP_parallel_reductions reads the first word of the program's block */
    struct omp_region model;
    void (*body)(void *);
    void *argument;
    const struct gomp_entry *entry;
    struct region *outer;       /* of a region from GOMP_parallel_start: the one around it */
    const struct gomp_entry *outside; /* of such a region: for gomp_leave, on the first thread */
};

/* The calling thread begins its implicit task, whose frames end at ENTRY. */
static inline void implicit_begin(struct region *r, const struct gomp_entry *e, uintptr_t entry)
{
    struct omp_implicit what = { e->omp_get_thread_num(), e->omp_get_num_threads(), entry, false };
    omp_implicit_begin(&r->model, &what);
}

static void region_body(void *p)
{
    struct region *r = p;
    const struct gomp_entry *e = r->entry, *outside = gomp_enter(e);
    gomp_depth++;
    implicit_begin(r, e, (uintptr_t)__builtin_frame_address(0));
    r->body(r->argument);
    omp_implicit_end();
    gomp_leave(outside);
    gomp_depth--;
    KEEP_FRAME();
}

/* The chunk size of a region that is a loop, if that is the size of its chunks. */
#define CHUNK_OF(name) (strstr(#name, "_dynamic") ? chunk : 0)

/* The body of a hook whose program's function is `fn(data)`. The call passes `body` and
 * `argument`. */
#define REGION_OF(construct, call)                                                              \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = gomp_entry((void *)fn);                                        \
    struct region region = { .body = fn, .argument = data, .entry = e };                        \
    void (*body)(void *) = fn;                                                                  \
    void *argument = data;                                                                      \
    bool wrapped = recorded(e);                                                                 \
    if (wrapped) {                                                                              \
        omp_cancellation = e->omp_get_cancellation();                                           \
        omp_region_begin(&region.model, &from, &gomp_style, construct);                         \
        body = region_body;                                                                     \
        argument = &region;                                                                     \
    }                                                                                           \
    call;                                                                                       \
    if (wrapped)                                                                                \
        omp_region_end(&region.model);

EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    REGION_OF("parallel", e->GOMP_parallel(body, argument, threads, flags))
}

EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads,
                                         unsigned flags)
{
    unsigned result;
    REGION_OF("parallel", region.word = *(uintptr_t *)data;
              result = e->GOMP_parallel_reductions(body, argument, threads, flags))
    return result;
}

EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count,
                                   unsigned flags)
{
    REGION_OF("parallel sections", e->GOMP_parallel_sections(body, argument, threads, count, flags))
}

EXPORT void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit,
                           unsigned flags)
{
    REGION_OF("teams", e->GOMP_teams_reg(body, argument, teams, limit, flags))
}

#define PARALLEL_LOOP(name)                                                                     \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end,    \
                     long step, long chunk, unsigned flags)                                     \
    {                                                                                           \
        REGION_OF("parallel for", region.model.step = step;                                     \
                  region.model.chunk = CHUNK_OF(name);                                          \
                  e->name(body, argument, threads, start, end, step, chunk, flags))             \
    }
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define PARALLEL_LOOP_RUNTIME(name)                                                             \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end,    \
                     long step, unsigned flags)                                                 \
    {                                                                                           \
        REGION_OF("parallel for", region.model.step = step;                                     \
                  e->name(body, argument, threads, start, end, step, flags))                    \
    }
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* Before gcc 4.9 a region began with one call, which started the other threads, and ended with
 * another call. Between the two, the first thread called the body itself. So the region outlives
 * our hook, and no frame of ours is below the body. The first thread's frames end at the frame
 * of the function that made the two calls. */
static __thread struct {
    struct region *innermost;   /* begun and not ended */
    uint32_t unseen;            /* regions inside it that are not recorded */
} begun __attribute__((tls_model("initial-exec")));

static struct region *start_region(const struct gomp_entry *e, const struct path_point *from,
                                   const char *construct, void (*fn)(void *), void *data)
{
    struct thread *th = recorded(e) && !begun.unseen ? thread_self() : 0;
    struct region *r = th ? block_new(th, block_class(sizeof *r)) : 0;
    if (!r) {
        begun.unseen++;
        return 0;
    }
    *r = (struct region){ .body = fn, .argument = data, .entry = e, .outer = begun.innermost };
    begun.innermost = r;
    omp_cancellation = e->omp_get_cancellation();
    omp_region_begin(&r->model, from, &gomp_style, construct);
    return r;
}

static void region_started(const struct gomp_entry *e, struct region *r,
                           const struct path_point *from)
{
    if (r) {
        gomp_depth++;
        r->outside = gomp_enter(e);
        implicit_begin(r, e, from->cfa);
    }
}

/* The body of a hook. The call passes `body` and `argument`. */
#define REGION_START(construct, call)                                                           \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = gomp_entry((void *)fn);                                        \
    struct region *region = e->foreign ? 0 : start_region(e, &from, construct, fn, data);       \
    void (*body)(void *) = region ? region_body : fn;                                           \
    void *argument = region ? region : data;                                                    \
    call;                                                                                       \
    region_started(e, region, &from);

EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads)
{
    REGION_START("parallel", e->GOMP_parallel_start(body, argument, threads))
}

EXPORT void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads,
                                         unsigned count)
{
    REGION_START("parallel sections",
                 e->GOMP_parallel_sections_start(body, argument, threads, count))
}

#define PARALLEL_LOOP_START(name)                                                               \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end,    \
                     long step, long chunk)                                                     \
    {                                                                                           \
        REGION_START("parallel for",                                                            \
                     if (region) {                                                              \
                         region->model.step = step;                                             \
                         region->model.chunk = CHUNK_OF(name);                                  \
                     }                                                                          \
                     e->name(body, argument, threads, start, end, step, chunk))                 \
    }
PARALLEL_LOOP_START(GOMP_parallel_loop_static_start)
PARALLEL_LOOP_START(GOMP_parallel_loop_dynamic_start)
PARALLEL_LOOP_START(GOMP_parallel_loop_guided_start)

EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads,
                                             long start, long end, long step)
{
    REGION_START("parallel for", if (region) region->model.step = step;
                 e->GOMP_parallel_loop_runtime_start(body, argument, threads, start, end, step))
}

EXPORT void GOMP_parallel_end(void)
{
    const struct gomp_entry *e = ENTRY();
    struct region *r = e->foreign || begun.unseen ? 0 : begun.innermost;
    if (!r) {
        begun.unseen -= begun.unseen != 0;
        e->GOMP_parallel_end();
        return;
    }
    begun.innermost = r->outer;
    omp_implicit_end();
    gomp_leave(r->outside);
    gomp_depth--;
    e->GOMP_parallel_end();
    omp_region_end(&r->model);
    struct thread *th = thread_self();
    if (th)
        block_free(th, r);
}
