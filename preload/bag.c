/* bag.c - see bag.h. */
#include "bag.h"
#include <string.h>
#include "block.h"

void bag_free(struct thread *th, struct bag *b)
{
    if (b)
        block_free(th, b);
}

static struct bag *bag_new(struct thread *th, uint32_t entries)
{
    uint32_t class_ = block_class(sizeof(struct bag) + entries * sizeof(struct bag_entry));
    if (class_ >= BLOCK_TASK) {
        th->lost[LOSS_MEMORY]++;        /* 170,000 contexts on one path */
        return 0;
    }
    struct bag *b = block_new(th, class_);
    if (!b)
        return 0;
    b->count = 0;
    b->capacity = (block_capacity(class_) - sizeof(struct bag)) / sizeof(struct bag_entry);
    return b;
}

struct bag *bag_copy(struct thread *th, const struct bag *b)
{
    if (!b || !b->count)
        return 0;
    struct bag *c = bag_new(th, b->count);
    if (c) {
        c->count = b->count;
        memcpy(c->e, b->e, b->count * sizeof b->e[0]);
    }
    return c;
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

struct on_span *bag_at(struct thread *th, struct bag **bag, uint32_t context)
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
}

uint64_t bag_span(const struct bag *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; b && i < b->count; i++)
        sum += b->e[i].v.span_local;
    return sum;
}
