/* test_timed_samples.c - samples with their times: all of a few, a random subset of many, from
 * several threads at once. A clock of the test's own: timeline_width ticks are a unit. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/memory.h"
#include "sampling/timed_samples.h"
#include "sampling/timeline.h"

static void setup(void)
{
    timeline_width = 100;
}

TestSuite(timed, .init = setup, .fini = timed_forget);

static struct timed_sample at(bool off, uint32_t slot)
{
    struct timed_sample s;
    cr_assert(timed_read(off, slot, &s), "slot %u is empty", slot);
    return s;
}

static uint32_t kept(bool off)
{
    struct timed_sample s;
    uint32_t n = 0;
    for (uint32_t i = 0; i < TIMED_MOST; i++)
        n += timed_read(off, i, &s);
    return n;
}

Test(timed, all_of_a_few_are_kept)
{
    cr_assert_eq(kept(false) + kept(true), 0);
    for (uint32_t i = 0; i < TIMED_MOST; i++)
        timed_note(i * 1000, false, i * 100ull + 99, 0, 1 + i % 63);
    timed_note(7, true, 1234, 0, 1);
    for (uint32_t i = 0; i < TIMED_MOST; i++) {
        struct timed_sample s = at(false, i);
        cr_assert(s.node == i * 1000 && s.at == i && s.weight == 1 + i % 63);
    }
    cr_assert_eq(timed_seen(false), TIMED_MOST);
    cr_assert_eq(timed_seen(true), 1);
    cr_assert_eq(kept(true), 1);
    cr_assert_eq(at(true, 0).at, 12);
}

Test(timed, a_late_sample_has_the_middle_of_its_time)
{
    timed_note(1, false, 1000, 400, 4);
    timed_note(1, false, 150, 400, 4);
    timed_note(1, false, -5, 400, 4);           /* counters of two CPUs differ */
    timed_note(1, false, 1ull << 62, 0, 1);
    timed_note(1, false, 1000, 0, 0);           /* stands for nothing */
    cr_assert_eq(at(false, 0).at, 8);
    cr_assert_eq(at(false, 1).at, 0);
    cr_assert_eq(at(false, 2).at, 0);
    cr_assert_eq(at(false, 3).at, (1u << 28) - 1);
    cr_assert_eq(timed_seen(false), 4);
}

Test(timed, large_weights_are_rounded_down)
{
    static const uint64_t weight[] = { 1, 63, 64, 65, 127, 128, 1000, 64511, 64512, 1ull << 40 },
                          want[] = { 1, 63, 64, 64, 126, 128, 992, 63488, 64512, 64512 };
    enum { N = sizeof weight / sizeof weight[0] };
    for (uint32_t i = 0; i < N; i++)
        timed_note((1u << 26) - 1, true, 0, 0, weight[i]);
    for (uint32_t i = 0; i < N; i++) {
        struct timed_sample s = at(true, i);
        cr_assert(s.weight == want[i] && s.node == (1u << 26) - 1 && !s.at, "%u for %lu", s.weight,
                  weight[i]);
    }
}

/* Each of the samples is kept with the same probability: of each tenth of them about a tenth. The
 * number kept of a tenth has a variance of N / 10 * 0.9 at most; five sigmas. */
static void check_uniform(uint64_t seen)
{
    enum { PARTS = 10 };
    uint32_t n[PARTS] = { 0 };
    double want = (double)TIMED_MOST / PARTS;
    for (uint32_t i = 0; i < TIMED_MOST; i++)
        n[at(false, i).node * (uint64_t)PARTS / seen]++;
    for (unsigned i = 0; i < PARTS; i++)
        cr_assert((n[i] - want) * (n[i] - want) < 25 * 0.9 * want, "%u of part %u, not %.0f", n[i],
                  i, want);
}

Test(timed, a_random_subset_of_many_is_kept)
{
    static uint8_t seen[20 * TIMED_MOST];
    for (uint32_t i = 0; i < sizeof seen; i++) {
        timed_note(i, false, i * 100ull, 0, 1);
        if (i == 2 * TIMED_MOST - 1 || i == 3 * TIMED_MOST - 1)
            check_uniform(i + 1);
    }
    check_uniform(sizeof seen);
    cr_assert_eq(timed_seen(false), sizeof seen);
    for (uint32_t i = 0; i < TIMED_MOST; i++) {
        struct timed_sample s = at(false, i);
        cr_assert(s.at == s.node && s.weight == 1);
        cr_assert_not(seen[s.node]++, "sample %u is kept twice", s.node);
    }
}

/* What stands in a slot says nothing of what stands in the next one. */
Test(timed, neighbours_are_independent)
{
    uint32_t pairs[2][2] = { { 0 } };
    for (uint32_t i = 0; i < 4 * TIMED_MOST; i++)
        timed_note(i, false, 0, 0, 1);
    for (uint32_t i = 1; i < TIMED_MOST; i++)
        pairs[at(false, i - 1).node >= 2 * TIMED_MOST][at(false, i).node >= 2 * TIMED_MOST]++;
    for (unsigned i = 0; i < 4; i++) {
        double off = pairs[i / 2][i % 2] - TIMED_MOST / 4.0;
        cr_assert(off * off < 25 * TIMED_MOST / 4.0, "%u", pairs[i / 2][i % 2]);
    }
}

enum { THREADS = 4, EACH = TIMED_MOST / 2, ROUNDS = 100 };

static pthread_barrier_t together;

static void *writes(void *p)
{
    uint32_t me = (uintptr_t)p;
    pthread_barrier_wait(&together);
    for (uint32_t i = 0; i < EACH; i++)
        timed_note(i * THREADS + me, false, (i * THREADS + me) * 100ull, 0, 1 + me);
    return 0;
}

static void write_at_once(void)
{
    pthread_t t[THREADS];
    uint32_t of[THREADS] = { 0 };
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, writes, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    cr_assert_eq(timed_seen(false), THREADS * EACH);
    for (uint32_t i = 0; i < TIMED_MOST; i++) {
        struct timed_sample s = at(false, i);
        cr_assert(s.at == s.node && s.weight == 1 + s.node % THREADS);
        of[s.node % THREADS]++;
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert(of[i] > TIMED_MOST / THREADS * 0.9 && of[i] < TIMED_MOST / THREADS * 1.1, "%u",
                  of[i]);
}

/* Several threads are the first, and all go on: no word is of two of them, and none is lost. */
Test(timed, threads_write_at_once)
{
    uint64_t before = memory_mapped();
    pthread_barrier_init(&together, 0, THREADS);
    for (int i = 0; i < ROUNDS; i++) {
        write_at_once();
        cr_assert_eq(memory_mapped() - before, TIMED_MOST * sizeof(uint64_t));
        timed_forget();
    }
}

Test(timed, a_child_of_fork_begins_again)
{
    uint64_t before = memory_mapped();
    timed_note(1, false, 0, 0, 1);
    timed_note(1, true, 0, 0, 1);
    timed_forget();
    cr_assert_eq(memory_mapped(), before);
    cr_assert_eq(timed_seen(false) + timed_seen(true), 0);
    cr_assert_eq(kept(false) + kept(true), 0);
    timed_note(2, false, 0, 0, 3);
    cr_assert_eq(at(false, 0).node, 2);
    cr_assert_eq(timed_seen(false), 1);
}

/* Without memory nothing is kept or counted, and no sample asks again. */
Test(timed, goes_on_without_memory)
{
    const struct rlimit tight = { 1u << 30, RLIM_INFINITY };
    setrlimit(RLIMIT_AS, &tight);
    memory_setup();
    void *last = 0;
    for (void *p; (p = memory_map(1 << 20));)
        last = p;
    while (memory_map(4096))
        ;
    timed_note(1, false, 0, 0, 1);
    memory_unmap(last, 1 << 20);
    timed_note(1, false, 0, 0, 1);
    timed_note(2, true, 0, 0, 1);
    cr_assert_eq(timed_seen(false), 0);
    cr_assert_eq(kept(false), 0);
    cr_assert_eq(at(true, 0).node, 2);
    timed_forget();
}
