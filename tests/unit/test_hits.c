/* test_hits.c - tables that grow under a signal handler: what one writer counted at nodes. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include "sampling/hits.h"
#include "base/memory.h"

enum { NODES = 20000 };
static struct hits hits;
static uint64_t expected[NODES];

static uint32_t random_node(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (*seed >> 33) % NODES;
}

static uint64_t sum_and_check(void)
{
    static uint8_t seen[NODES];
    uint64_t sum = 0;
    uint32_t at = 0;
    memset(seen, 0, sizeof seen);
    for (const struct hit *h; (h = hits_next(&hits, &at)); sum += h->weight) {
        cr_assert_lt(hit_node(h), NODES);
        cr_assert_not(seen[hit_node(h)]++, "node %u comes twice", hit_node(h));
        cr_assert_eq(h->weight, expected[hit_node(h)]);
    }
    return sum;
}

Test(hits, every_node_has_one_place_for_ever)
{
    static struct hit *place[NODES];
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 10 * NODES; i++) {
        uint32_t node = random_node(&seed);
        struct hit *h = hits_at(&hits, node);
        cr_assert(h && (!place[node] || place[node] == h));
        cr_assert_eq(hit_node(h), node);
        place[node] = h;
        h->weight++;
        expected[node]++;
        if (i % 97 == 0)
            hits_prepare(&hits);
    }
    cr_assert_eq(sum_and_check(), 10 * NODES);
    hits_clear(&hits);
    memset(expected, 0, sizeof expected);
    cr_assert_eq(sum_and_check(), 0);
}

Test(hits, takes_what_was_hit_alone)
{
    uint64_t before = memory_mapped();
    for (uint32_t i = 0; i < 40; i++)
        hits_at(&hits, i * 400)->weight++;
    cr_assert_eq(memory_mapped(), before);      /* the first table */
    for (uint32_t i = 0; i < 400; i++)
        hits_at(&hits, i * 40)->weight++;
    cr_assert_lt(memory_mapped() - before, 65536);
}

/* Weights and their squares in one word; neither spoils the other. */
Test(hits, weights_and_squares)
{
    uint64_t p = 0, seed = 3, weight = 0, squares = 0;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t w = 1 + random_node(&seed) % 30;
        p = hit_more(p, w);
        weight += w;
        squares += w * w;
        cr_assert_eq((uint32_t)p, weight);
        cr_assert_eq(p >> 32, squares);
    }
    p = hit_more(0, 65535);
    cr_assert_eq(p, 65535ull * 65535 << 32 | 65535);
    p = hit_more(p, 1000);
    cr_assert_eq(p, (uint64_t)UINT32_MAX << 32 | 66535);        /* the largest number */
    p = hit_more(hit_more(p, 1u << 20), 1);
    cr_assert_eq(p, (uint64_t)UINT32_MAX << 32 | (66536 + (1u << 20)));
}

Test(hits, late_samples)
{
    struct hit h = { .weight = 0 };
    for (unsigned w = 1; w <= 10; w++)
        hit_add(&h, w);
    cr_assert(h.weight == 55 && h.weight + h.late == 385);
    hit_add(&h, 1u << 20);
    hit_add(&h, 2);
    cr_assert(h.weight == 57 + (1u << 20) && h.late == UINT32_MAX);
}

/* If a node has no place, the caller counts the loss. A node that has a place keeps it. */
Test(hits, without_memory)
{
    const struct rlimit tight = { 1u << 30, RLIM_INFINITY };
    setrlimit(RLIMIT_AS, &tight);
    memory_setup();
    while (memory_map(1 << 20))
        ;
    while (memory_map(4096))
        ;
    uint32_t placed = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        struct hit *h = hits_at(&hits, i);
        placed += h != 0;
        if (h)
            h->weight = expected[i] = i + 1;
    }
    cr_assert_eq(placed, HITS_FIRST - 1);
    hits_prepare(&hits);
    cr_assert_null(hits_at(&hits, NODES - 1));
    cr_assert_eq(hits_at(&hits, 5)->weight, 6);
    sum_and_check();
}

/* The handler inserts. The code that it interrupts makes room and reads. */
static uint64_t seed, handled;

static void handler(int number)
{
    (void)number;
    for (unsigned i = 0; i < 100; i++) {
        uint32_t node = random_node(&seed);
        hits_at(&hits, node)->weight++;
        expected[node]++;
        handled++;
    }
}

Test(hits, a_handler_inserts, .timeout = 120)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 200 }, { 0, 200 } }, 0);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < 40000) {
        hits_prepare(&hits);
        uint32_t at = 0;
        for (const struct hit *h; (h = hits_next(&hits, &at));)
            cr_assert_lt(hit_node(h), NODES);
    }
    sigprocmask(SIG_BLOCK, &alarm, 0);
    cr_assert_eq(sum_and_check(), handled);
}
