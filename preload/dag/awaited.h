/* awaited.h - which rank of a job strands waited for in calls of its message library, by the
 * context of the wait.
 *
 * A job may have 10,000 ranks, so a context keeps AWAITED_RANKS of them. A rank that is new to a
 * full context takes the place of the one that weighs least, and inherits its weight (Metwally et
 * al., "Space-Saving"). So each rank that was waited for during more than 1 / AWAITED_RANKS of the
 * context's time is there. Its time is what it was waited for since it is there: exact if there
 * were no more ranks than places, else at most that share of the context's time too little.
 */
#ifndef PRELOAD_DAG_AWAITED_H
#define PRELOAD_DAG_AWAITED_H

#include <stdint.h>

#define AWAITED_RANKS 16

struct awaited_rank {
    uint32_t rank;
    uint64_t count, ticks;      /* waits for it, and their time */
    uint64_t weight;            /* ticks, and what it inherited */
};

/* Never freed. AWAITED_LOCK protects all but `context` and `next`, which do not change once the
 * record is in the list. */
struct awaited {
    struct awaited *next;
    uint32_t context, used;     /* its id; places that are taken */
    struct awaited_rank of[AWAITED_RANKS];
};

/* [hook] A wait of context ID took TICKS, for RANK. Without memory, the wait is in no record. */
void awaited_add(uint32_t id, uint32_t rank, uint64_t ticks);
/* [any] Copies what context ID waited for to OUT, ascending by rank. Returns how many it were. */
uint32_t awaited_of(uint32_t id, struct awaited_rank out[AWAITED_RANKS]);

#endif
