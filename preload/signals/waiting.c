/* waiting.c - sigwait, sigwaitinfo, sigtimedwait, signalfd. See waiting.h.
 *
 * The waits skip our samples, and fatal.c leaves the signals alone that the program waits for.
 */
#define _GNU_SOURCE
#include "base/memory.h"
#include "signals/waiting.h"
#include <errno.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "clock/clock.h"
#include "signals/fatal.h"
#include "signals/signals.h"
#include "base/export.h"
#include "base/kernel.h"
#include "base/real.h"
#include "base/forbid.h"

static bool (*is_sample)(const siginfo_t *); /* NULL: signal 60 is the program's; waiting_setup */

/* By descriptor: the set of signals that the program asked for, if its descriptor is without ours.
 * 0: the kernel has the program's set. Any thread writes; a handler reads. */
static SELDOM uint64_t descriptor_sets[1024];
static bool given_up;       /* by any thread: from then on descriptors have the program's sets */

/* Gives the descriptor the set that the program asked for. The call does nothing if the program has
 * closed the descriptor since. */
static void descriptor_restore(int fd)
{
    uint64_t set = __atomic_exchange_n(&descriptor_sets[fd], 0, __ATOMIC_SEQ_CST);
    if (set)
        syscall(SYS_signalfd4, (long)fd, &set, 8L, 0L);
}

void waiting_setup(bool (*sample)(const siginfo_t *))
{
    is_sample = sample;
}

void waiting_give_up(void)
{
    __atomic_store_n(&given_up, true, __ATOMIC_SEQ_CST);
    for (int fd = 0; fd < (int)(sizeof descriptor_sets / sizeof *descriptor_sets); fd++)
        if (__atomic_load_n(&descriptor_sets[fd], __ATOMIC_SEQ_CST))
            descriptor_restore(fd);
}

static bool waits_for_ours(const sigset_t *set)
{
    return is_sample && set && set->__val[0] & SIGNALS_OURS_BIT;
}

/* Like sigtimedwait, but skips our samples, which are lost. */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    siginfo_t here;
    struct timespec left = { 0 };
    uint64_t end = 0;
    if (timeout) {
        left = *timeout;
        end = clock_read_ns(CLOCK_MONOTONIC) + left.tv_sec * 1000000000ull + left.tv_nsec;
    }
    for (;;) {
        int number = real()->sigtimedwait(set, &here, timeout ? &left : 0);
        if (number < 0 || number != SIGNALS_OURS || !is_sample(&here)) {
            if (info && number >= 0)
                *info = here;
            return number;
        }
        if (timeout && timeout->tv_sec < 1000000000) {
            uint64_t now = clock_read_ns(CLOCK_MONOTONIC), rest = end > now ? end - now : 0;
            left = (struct timespec){ rest / 1000000000, rest % 1000000000 };
        }
    }
}

static void is_waited(const sigset_t *set)
{
    if (set && !kernel_closed)
        fatal_waited(set->__val[0]);
}

EXPORT int sigwait(const sigset_t *set, int *number)
{
    is_waited(set);
    if (!waits_for_ours(set))
        return real()->sigwait(set, number);
    int saved = errno, came;
    while ((came = wait_for(set, 0, 0)) < 0 && errno == EINTR)
        ;
    int error = came < 0 ? errno : 0;
    errno = saved;
    if (came >= 0)
        *number = came;
    return error;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    is_waited(set);
    return waits_for_ours(set) ? wait_for(set, info, 0) : real()->sigwaitinfo(set, info);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    is_waited(set);
    return waits_for_ours(set) ? wait_for(set, info, timeout)
                               : real()->sigtimedwait(set, info, timeout);
}

/* The descriptor would return our samples, too. A program that asks for all signals does not mean
 * ours, as long as nobody has sent it signal 60. */
EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    const uint64_t highest = 0xful << 60;
    const int limit = sizeof descriptor_sets / sizeof *descriptor_sets;
    sigset_t changed;
    uint64_t asked = 0;
    is_waited(set);
    if (!__atomic_load_n(&given_up, __ATOMIC_SEQ_CST) && waits_for_ours(set) &&
        (set->__val[0] & highest) == highest) {
        asked = set->__val[0];
        changed = *set;
        changed.__val[0] &= ~SIGNALS_OURS_BIT;
        set = &changed;
    }
    int result = real()->signalfd(fd, set, flags);
    if (result >= 0 && result < limit) {
        __atomic_store_n(&descriptor_sets[result], asked, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&given_up, __ATOMIC_SEQ_CST))
            descriptor_restore(result);
    }
    return result;
}
