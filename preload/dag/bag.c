/* bag.c - see bag.h. */
#include "dag/bag.h"
#include <string.h>
#include "dag/block.h"
#include "base/forbid.h"

void bag_free(struct thread *th, struct bag *b)
{
    if (b && b->fresh)
        block_free(th, b->fresh);
    if (b)
        block_free(th, b);
}

static struct bag *bag_new(struct thread *th, uint32_t entries)
{
    uint32_t class_ = block_class(sizeof(struct bag) + entries * sizeof(struct bag_entry));
    if (class_ >= BLOCK_TASK) {
        th->lost[LOSS_MEMORY]++;        /* more than 170,000 contexts on one path */
        return 0;
    }
    struct bag *b = block_new(th, BLOCK_BAG + class_);
    if (!b)
        return 0;
    memset(b, 0, sizeof *b);
    b->capacity = (block_capacity(class_) - sizeof(struct bag)) / sizeof(struct bag_entry);
    return b;
}

static bool fresh_reserve(struct thread *th, struct bag *b, uint32_t n)
{
    if (n <= b->fresh_capacity)
        return true;
    uint32_t class_ = block_class((n + n / 2) * sizeof(struct bag_sample));
    struct bag_sample *fresh = class_ < BLOCK_TASK ? block_new(th, BLOCK_SAMPLES + class_) : 0;
    if (!fresh)
        return false;           /* no memory, or half a million samples in one block of a strand */
    if (b->fresh) {
        memcpy(fresh, b->fresh, b->fresh_count * sizeof fresh[0]);
        block_free(th, b->fresh);
    }
    b->fresh = fresh;
    b->fresh_capacity = block_capacity(class_) / sizeof fresh[0];
    return true;
}

struct bag *bag_copy(struct thread *th, const struct bag *b)
{
    if (!b || !(b->count + b->fresh_count))
        return 0;
    struct bag *c = bag_new(th, b->count);
    if (c) {
        c->count = b->count;
        memcpy(c->e, b->e, b->count * sizeof b->e[0]);
        if (b->fresh_count && fresh_reserve(th, c, b->fresh_count)) {
            memcpy(c->fresh, b->fresh, b->fresh_count * sizeof b->fresh[0]);
            c->fresh_count = b->fresh_count;
            c->put = b->put;
        }
    }
    return c;
}

void bag_sample(struct thread *th, struct bag **bag, uint64_t S, uint32_t node, uint32_t weight,
                uint64_t squares)
{
    if (!*bag)
        *bag = bag_new(th, 1);
    struct bag *b = *bag;
    if (!b || !fresh_reserve(th, b, b->fresh_count + 1))
        return;
    b->fresh[b->fresh_count++] = (struct bag_sample){ S, squares, node, weight };
}

void bag_samples_settle(struct thread *th, struct bag **bag, uint64_t until)
{
    struct bag_sample *fresh = (*bag)->fresh;
    uint32_t n = (*bag)->fresh_count;
    (*bag)->fresh = 0;
    (*bag)->fresh_count = (*bag)->fresh_capacity = 0;
    (*bag)->put = 0;
    for (uint32_t i = 0; i < n && fresh[i].S <= until; i++) {
        struct on_span *v = bag_at(th, bag, BAG_NODE | fresh[i].node);
        if (v) {
            v->count += fresh[i].weight;
            v->work += fresh[i].squares;
        }
    }
    if (fresh)
        block_free(th, fresh);
}

/* Index of the first entry with a context >= CONTEXT. */
static uint32_t lower(const struct bag *b, uint32_t context)
{
    uint32_t lo = 0, hi = b->count;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (b->e[mid].context < context)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct on_span *bag_at_slow(struct thread *th, struct bag **bag, uint32_t context)
{
    struct bag *b = *bag;
    if (!b) {
        b = *bag = bag_new(th, 1);
        if (!b)
            return 0;
    }
    uint32_t i = lower(b, context);
    if (i < b->count && b->e[i].context == context)
        return &b->e[i].v;
    if (b->count == b->capacity) {
        struct bag *bigger = bag_new(th, b->count * 2 + 1);
        if (!bigger)
            return 0;
        memcpy(bigger->e, b->e, b->count * sizeof b->e[0]);
        bigger->count = b->count;
        bigger->fresh = b->fresh;
        bigger->fresh_count = b->fresh_count;
        bigger->fresh_capacity = b->fresh_capacity;
        bigger->put = b->put;
        block_free(th, b);
        b = *bag = bigger;
    }
    memmove(&b->e[i + 1], &b->e[i], (b->count - i) * sizeof b->e[0]);
    b->count++;
    memset(&b->e[i], 0, sizeof b->e[i]);
    b->e[i].context = context;
    return &b->e[i].v;
}

void bag_merge(struct thread *th, struct bag **into, struct bag *from)
{
    if (!from)
        return;
    ASSERT(!from->fresh_count && (!*into || !(*into)->fresh_count));
    ASSERT_WALK(bag_is_valid(*into) && bag_is_valid(from));
    if (!*into || (*into)->count < from->count) {
        struct bag *t = *into;
        *into = from;
        from = t;
        if (!from)
            return;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        struct on_span *v = bag_at(th, into, from->e[i].context);
        if (!v)
            continue;
        v->count += from->e[i].v.count;
        v->work_local += from->e[i].v.work_local;
        v->span_local += from->e[i].v.span_local;
        v->work += from->e[i].v.work;
        v->span += from->e[i].v.span;
    }
    block_free(th, from);
    ASSERT_WALK(bag_is_valid(*into));
}

uint64_t bag_span(const struct bag *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; b && i < b->count; i++)
        sum += b->e[i].v.span_local;
    return sum;
}
