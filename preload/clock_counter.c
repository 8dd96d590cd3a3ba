/* clock_counter.c - a perf_event counter as the clock: instructions, cycles, or a software event.
 * One counter a thread, which counts only while that thread runs, so no correction is needed.
 * Reading: user-space rdpmc where the kernel allows it, else read(2) (465 ns on the machine of
 * FACTS: fine for coarse tasks, and the report says which it was).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "clock_source.h"
#include "pfm.h"

static struct perf_event_attr attr;

int counter_setup(const char *name, const char **why)
{
    int r = pfm_event(name, &attr, why);
    if (r)
        return r;
    attr.disabled = 0;
    int fd = pfm_open(&attr, 0);        /* try it before every thread relies on it */
    if (fd < 0) {
        *why = pfm_why(fd);
        return fd;
    }
    close(fd);
    return 0;
}

bool counter_is_time(void)
{
    return attr.type == PERF_TYPE_SOFTWARE &&
           (attr.config == PERF_COUNT_SW_CPU_CLOCK || attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

void counter_thread_start(struct clock_thread *c)
{
    int saved = errno;
    c->counter_fd = pfm_open(&attr, 0);
    c->counter_page = 0;
    if (c->counter_fd >= 0 && attr.type != PERF_TYPE_SOFTWARE) {
        struct perf_event_mmap_page *p = mmap(0, 4096, PROT_READ, MAP_SHARED, c->counter_fd, 0);
        if (p != MAP_FAILED) {
            if (p->cap_user_rdpmc)
                c->counter_page = p;
            else
                munmap(p, 4096);
        }
    }
    errno = saved;
}

void counter_thread_stop(struct clock_thread *c)
{
    int saved = errno;
    if (c->counter_page)
        munmap(c->counter_page, 4096);
    if (c->counter_fd >= 0)
        close(c->counter_fd);
    c->counter_page = 0;
    c->counter_fd = -1;
    errno = saved;
}

/* The sequence lock of perf_event_mmap_page: a changed lock means that the thread was scheduled. */
static uint64_t read_page(const struct perf_event_mmap_page *p)
{
    uint32_t seq;
    uint64_t count;
    do {
        seq = __atomic_load_n(&p->lock, __ATOMIC_ACQUIRE);
        uint32_t index = p->index;
        count = p->offset;
        if (index) {
            int64_t pmc = __rdpmc(index - 1);
            unsigned shift = 64 - p->pmc_width;
            count += (pmc << shift) >> shift;
        }
    } while (__atomic_load_n(&p->lock, __ATOMIC_ACQUIRE) != seq);
    return count;
}

uint64_t clock_now_counter(struct clock_thread *c)
{
    if (c->counter_page)
        return read_page(c->counter_page);
    int saved = errno;
    uint64_t v = c->virtual_now;        /* the last value, should the read fail */
    if (c->counter_fd >= 0 && read(c->counter_fd, &v, sizeof v) == sizeof v)
        c->virtual_now = v;
    errno = saved;
    return v;
}
