/* test_hits.c - tables that grow under a signal handler: what one writer counted at nodes, and the tree itself. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <pthread.h>
#include "sampling/hits.h"
#include "base/memory.h"
#include "libprof_format.h"
#include "unwind/cct.h"

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

/* Counts that have no place are the caller's to count; what has one stays. */
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

/* The handler inserts, what it interrupts makes room and reads. */
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

/* ---- the tree: pieces, near and far places ---- */

enum { WIDE = 30000, DEEP = 30000, THREADS = 4 };
static uint32_t wide[THREADS][WIDE], deep[THREADS][DEEP];
static pthread_barrier_t start;

static void *grow(void *arg)
{
    long me = (long)arg;
    uint32_t at = CCT_ROOT;
    pthread_barrier_wait(&start);
    for (uint32_t i = 0; i < WIDE; i++) {
        wide[me][i] = cct_child(CCT_ROOT, LPF_NODE_FRAME, 0x1000 + i, 0);
        deep[me][i] = at = cct_child(at, LPF_NODE_LEAF, 0x9000 + i % 7, 0);
        if (i % 50 == 0)
            cct_prepare();
    }
    return 0;
}

Test(hits, tree_grows_in_pieces)
{
    pthread_t t[THREADS];
    uint64_t before = memory_mapped();
    cr_assert_eq(cct_setup(1 << 18), 0);
    cr_assert_lt(memory_mapped() - before, 128 << 10);
    pthread_barrier_init(&start, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, grow, (void *)i);
    for (long i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    for (uint32_t i = 0; i < WIDE; i++)
        for (unsigned k = 0; k < THREADS; k++) {
            cr_assert_eq(wide[k][i], wide[0][i]);
            cr_assert_eq(deep[k][i], deep[0][i]);
            cr_assert_eq(cct_node(wide[k][i])->parent, CCT_ROOT);
            cr_assert_eq(cct_node(wide[k][i])->address, 0x1000 + i);
            cr_assert_eq(cct_node(deep[k][i])->parent, i ? deep[0][i - 1] : CCT_ROOT);
        }
    cr_assert_geq(cct_count(), WIDE + DEEP + 1);
    cr_assert_lt(cct_count(), THREADS * (WIDE + DEEP));
}

/* The budget ends inside a piece: every number below it is a node, and none above. */
Test(hits, tree_ends_with_its_budget)
{
    uint64_t lost = 0;
    enum { BUDGET = 5000 };
    cr_assert_eq(cct_setup(BUDGET), 0);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 2 * BUDGET; i++) {
        uint32_t n = cct_child(CCT_ROOT, LPF_NODE_FRAME, i + 1, &lost);
        most = n > most ? n : most;
    }
    cr_assert_eq(most, BUDGET - 1);
    cr_assert_eq(cct_count(), BUDGET);
    cr_assert_eq(lost, 2 * BUDGET - (BUDGET - 1));
    for (uint32_t i = 1; i < BUDGET; i++)
        cr_assert_eq(cct_child(cct_node(i)->parent, LPF_NODE_FRAME, cct_node(i)->address, &lost), i);
}
