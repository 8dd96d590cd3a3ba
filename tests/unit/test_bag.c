/* test_bag.c - bags against a plain array. The array IS the definition: what was added where. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "dag.h"        /* dag_random */
#include "engine/engine.h"

enum { BAGS = 8, CONTEXTS = 300 };

static struct thread th;        /* bags need only its free lists */
static struct bag *bag[BAGS];
static struct on_span naive[BAGS][CONTEXTS];

static void add(struct on_span *to, const struct on_span *v)
{
    to->count += v->count;
    to->work_local += v->work_local;
    to->span_local += v->span_local;
    to->work += v->work;
    to->span += v->span;
}

static struct on_span random_value(uint64_t *r)
{
    return (struct on_span){ dag_random(r) % 3, dag_random(r) % 1000, dag_random(r) % 1000,
                             dag_random(r) % 100000, dag_random(r) % 100000 };
}

static void check(unsigned b)
{
    uint64_t sum = 0, entries = 0;
    for (unsigned c = 0; c < CONTEXTS; c++)
        sum += naive[b][c].span_local;
    cr_assert_eq(bag_span(bag[b]), sum);
    for (uint32_t i = 0; bag[b] && i < bag[b]->count; i++, entries++) {
        const struct bag_entry *e = &bag[b]->e[i];
        cr_assert_lt(e->context, CONTEXTS);
        cr_assert(i == 0 || bag[b]->e[i - 1].context < e->context, "not ascending");
        cr_assert_eq(memcmp(&e->v, &naive[b][e->context], sizeof e->v), 0);
    }
    static const struct on_span zero;
    for (unsigned c = 0, i = 0; c < CONTEXTS; c++) {
        while (bag[b] && i < bag[b]->count && bag[b]->e[i].context < c)
            i++;
        bool there = bag[b] && i < bag[b]->count && bag[b]->e[i].context == c;
        cr_assert(there || !memcmp(&naive[b][c], &zero, sizeof zero), "context %u is missing", c);
    }
    cr_assert(!bag[b] || bag[b]->count <= bag[b]->capacity);
}

Test(bag, random_operations)
{
    uint64_t r = 7;
    for (unsigned op = 0; op < 100000; op++) {
        unsigned a = dag_random(&r) % BAGS, b = dag_random(&r) % BAGS;
        /* few contexts at times, many at others: both directions of small to large */
        unsigned range = op / 1000 % 3 ? 12 : CONTEXTS;
        switch (dag_random(&r) % 16) {
        default: {
            unsigned c = dag_random(&r) % range;
            struct on_span v = random_value(&r);
            struct on_span *at = bag_at(&th, &bag[a], c);
            cr_assert(at);
            add(at, &v);
            add(&naive[a][c], &v);
            break;
        }
        case 0: case 1: case 2:
            if (a == b)
                break;
            bag_merge(&th, &bag[a], bag[b]);
            bag[b] = 0;
            for (unsigned c = 0; c < CONTEXTS; c++)
                add(&naive[a][c], &naive[b][c]);
            memset(naive[b], 0, sizeof naive[b]);
            break;
        case 3:
            if (a == b)
                break;
            bag_free(&th, bag[b]);
            bag[b] = bag_copy(&th, bag[a]);
            memcpy(naive[b], naive[a], sizeof naive[b]);
            break;
        case 4:
            if (dag_random(&r) % 8)
                break;
            bag_free(&th, bag[a]);
            bag[a] = 0;
            memset(naive[a], 0, sizeof naive[a]);
            break;
        }
        check(a);
        check(b);
    }
}

Test(bag, empty)
{
    struct bag *none = 0;
    bag_merge(&th, &none, 0);
    cr_assert_null(none);
    cr_assert_null(bag_copy(&th, 0));
    cr_assert_eq(bag_span(0), 0);
    bag_free(&th, 0);
    struct bag *one = 0;
    bag_at(&th, &one, 5)->span_local = 3;
    struct bag *into = 0;
    bag_merge(&th, &into, one);
    cr_assert_eq(bag_span(into), 3);
    bag_merge(&th, &into, 0);
    cr_assert_eq(bag_span(into), 3);
}

/* A path's bag takes in a small one again and again: blocks are reused, memory stays flat. */
Test(bag, memory_is_flat)
{
    struct bag *path = 0;
    uint64_t warm = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        struct bag *child = 0;
        bag_at(&th, &child, i % 200)->span_local = 1;
        bag_at(&th, &child, i % 7)->span_local++;
        bag_merge(&th, &path, child);
        if (i == 1000)
            warm = memory_mapped();
        if (i % 5000 == 4999) {
            cr_assert_eq(bag_span(path), 10000);
            bag_free(&th, path);
            path = 0;
        }
    }
    cr_assert_eq(memory_mapped(), warm);
}

/* More entries than the largest block class holds are lost and counted, never written astray. */
Test(bag, many_contexts)
{
    struct bag *b = 0;
    uint64_t sum = 0;
    for (unsigned c = 0; c < 20000; c++) {
        struct on_span *v = bag_at(&th, &b, (c * 7919) % 20000);
        cr_assert(v);
        v->span_local = c;
        sum += c;
    }
    cr_assert_eq(b->count, 20000);
    cr_assert_eq(bag_span(b), sum);
}

/* What is settled has the weights and their squares, of nodes that both bags hit as their sums. */
Test(bag, samples_have_squares)
{
    struct bag *a = 0, *b = 0;
    bag_sample(&th, &a, 10, 5, 3, 9);
    bag_sample(&th, &a, 20, 5, 2, 2);
    bag_sample(&th, &a, 30, 5, 7, 49);
    bag_samples_settle(&th, &a, 20);    /* the last one is not on the path */
    bag_sample(&th, &b, 40, 5, 4, 16);
    bag_sample(&th, &b, 50, 6, 1, 1);
    bag_samples_settle(&th, &b, 50);
    bag_merge(&th, &a, b);
    struct bag *copy = bag_copy(&th, a);
    cr_assert_eq(copy->count, 2);
    const struct on_span *five = bag_at(&th, &copy, BAG_NODE | 5), *six;
    cr_assert(five->count == 9 && five->work == 27);
    six = bag_at(&th, &copy, BAG_NODE | 6);
    cr_assert(six->count == 1 && six->work == 1);
    bag_free(&th, a);
    bag_free(&th, copy);
}
