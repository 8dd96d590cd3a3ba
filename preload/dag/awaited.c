/* awaited.c - see awaited.h. */
#include "dag/awaited.h"
#include <string.h>
#include "base/lock.h"
#include "base/memory.h"
#include "base/forbid.h"

/* Protects the records; nests in no lock, and LOCK_MEMORY's in it. */
LOCK_DEFINE(awaited_lock, LOCK_LEAF);

/* Lists by context; a push stores the head with release, for readers without the lock. */
enum { LISTS = 256 };
static struct awaited *lists[LISTS];

static struct awaited *find(uint32_t id)
{
    struct awaited *a = __atomic_load_n(&lists[id % LISTS], __ATOMIC_ACQUIRE);
    while (a && a->context != id)
        a = a->next;
    return a;
}

/* The lock is held. */
static struct awaited *make(uint32_t id)
{
    struct awaited *a = memory_keep(sizeof *a);
    if (!a)
        return 0;
    a->context = id;
    a->next = lists[id % LISTS];
    __atomic_store_n(&lists[id % LISTS], a, __ATOMIC_RELEASE);
    return a;
}

static struct awaited_rank *place_of(struct awaited *a, uint32_t rank)
{
    struct awaited_rank *least = a->of;
    for (uint32_t i = 0; i < a->used; i++) {
        if (a->of[i].rank == rank)
            return &a->of[i];
        if (a->of[i].weight < least->weight)
            least = &a->of[i];
    }
    if (a->used < AWAITED_RANKS)
        least = &a->of[a->used++];
    *least = (struct awaited_rank){ .rank = rank, .weight = least->weight };
    return least;
}

void awaited_add(uint32_t id, uint32_t rank, uint64_t ticks)
{
    lock_take(&awaited_lock);
    struct awaited *a = find(id);
    if (!a)
        a = make(id);
    if (a) {
        struct awaited_rank *r = place_of(a, rank);
        r->count++;
        r->ticks += ticks;
        r->weight += ticks;
    }
    lock_release(&awaited_lock);
}

uint32_t awaited_of(uint32_t id, struct awaited_rank out[AWAITED_RANKS])
{
    struct awaited *a = find(id);
    uint32_t n = 0;
    if (!a)
        return 0;
    lock_take(&awaited_lock);
    for (uint32_t i = 0; i < a->used; i++) {
        uint32_t at = n++;
        for (; at && out[at - 1].rank > a->of[i].rank; at--)
            out[at] = out[at - 1];
        out[at] = a->of[i];
    }
    lock_release(&awaited_lock);
    return n;
}
