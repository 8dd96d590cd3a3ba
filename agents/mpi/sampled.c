/* sampled.c - see sampled.h. */
#include "sampled.h"
#include "base/memory.h"
#include "dag/bag.h"
#include "base/forbid.h"

struct sampled {
    uint64_t S, squares;
    uint32_t stretch, node, weight;
};

/* Pieces double in size, and none moves: 8 MB at most. */
enum { PIECES = 10, FIRST = 256 };
static struct sampled *pieces[PIECES];
static uint32_t count;
static uint32_t full_at = UINT32_MAX;       /* from this stretch on, samples are missing */

/* The place of sample N. NULL: there is no memory, or no room. */
static struct sampled *place_of(uint32_t n)
{
    uint32_t piece = 0, size = FIRST;
    for (; piece < PIECES && n >= size; n -= size, size *= 2)
        piece++;
    if (piece == PIECES)
        return 0;
    if (!pieces[piece])
        pieces[piece] = memory_map(size * sizeof **pieces);
    return pieces[piece] ? &pieces[piece][n] : 0;
}

void sampled_keep(uint64_t S, uint32_t stretch, uint32_t node, uint32_t weight, uint64_t squares)
{
    struct sampled *at = full_at == UINT32_MAX ? place_of(count) : 0;
    if (!at) {
        full_at = stretch < full_at ? stretch : full_at;
        return;
    }
    *at = (struct sampled){ S, squares, stretch, node, weight };
    count++;
}

/* The first sample of STRETCH or of a later one. */
static uint32_t first_of(uint32_t stretch)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place_of(middle)->stretch < stretch)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sampled_until(struct thread *th, const struct bag *bag, uint32_t stretch, uint64_t until,
                   struct bag **into)
{
    uint64_t kept = 0, in_bag = 0;
    uint32_t first = first_of(stretch), end = first;
    for (uint32_t i = 0; bag && i < bag->count; i++) {
        if (!(bag->e[i].context & BAG_NODE))
            return false;       /* a task's path may have replaced a part of the strand */
        in_bag += bag->e[i].v.count;
    }
    for (; end < count && place_of(end)->stretch == stretch; end++)
        kept += place_of(end)->weight;
    if (stretch >= full_at || kept != in_bag)
        return false;
    for (uint32_t i = first; i < end && place_of(i)->S <= until; i++) {
        const struct sampled *s = place_of(i);
        struct on_span *v = bag_at(th, into, BAG_NODE | s->node);
        if (v) {
            v->count += s->weight;
            v->work += s->squares;
        }
    }
    return true;
}
