/* doacross.c - see doacross.h.
 *
 * Ordered blocks follow each other in the order of the iterations, so one edge for the loop is
 * enough. In a doacross loop an iteration posts. A strand that waits for the iteration goes on
 * after the path that the iteration had then. So each iteration needs an edge. Runtimes publish
 * only positions: these show that an iteration has posted, but not its path. So we keep the edges,
 * in pages of EDGES iterations, numbered in the order of the serial loop. A thread uses the same
 * few pages for long, and holds them. So it takes the loop's lock once a page.
 *
 * Memory is bounded. Of a team of N threads, each may have PAGES / N + HELD pages. After that it
 * gives up its oldest page for each page that it begins. A wait for an iteration in such a page
 * finds no edge, and the span is a lower bound. No program has to wait so far back, because threads
 * run through their parts of the loop in its order.
 *
 * The threads of a team meet the loops of their region in the same order, so a loop is known by its
 * number. The first thread that comes makes the loop. The last thread that leaves frees it, or the
 * end of the region does.
 */
#include "base/memory.h"
#include "dag/block.h"
#include "lifecycle/thread.h"
#include "doacross.h"
#include "base/forbid.h"

enum { EDGES = 64, HELD = 8, PAGES = 16384, ON_LISTS = 1 << 15 };

static const char lower_bound[] = "doacross loop", lower_bound_ordered[] = "ordered loop";

struct page {
    struct page *next;          /* the same thread's next page; in left_pages: any page */
    uint64_t number;
    uint32_t users;             /* seats that hold it; under the loop's lock */
    struct edge edge[EDGES];
};

struct doacross {
    struct doacross *next;      /* of the region */
    struct edge ordered;        /* the edge from each ordered block to the next */
    struct page **pages;        /* by number; under lock; NULL: without sinks and sources */
    struct page *left_pages;    /* pages of threads that have left; under lock */
    size_t bytes;               /* of `pages`; 0: it is a block */
    struct lock lock;           /* a leaf lock */
    uint32_t number;
    uint32_t left;              /* threads that have left; under the region's doacross_lock */
    uint32_t page_limit;        /* a thread may begin so many pages before it gives one up */
    uint32_t dimensions;        /* 0: without sinks and sources */
    struct { int64_t lower, stride; uint64_t count; } dimension[DOACROSS_DIMENSIONS];
};

/* A thread in a loop. */
struct doacross_seat {
    struct doacross *loop;
    struct page *held[HELD];    /* by number; a held page is not given up */
    struct page *first, *last;  /* the pages that this thread has begun */
    uint32_t begun;
};

/* ---- pages ---- */

static void page_empty(struct thread *th, struct page *p)
{
    for (unsigned i = 0; i < EDGES; i++) {
        edge_drop(th, &p->edge[i]);
        /* all puts are of the region's tasks */
        p->edge[i] = (struct edge){ .one_invocation = true };
    }
}

static struct page *page_new(struct thread *th, uint64_t number)
{
    struct page *p = block_new(th, block_class(sizeof *p));
    if (p) {
        p->next = 0;
        p->number = number;
        p->users = 0;
        for (unsigned i = 0; i < EDGES; i++)
            p->edge[i] = (struct edge){ .one_invocation = true };
    }
    return p;
}

static void pages_free(struct thread *th, struct page *p)
{
    while (p) {
        struct page *next = p->next;
        page_empty(th, p);
        block_free(th, p);
        p = next;
    }
}

/* Takes out SEAT's oldest page that nobody holds, for another use. NULL: there is none. Under the
 * lock. */
static struct page *page_oldest(struct doacross_seat *seat)
{
    struct page *before = 0, *p = seat->first;
    while (p && p->users) {
        before = p;
        p = p->next;
    }
    if (p) {
        *(before ? &before->next : &seat->first) = p->next;
        if (seat->last == p)
            seat->last = before;
        seat->loop->pages[p->number] = 0;
        seat->begun--;
    }
    return p;
}

/* Page NUMBER, which SEAT holds from now on. BEGIN: makes the page if there is none. */
static __attribute__((noinline)) struct page *page_hold(struct thread *th,
                                                        struct doacross_seat *seat, uint64_t number,
                                                        bool begin)
{
    struct doacross *loop = seat->loop;
    struct page **held = &seat->held[number % HELD], *fresh = 0;
    lock_take(&loop->lock);
    if (*held)
        (*held)->users--;
    struct page *p = loop->pages[number];
    if (!p && begin) {
        fresh = seat->begun >= loop->page_limit ? page_oldest(seat) : 0;
        lock_release(&loop->lock);
        if (fresh) {
            page_empty(th, fresh);
            fresh->next = 0;
            fresh->number = number;
        } else {
            fresh = page_new(th, number);
        }
        lock_take(&loop->lock);
        p = loop->pages[number];
        if (!p && fresh) {
            p = loop->pages[number] = fresh;
            *(seat->last ? &seat->last->next : &seat->first) = p;
            seat->last = p;
            seat->begun++;
            fresh = 0;
        }
    }
    if (p)
        p->users++;
    *held = p;
    lock_release(&loop->lock);
    if (fresh)
        block_free(th, fresh);
    return p;
}

static inline struct page *page_of(struct thread *th, struct doacross_seat *seat, uint64_t number,
                                   bool begin)
{
    struct page *p = seat->held[number % HELD];
    return p && p->number == number ? p : page_hold(th, seat, number, begin);
}

/* ---- loops ---- */

static void loop_free(struct thread *th, struct doacross *loop)
{
    edge_drop(th, &loop->ordered);
    pages_free(th, loop->left_pages);
    if (loop->bytes)
        memory_unmap(loop->pages, loop->bytes);
    else if (loop->pages)
        block_free(th, loop->pages);
    block_free(th, loop);
}

/* A loop of N DIMENSIONS for SIZE threads. NULL: no memory, or more iterations than can be
 * numbered. */
static struct doacross *loop_new(struct thread *th, unsigned n,
                                 const struct doacross_dimension *dimensions, uint32_t size)
{
    struct doacross *loop = n <= DOACROSS_DIMENSIONS ? block_new(th, block_class(sizeof *loop)) : 0;
    uint64_t all = 1;
    if (!loop)
        return 0;
    *loop = (struct doacross){ .dimensions = n,
                               .page_limit = PAGES / (size ? size : 1) + HELD,
                               .ordered.one_invocation = true };
    if (!n)
        return loop;
    for (unsigned i = 0; i < n; i++) {
        const struct doacross_dimension *d = &dimensions[i];
        uint64_t distance = d->stride > 0 ? (uint64_t)d->upper - d->lower
                                          : (uint64_t)d->lower - d->upper;
        uint64_t step = d->stride > 0 ? (uint64_t)d->stride : -(uint64_t)d->stride;
        bool none = d->stride > 0 ? d->upper < d->lower : d->lower < d->upper;
        loop->dimension[i].lower = d->lower;
        loop->dimension[i].stride = d->stride;
        loop->dimension[i].count = none || !step ? 0 : distance / step + 1;
        if (__builtin_mul_overflow(all, loop->dimension[i].count, &all) || all > UINT64_MAX / 16) {
            block_free(th, loop);
            return 0;
        }
    }
    size_t bytes = (all / EDGES + 1) * sizeof loop->pages[0];
    if (bytes > ON_LISTS) {
        loop->bytes = bytes;
        loop->pages = memory_map(bytes);
    } else if ((loop->pages = block_new(th, block_class(bytes)))) {
        for (size_t i = 0; i < bytes / sizeof loop->pages[0]; i++)
            loop->pages[i] = 0;
    }
    if (!loop->pages) {
        block_free(th, loop);
        return 0;
    }
    return loop;
}

/* R's loop NUMBER. If there is none, FRESH becomes this loop. FRESH may be NULL. */
static struct doacross *loop_find(struct omp_region *r, uint32_t number, struct doacross *fresh)
{
    lock_take(&r->doacross_lock);
    struct doacross *loop = r->doacross;
    while (loop && loop->number != number)
        loop = loop->next;
    if (!loop && fresh) {
        fresh->next = r->doacross;
        r->doacross = loop = fresh;
    }
    lock_release(&r->doacross_lock);
    return loop;
}

void omp_doacross_begin(unsigned n, const struct doacross_dimension *dimensions)
{
    struct thread *th = thread_self();
    struct omp_data *d = th && is_omp(th->cur) ? omp_data_of(th, omp_creator(th->cur)) : 0;
    if (!d || !d->region)
        return;                 /* one thread executes the loop, in its order */
    struct omp_region *r = d->region;
    uint32_t number = d->doacross_count++;
    doacross_leave(th, d);
    struct doacross_seat *seat = block_new(th, block_class(sizeof *seat));
    uint32_t size = __atomic_load_n(&r->size, __ATOMIC_RELAXED);
    struct doacross *loop = loop_find(r, number, 0),
                    *fresh = loop || !seat ? 0 : loop_new(th, n, dimensions, size);
    if (fresh) {
        fresh->number = number;
        loop = loop_find(r, number, fresh);
        if (loop != fresh)
            loop_free(th, fresh);
    }
    if (loop && seat) {
        *seat = (struct doacross_seat){ .loop = loop };
        d->doacross = seat;
    } else {
        run_lower_bound(n ? lower_bound : lower_bound_ordered);
        if (seat)
            block_free(th, seat);
    }
}

void doacross_leave(struct thread *th, struct omp_data *d)
{
    struct doacross_seat *seat = d->doacross;
    if (!seat)
        return;
    struct doacross *loop = seat->loop, **at;
    struct omp_region *r = d->region;
    d->doacross = 0;
    lock_take(&loop->lock);
    for (unsigned i = 0; i < HELD; i++)
        if (seat->held[i])
            seat->held[i]->users--;
    if (seat->last) {           /* others may still wait for iterations in these pages */
        seat->last->next = loop->left_pages;
        loop->left_pages = seat->first;
    }
    lock_release(&loop->lock);
    lock_take(&r->doacross_lock);
    bool last = ++loop->left == __atomic_load_n(&r->size, __ATOMIC_RELAXED);
    for (at = &r->doacross; last && *at != loop; at = &(*at)->next)
        ;
    if (last)
        *at = loop->next;
    lock_release(&r->doacross_lock);
    if (last)
        loop_free(th, loop);
    block_free(th, seat);
}

void omp_doacross_end(void)
{
    struct thread *th = thread_self();
    struct omp_data *d = th && is_omp(th->cur) ? omp_creator(th->cur)->agent : 0;
    if (d)
        doacross_leave(th, d);
}

void doacross_free(struct thread *th, struct omp_region *r)
{
    while (r->doacross) {
        struct doacross *loop = r->doacross;
        r->doacross = loop->next;
        loop_free(th, loop);
    }
}

void omp_ordered_begin(void)
{
    omp_doacross_begin(0, 0);
}

/* ---- iterations ---- */

static struct doacross_seat *seat_of(struct task *t)
{
    const struct omp_data *d = is_omp(t) ? omp_creator(t)->agent : 0;
    return d ? d->doacross : 0;
}

/* The number of iteration AT. False: the loop has no such iteration. */
static bool number_of(const struct doacross *loop, const int64_t *at, uint64_t *number)
{
    uint64_t n = 0;
    if (!loop->dimensions)
        return false;
    for (unsigned i = 0; i < loop->dimensions; i++) {
        int64_t stride = loop->dimension[i].stride, lower = loop->dimension[i].lower;
        uint64_t k = stride == 1  ? (uint64_t)at[i] - lower
                     : stride > 0 ? (at[i] < lower ? UINT64_MAX
                                                   : ((uint64_t)at[i] - lower) / (uint64_t)stride)
                                  : (at[i] > lower ? UINT64_MAX
                                                   : ((uint64_t)lower - at[i]) / -(uint64_t)stride);
        if (k >= loop->dimension[i].count)
            return false;
        n = n * loop->dimension[i].count + k;
    }
    *number = n;
    return true;
}

void omp_doacross_post(const int64_t *at)
{
    struct thread *th = thread_self();
    struct doacross_seat *seat = th ? seat_of(th->cur) : 0;
    uint64_t n;
    if (!seat || !number_of(seat->loop, at, &n))
        return;
    struct task *t = engine_pause(th);
    struct page *p = page_of(th, seat, n / EDGES, true);
    if (p)
        edge_put_paused(th, t, &p->edge[n % EDGES]);
    engine_resume(th, t);
    between_was_own(th);
}

void omp_doacross_after(struct task *strand, const int64_t *at)
{
    struct thread *th = thread_self();
    struct doacross_seat *seat = th ? seat_of(strand) : 0;
    uint64_t n;
    if (!seat || !number_of(seat->loop, at, &n))
        return;
    struct page *p = page_of(th, seat, n / EDGES, false);
    if (p && p->edge[n % EDGES].ctx)
        edge_get_paused(th, strand, &p->edge[n % EDGES]);
    else
        run_lower_bound(lower_bound);
}

void omp_ordered_enter(void)
{
    struct thread *th = thread_self();
    struct doacross_seat *seat = th ? seat_of(th->cur) : 0;
    if (seat)
        edge_get(th, &seat->loop->ordered);
}

void omp_ordered_leave(void)
{
    struct thread *th = thread_self();
    struct doacross_seat *seat = th ? seat_of(th->cur) : 0;
    if (seat)
        edge_put(th, &seat->loop->ordered);
}
