/* whatif_samples.c - estimates of the weights of strands, from samples. See whatif_private.h.
 *
 * A strand may call a candidate and leave it between two readings of the clock. Its chain does not
 * show that. So the samples of parts that are alike give an estimate of such parts' weights: each
 * sample's frames make a chain, and the estimate is the mean of these chains' weights. A strand
 * part with at least OWN_SAMPLES samples goes by the mean of its own (whatif_spent).
 *
 * Parts of one (context, chain, body) are alike in three degrees:
 *   0   they begin and end with the same events
 *   1   they begin with the same event
 *   2   all of them
 * An event is a hook with the context that it is of: a spawn with that of the spawned task. So what
 * runs before a spawn, between that spawn and a wait, and after the wait counts apart. The first
 * degree that has a sample holds: one sample of the same kind of part shows more than hundreds of
 * other kinds.
 */
#include "whatif/whatif_private.h"
#include <string.h>
#include "libprof_format.h"
#include "unwind/call_tree.h"
#include "base/forbid.h"

#define ESTIMATES 16384u        /* a power of two */
enum { DEGREES = 3 };           /* of likeness */

struct estimate {
    /* the key: id of the context + 1, release (0: the entry is free); id of the chain; part_of;
     * task.body */
    uint32_t context, inside, part;
    uintptr_t body;
    uint64_t samples;
    uint64_t *sums;             /* of the samples' weights, by slot */
    uint32_t *weight;           /* their mean */
    /* by candidate: the candidates, as bits, that samples of it were not inside of */
    uint16_t *without;
    /* by candidate: those that were sampled in one part with it, but not on one stack */
    uint16_t *together;
    /* of the parts whose weights are this mean; any thread adds, without a lock */
    uint64_t cost;
};
static struct estimate *estimates;      /* a hash table, at most half full */
static uint32_t estimate_count;
LOCK_DEFINE(estimates_lock, LOCK_LEAF); /* growth and sums; base/memory.c's lock nests in it */

bool whatif_samples_start(void)
{
    estimates = memory_map(ESTIMATES * sizeof *estimates);
    return estimates;
}

/* What parts of T's strand that end with END have in common with the parts like them, of DEGREE. */
static uint32_t part_of(const struct task *t, uint32_t end, unsigned degree)
{
    uint32_t event = t->scaled ? t->scaled[whatif_scenarios] : 0;
    uint32_t begin = event * 0xc2b2ae35u ^ 0x27d4eb2fu;
    if (degree == 2)
        return 0;
    return degree ? begin | 1 : ((begin ^ end * 0x165667b1u) | 1) << 1;
}

/* The estimate for T now, or NULL. FIRST: makes one if there is none, NULL if there is no room; the
 * caller holds estimates_lock. Its weights are FIRST's, as of its first sample: others read them
 * without the lock. */
static struct estimate *estimate_of(const struct task *t, uint32_t part,
                                    const struct whatif_inside *first)
{
    uint32_t context = t->ctx->id, inside = t->inside->id;
    uintptr_t body = t->flags & TASK_BODY ? t->body : 0;
    uint32_t h = (context * 0x9e3779b9u ^ inside * 0x85ebca6bu ^ part * 0xcc9e2d51u ^
                  (uint32_t)(body * 0x9e3779b97f4a7c15ull >> 32)) >> 7;
    for (;; h++) {
        struct estimate *e = &estimates[h & (ESTIMATES - 1)];
        uint32_t key = __atomic_load_n(&e->context, __ATOMIC_ACQUIRE);
        if (key == context + 1 && e->inside == inside && e->part == part &&
            e->body == body)
            return e;
        if (key)
            continue;
        /* a half of the room is for the least degree */
        if (!first || estimate_count >= (part ? ESTIMATES / 4 : ESTIMATES / 2))
            return 0;
        uint64_t *sums = memory_keep(whatif_slots * (sizeof *sums + sizeof *e->weight) +
                                     2 * WHATIF_CANDIDATES * sizeof *e->without);
        if (!sums)
            return 0;
        e->inside = inside;
        e->part = part;
        e->body = body;
        e->sums = sums;
        e->weight = (uint32_t *)(sums + whatif_slots);
        e->without = (uint16_t *)(e->weight + whatif_slots);
        e->together = e->without + WHATIF_CANDIDATES;
        memcpy(e->weight, first->weight, whatif_slots * sizeof *e->weight);
        estimate_count++;
        __atomic_store_n(&e->context, context + 1, __ATOMIC_RELEASE);
        return e;
    }
}

/* The estimate that holds for a part of T's strand that END ends; NULL: there is none. */
static struct estimate *estimate_for(const struct task *t, uint32_t end)
{
    for (unsigned degree = end ? 0 : 1; whatif_ranges && degree < DEGREES; degree++) {
        struct estimate *e = estimate_of(t, part_of(t, end, degree), 0);
        if (e)
            return e;
    }
    return 0;
}

const uint32_t *whatif_weights(const struct task *t, uint32_t end)
{
    const struct estimate *e = estimate_for(t, end);
    return e ? e->weight : t->inside->weight;
}

const uint32_t *whatif_weights_of(const struct task *t, uint32_t end, uint64_t cost)
{
    struct estimate *e = estimate_for(t, end);
    if (e)
        __atomic_fetch_add(&e->cost, cost, __ATOMIC_RELAXED);
    return e ? e->weight : t->inside->weight;
}

void whatif_mixed(uint16_t mixed[WHATIF_CANDIDATES], uint64_t least)
{
    uint64_t cost[WHATIF_CANDIDATES][WHATIF_CANDIDATES] = { 0 };
    memset(mixed, 0, WHATIF_CANDIDATES * sizeof *mixed);
    for (uint32_t i = 0; estimates && i < ESTIMATES; i++) {
        const struct estimate *e = &estimates[i];
        if (!__atomic_load_n(&e->context, __ATOMIC_ACQUIRE))
            continue;
        for (uint32_t a = 0; a < whatif_candidates; a++)
            for (uint32_t b = 0; b < whatif_candidates; b++)
                if (e->without[a] >> b & 1 && e->without[b] >> a & 1 &&
                    !(e->together[a] >> b & 1) && !(e->together[b] >> a & 1)) {
                    cost[a][b] += __atomic_load_n(&e->cost, __ATOMIC_RELAXED);
                    if (cost[a][b] > least)
                        mixed[a] |= 1u << b;
                }
    }
}

/* The candidates of the chain IN, as bits. */
static uint16_t bits_of(const struct whatif_inside *in)
{
    uint16_t bits = 0;
    for (; in->outer; in = in->outer)
        bits |= 1u << in->candidate;
    return bits;
}

/* A sample of WEIGHT has found a part inside of IN. BEFORE: the candidates, as bits, that samples
 * found the part inside of before. */
static void estimate_add(const struct task *t, uint32_t part, const struct whatif_inside *in,
                         uint32_t weight, uint16_t before)
{
    struct estimate *e = estimate_of(t, part, in);
    if (!e)
        return;
    e->samples += weight;
    uint16_t hit = bits_of(in);
    for (uint32_t c = 0; c < whatif_candidates; c++)
        if (hit >> c & 1) {
            e->without[c] |= ~hit;
            e->together[c] |= before & ~hit;
        }
    for (uint32_t j = 0; j < whatif_slots; j++) {
        e->sums[j] += (uint64_t)weight * in->weight[j];
        e->weight[j] = (e->sums[j] + e->samples / 2) / e->samples;
    }
}

void whatif_part_end(struct whatif_thread *w)
{
    w->part = w->part_squares = 0;
    w->part_inside = 0;
    memset(w->part_sum, 0, whatif_slots * sizeof *w->part_sum);
}

void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight,
                   uint32_t squares)
{
    struct whatif_thread *w = th->whatif;
    if (!whatif_ranges || !w || !t->inside)
        return;
    uint32_t hit[32], n = 0;
    for (uint32_t i = node; cct_node(i)->kind != LPF_NODE_TASK && i != CCT_ROOT;
         i = cct_node(i)->parent)
        if (whatif_code_of_node(i)) {
            if (n == 32)
                memmove(hit, hit + 1, --n * sizeof *hit);       /* without the innermost */
            hit[n++] = whatif_code_of_node(i);
        }
    const struct whatif_inside *in = t->inside;
    while (n)
        in = whatif_chain_enter_all(in, hit[--n]);
    for (uint32_t c = 0; c < whatif_candidates; c++)
        if (whatif_chain_has(in, c) && !whatif_chain_has(t->inside, c)) {
            __atomic_fetch_add(&whatif_seen[c].weight, weight, __ATOMIC_RELAXED);
            __atomic_fetch_add(&whatif_seen[c].squares, squares, __ATOMIC_RELAXED);
        }
    if (w->sampled != t && w->part)
        whatif_part_end(w);
    w->sampled = t;
    w->part += weight;
    w->part_squares += squares;
    for (uint32_t j = 0; j < whatif_slots; j++)
        w->part_sum[j] += (uint64_t)weight * in->weight[j];
    lock_take(&estimates_lock);
    for (unsigned degree = 0; degree < DEGREES; degree++)
        if (degree || th->part_event)
            estimate_add(t, part_of(t, th->part_event, degree), in, weight, w->part_inside);
    lock_release(&estimates_lock);
    w->part_inside |= bits_of(in);
}
