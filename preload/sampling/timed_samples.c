/* timed_samples.c - see timed_samples.h. */
#include "sampling/timed_samples.h"
#include "base/memory.h"
#include "sampling/timeline.h"
#include "unwind/call_tree.h"
#include "base/forbid.h"

/* A word, from bit 0: the node, the weight, the time. The weight is a number of MANTISSA bits that
 * is shifted by one of EXPONENT bits. It is never 0, so no sample's word is 0. */
#define NODE_BITS 26u
#define MANTISSA 6u
#define EXPONENT 4u
#define SHIFT_MOST 10u          /* weights in a profile have 16 bits */
#define WEIGHT_BITS (MANTISSA + EXPONENT)
#define TIME_BITS (64 - NODE_BITS - WEIGHT_BITS)

_Static_assert((uint64_t)CCT_FIRST << CCT_PIECES <= 1u << NODE_BITS, "a node has more bits");

#define BYTES (TIMED_MOST * sizeof(uint64_t))

/* Of samples on the CPU, and off it. */
static struct table {
    uint64_t *words;            /* written once, when it is mapped; atomic */
    uint64_t seen;              /* samples so far; atomic */
    bool refused;               /* there was no memory */
} tables[2];

/* Several threads may be the first. */
static uint64_t *words_of(struct table *t)
{
    uint64_t *words = __atomic_load_n(&t->words, __ATOMIC_ACQUIRE);
    if (words || __atomic_load_n(&t->refused, __ATOMIC_RELAXED))
        return words;
    uint64_t *mine = memory_map(BYTES);
    if (!mine) {
        __atomic_store_n(&t->refused, true, __ATOMIC_RELAXED);
        return 0;
    }
    if (__atomic_compare_exchange_n(&t->words, &words, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mine;
    memory_unmap(mine, BYTES);
    return words;
}

/* A number in 0..C, each as likely as any other: the same one for the same C. Mixes the bits of C
 * as splitmix64 does (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t random_upto(uint64_t c)
{
    uint64_t z = (c + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (unsigned __int128)z * (c + 1) >> 64;
}

static uint64_t weight_word(uint64_t weight)
{
    uint64_t shift = 0;
    while (weight >> MANTISSA && shift < SHIFT_MOST) {
        weight >>= 1;
        shift++;
    }
    if (weight >> MANTISSA)
        weight = (1u << MANTISSA) - 1;
    return weight | shift << MANTISSA;
}

void timed_note(uint32_t node, bool off, uint64_t at, uint64_t ticks, uint64_t weight)
{
    struct table *t = &tables[off];
    uint64_t *words;
    if (!weight || node >> NODE_BITS || !(words = words_of(t)))
        return;
    at = (int64_t)at < 0 ? 0 : at;      /* counters of two CPUs may differ */
    uint64_t time = (at > ticks / 2 ? at - ticks / 2 : 0) / timeline_width;
    if (time >> TIME_BITS)
        time = (1ull << TIME_BITS) - 1;
    uint64_t c = __atomic_fetch_add(&t->seen, 1, __ATOMIC_RELAXED),
             slot = c < TIMED_MOST ? c : random_upto(c);
    if (slot < TIMED_MOST)
        __atomic_store_n(&words[slot],
                         node | weight_word(weight) << NODE_BITS | time << (64 - TIME_BITS),
                         __ATOMIC_RELAXED);
}

uint64_t timed_seen(bool off)
{
    return __atomic_load_n(&tables[off].seen, __ATOMIC_RELAXED);
}

bool timed_read(bool off, uint32_t slot, struct timed_sample *to)
{
    const uint64_t *words = __atomic_load_n(&tables[off].words, __ATOMIC_ACQUIRE);
    uint64_t word = words ? __atomic_load_n(&words[slot], __ATOMIC_RELAXED) : 0;
    if (!word)
        return false;
    uint32_t weight = word >> NODE_BITS & ((1u << WEIGHT_BITS) - 1);
    *to = (struct timed_sample){
        .node = word & ((1u << NODE_BITS) - 1),
        .at = word >> (64 - TIME_BITS),
        .weight = (weight & ((1u << MANTISSA) - 1)) << (weight >> MANTISSA),
    };
    return true;
}

void timed_forget(void)
{
    for (unsigned off = 0; off < 2; off++) {
        memory_unmap(tables[off].words, BYTES);
        tables[off] = (struct table){ .words = 0 };
    }
}
