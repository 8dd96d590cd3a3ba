/* whatif_samples.c - estimates of the weights of strands, from samples. See whatif_parts.h.
 *
 * A strand may call a candidate and leave it between two readings of the clock. Its chain does not
 * show that. So the samples of one (context, chain, body) give an estimate of its strands' weights:
 * each sample's frames make a chain, and the estimate is the mean of these chains' weights. A
 * strand part with at least OWN_SAMPLES samples goes by the mean of its own (whatif_spent).
 */
#include "whatif/whatif_parts.h"
#include <string.h>
#include "libprof_format.h"
#include "unwind/cct.h"
#include "base/forbid.h"

#define ESTIMATES 8192u         /* a power of two */

struct estimate {
    /* the key: id of the context + 1, release (0: the entry is free); id of the chain; task.body */
    uint32_t context, inside;
    uintptr_t body;
    uint64_t samples;
    uint64_t *sums;             /* of the samples' weights, by slot */
    uint32_t *weight;           /* their mean */
};
static struct estimate *estimates;      /* a hash table, at most half full */
static uint32_t estimate_count;
LOCK_DEFINE(estimates_lock, LOCK_LEAF); /* growth and sums; memory.c's lock nests in it */

bool whatif_samples_start(void)
{
    estimates = memory_map(ESTIMATES * sizeof *estimates);
    return estimates;
}

/* The estimate for T now, or NULL. MAKE: makes one if there is none, NULL if there is no room; the
 * caller holds estimates_lock. */
static struct estimate *estimate_of(const struct task *t, bool make)
{
    uint32_t context = t->ctx->id, inside = t->inside->id;
    uintptr_t body = t->flags & TASK_BODY ? t->body : 0;
    uint32_t h = (context * 0x9e3779b9u ^ inside * 0x85ebca6bu ^
                  (uint32_t)(body * 0x9e3779b97f4a7c15ull >> 32)) >> 7;
    for (;; h++) {
        struct estimate *e = &estimates[h & (ESTIMATES - 1)];
        uint32_t key = __atomic_load_n(&e->context, __ATOMIC_ACQUIRE);
        if (key == context + 1 && e->inside == inside && e->body == body)
            return e;
        if (key)
            continue;
        if (!make || estimate_count >= ESTIMATES / 2)
            return 0;
        uint64_t *sums = memory_keep(whatif_slots * (sizeof *sums + sizeof *e->weight));
        if (!sums)
            return 0;
        e->inside = inside;
        e->body = body;
        e->sums = sums;
        e->weight = (uint32_t *)(sums + whatif_slots);
        estimate_count++;
        __atomic_store_n(&e->context, context + 1, __ATOMIC_RELEASE);
        return e;
    }
}

const uint32_t *whatif_weights(const struct task *t)
{
    const struct estimate *e = whatif_ranges ? estimate_of(t, false) : 0;
    return e ? e->weight : t->inside->weight;
}

void whatif_part_end(struct whatif_thread *w)
{
    w->part = 0;
    memset(w->part_sum, 0, whatif_slots * sizeof *w->part_sum);
}

void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight)
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
        if (whatif_chain_has(in, c))
            __atomic_fetch_add(&whatif_seen[c].samples, weight, __ATOMIC_RELAXED);
    if (w->sampled != t && w->part)
        whatif_part_end(w);
    w->sampled = t;
    w->part += weight;
    for (uint32_t j = 0; j < whatif_slots; j++)
        w->part_sum[j] += (uint64_t)weight * in->weight[j];
    lock_take(&estimates_lock);
    struct estimate *e = estimate_of(t, true);
    if (e) {
        e->samples += weight;
        for (uint32_t j = 0; j < whatif_slots; j++) {
            e->sums[j] += (uint64_t)weight * in->weight[j];
            e->weight[j] = (e->sums[j] + e->samples / 2) / e->samples;
        }
    }
    lock_release(&estimates_lock);
}
