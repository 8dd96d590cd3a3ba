/* test_call_tree.c - the calling context tree: one node a path, its budget, and how it grows under
 * several threads. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include "base/memory.h"
#include "dag.h"
#include "libprof_format.h"
#include "unwind/call_tree.h"

static void setup(void)
{
    cr_assert_eq(cct_setup(65536), 0);
}

Test(cct, same_path_same_node, .init = setup)
{
    uint64_t lost = 0, r = 5;
    enum { N = 20000 };
    static uint32_t parent[N], node[N];
    static uint64_t address[N];
    for (unsigned i = 0; i < N; i++) {
        parent[i] = i ? node[dag_random(&r) % i] : 0;
        address[i] = dag_random(&r) % 50;
        node[i] = cct_child(parent[i], 0, address[i], &lost);
    }
    for (unsigned i = 0; i < N; i++) {
        cr_assert_eq(cct_child(parent[i], 0, address[i], &lost), node[i]);
        cr_assert_eq(cct_node(node[i])->parent, parent[i]);
        cr_assert_lt(cct_node(node[i])->parent, node[i]);
    }
    cr_assert_eq(lost, 0);
    cr_assert_neq(cct_child(0, 1, address[0], &lost), node[0], "a kind of its own");
}

Test(cct, budget)
{
    uint64_t lost = 0;
    cr_assert_eq(cct_setup(100), 0);
    for (unsigned i = 0; i < 1000; i++)
        cr_assert_lt(cct_child(0, 0, i + 1, &lost), 100);
    cr_assert_eq(lost, 1000 - 99);
    cr_assert_eq(cct_count(), 100);
}

/* ---- pieces, near and far places ---- */

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

Test(cct, grows_in_pieces)
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
Test(cct, ends_with_its_budget)
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
        cr_assert_eq(cct_child(cct_node(i)->parent, LPF_NODE_FRAME, cct_node(i)->address, &lost),
                     i);
}
