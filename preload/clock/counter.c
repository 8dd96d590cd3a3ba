/* counter.c - a perf_event counter as the clock: instructions, cycles, or a software event.
 * Each thread has one counter, which counts only while that thread runs. So no correction is
 * needed.
 *
 * Reading: rdpmc in user space where the kernel allows it, else a checked read(2). events.c has the
 * check, docs/CLOCKS.md the cost: read(2) is good for coarse tasks only. If the program closes all
 * descriptors, rdpmc still works, but read(2) does not, and the clock stops.
 *
 * A hardware counter is pinned. A counter that the kernel multiplexes must be scaled, and a scaled
 * count is neither exact nor monotone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/kernel.h"
#include "clock/source.h"
#include "arch/cpu.h"
#include "clock/events.h"
#include "clock/pfm.h"
#include "base/forbid.h"

#define PAGE 4096

static struct perf_event_attr attr;     /* written by counter_setup */

int counter_setup(const char *name, const char **why)
{
    int r = pfm_event(name, &attr, why);
    if (r)
        return r;
    attr.disabled = 0;
    attr.inherit = 0;
    attr.pinned = attr.type != PERF_TYPE_SOFTWARE;
    uint64_t id, value;
    int fd = events_open(&attr, &id);           /* a trial, before threads rely on the event */
    if (fd < 0) {
        *why = pfm_why(fd);
        return fd;
    }
    r = events_fetch(fd, id, &value, sizeof value);
    /* a pinned counter that found no place reads as end of file */
    if (r)
        *why = "all counters of the processor are taken (by the NMI watchdog, or by another "
               "profiler?)";
    events_close(fd, id);
    return r ? -EBUSY : 0;
}

bool counter_is_time(void)
{
    return attr.type == PERF_TYPE_SOFTWARE &&
           (attr.config == PERF_COUNT_SW_CPU_CLOCK || attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* The new counter goes on from counter_last: 0 at first, the parent's value in the child of fork.
 */
void counter_thread_start(struct clock_thread *c)
{
    int saved = errno;
    c->counter_base = c->counter_last;
    c->counter_page = 0;
    c->counter_fd = events_open(&attr, &c->counter_id);
    if (c->counter_fd >= 0 && attr.type != PERF_TYPE_SOFTWARE) {
        struct perf_event_mmap_page *p = mmap(0, PAGE, PROT_READ, MAP_SHARED, c->counter_fd, 0);
        if (p != MAP_FAILED) {
            if (p->cap_user_rdpmc)
                c->counter_page = p;
            else
                kernel_call(SYS_munmap, p, PAGE);
        }
    }
    errno = saved;
}

void counter_thread_stop(struct clock_thread *c)
{
    int saved = errno;
    if (c->counter_page)
        kernel_call(SYS_munmap, c->counter_page, PAGE);
    events_close(c->counter_fd, c->counter_id);
    c->counter_page = 0;
    c->counter_fd = -1;
    errno = saved;
}

/* Reads under the kernel's sequence lock, which changes when the thread is scheduled. */
static uint64_t read_page(const struct perf_event_mmap_page *p)
{
    uint32_t lock;
    uint64_t value;
    do {
        lock = __atomic_load_n(&p->lock, __ATOMIC_ACQUIRE);
        uint32_t index = __atomic_load_n(&p->index, __ATOMIC_RELAXED);
        value = __atomic_load_n(&p->offset, __ATOMIC_RELAXED);
        if (index) {                    /* 0: the counter is not on the processor now */
            unsigned unused = 64 - p->pmc_width;
            value += (uint64_t)((int64_t)(cpu_event_counter(index - 1) << unused) >> unused);
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (__atomic_load_n(&p->lock, __ATOMIC_RELAXED) != lock);
    return value;
}

bool counter_peek(const struct clock_thread *c, uint64_t *value)
{
    if (c->counter_fd < 0 || events_fetch(c->counter_fd, c->counter_id, value, sizeof *value))
        return false;
    *value += c->counter_base;
    return true;
}

/* [hook] A reading that fails gives the last value: the clock stands still. */
uint64_t clock_now_counter(struct clock_thread *c)
{
    uint64_t value;
    if (c->counter_page)
        value = read_page(c->counter_page);
    else if (events_fetch(c->counter_fd, c->counter_id, &value, sizeof value))
        return c->counter_last;
    value += c->counter_base;
    if (value > c->counter_last)
        c->counter_last = value;
    return c->counter_last;
}
