/* test_switches.c - how a run delay is split, and what a system call waits for. */
#include <criterion/criterion.h>
#include <sys/syscall.h>
#include "libprof_format.h"
#include "sampling/switches.h"
#include "sampling/thread_facts.h"

static struct switches counts(uint64_t voluntary, uint64_t involuntary)
{
    return (struct switches){ .voluntary = voluntary, .involuntary = involuntary };
}

static uint64_t preempted(uint64_t delay, uint64_t voluntary, uint64_t involuntary)
{
    struct switches c = counts(voluntary, involuntary);
    return switches_preempted(delay, &c);
}

Test(switches, one_kind_has_all_of_the_delay)
{
    cr_assert_eq(preempted(1000, 7, 0), 0);
    cr_assert_eq(preempted(1000, 0, 7), 1000);
}

Test(switches, both_kinds_share_it_by_their_counts)
{
    cr_assert_eq(preempted(1000, 3, 1), 250);
    cr_assert_eq(preempted(1000, 1, 3), 750);
    cr_assert_eq(preempted(10, 2, 1), 3);
}

Test(switches, a_first_cpu_is_waited_for_without_a_switch)
{
    cr_assert_eq(preempted(1000, 0, 0), 1000);
}

Test(switches, no_product_overflows)
{
    cr_assert_eq(preempted(UINT64_MAX, 1, 1), UINT64_MAX / 2);
    cr_assert_eq(preempted(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX / 2);
}

Test(switches, parts_add_up)
{
    struct switches sum = { .voluntary = 0 }, a = counts(2, 1), b = counts(0, 5);
    cr_assert_eq(switches_add(&sum, 10, &a), 3);
    cr_assert_eq(switches_add(&sum, 100, &b), 100);
    cr_assert_eq(sum.voluntary, 2);
    cr_assert_eq(sum.involuntary, 6);
    cr_assert_eq(sum.wakeup, 7);
    cr_assert_eq(sum.preempted, 103);
    struct switches twice = sum;
    switches_sum(&twice, &sum);
    cr_assert_eq(twice.involuntary, 12);
    cr_assert_eq(twice.wakeup + twice.preempted, 220);
}

Test(switches, a_count_never_falls)
{
    struct switches before = counts(5, 9), now = counts(8, 9);
    struct switches since = switches_since(&now, &before);
    cr_assert_eq(since.voluntary, 3);
    cr_assert_eq(since.involuntary, 0);
    now = counts(0, 0);         /* not known */
    since = switches_since(&now, &before);
    cr_assert_eq(since.voluntary + since.involuntary, 0);
}

Test(wait_kind, system_calls_have_kinds)
{
    static const struct { long number; uint32_t kind; } known[] = {
        { -1, LPF_WAIT_FAULT },          { SYS_futex, LPF_WAIT_FUTEX },
        { SYS_nanosleep, LPF_WAIT_SLEEP }, { SYS_clock_nanosleep, LPF_WAIT_SLEEP },
        { SYS_read, LPF_WAIT_IO },       { SYS_pread64, LPF_WAIT_IO },
        { SYS_recvfrom, LPF_WAIT_IO },   { SYS_ppoll, LPF_WAIT_POLL },
        { SYS_epoll_pwait, LPF_WAIT_POLL }, { SYS_wait4, LPF_WAIT_CHILD },
        { SYS_munmap, LPF_WAIT_MEMORY }, { SYS_madvise, LPF_WAIT_MEMORY },
        { SYS_rt_sigsuspend, LPF_WAIT_OTHER }, { 100000, LPF_WAIT_OTHER },
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        cr_assert_eq(wait_kind_of(known[i].number), known[i].kind, "call %ld", known[i].number);
}
