/* flow_address.c - objects of flow graphs, found by their address. See flow.c.
 *
 * An object that was destroyed and constructed again has the program's vtable again. So it counts
 * as a new object.
 */
#include "flow_private.h"
#include "base/forbid.h"

/* mapped, but not touched until it is used */
enum { BUCKET_BITS = 19, BUCKETS = 1 << BUCKET_BITS };
static struct bucket {
    struct port *first;
    struct lock lock;           /* nests in graph.lock */
} *buckets;                     /* set once, under buckets_lock */
LOCK_DEFINE(buckets_lock, LOCK_AGENT);

static inline struct bucket *bucket_of(const void *address)
{
    struct bucket *b = __atomic_load_n(&buckets, __ATOMIC_ACQUIRE);
    return b ? &b[((uintptr_t)address * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS)] : 0;
}

static __attribute__((noinline)) struct port *find_behind(struct bucket *b, const void *address)
{
    lock_take(&b->lock);
    struct port *p = b->first;
    while (p && p->address != address)
        p = p->next;
    lock_release(&b->lock);
    return p;
}

/* Nearly always the port is its bucket's first, and is found without the lock. Meanwhile another
 * thread may remove the port that we look at: its block stays a block of ours, so we may read it,
 * but what we read counts only if the port is still the first afterwards. */
struct port *flow_port_find(const void *address)
{
    struct bucket *b = bucket_of(address);
    if (!b)
        return 0;
    struct port *p = __atomic_load_n(&b->first, __ATOMIC_ACQUIRE);
    if (!p)
        return 0;
    if (__builtin_expect(__atomic_load_n(&p->address, __ATOMIC_ACQUIRE) == address &&
                             __atomic_load_n(&b->first, __ATOMIC_ACQUIRE) == p, 1))
        return p;
    return find_behind(b, address);
}

bool flow_port_add(struct port *p)
{
    struct bucket *b = bucket_of(p->address);
    if (!b) {
        lock_take(&buckets_lock);
        if (!buckets)
            __atomic_store_n(&buckets, memory_keep(BUCKETS * sizeof *buckets), __ATOMIC_RELEASE);
        lock_release(&buckets_lock);
        b = bucket_of(p->address);
        if (!b)
            return false;
    }
    lock_take(&b->lock);
    p->next = b->first;
    __atomic_store_n(&b->first, p, __ATOMIC_RELEASE);   /* pairs with flow_port_find */
    lock_release(&b->lock);
    return true;
}

void flow_port_remove(struct port *p)
{
    struct bucket *b = bucket_of(p->address);
    if (!b)
        return;
    lock_take(&b->lock);
    for (struct port **at = &b->first; *at; at = &(*at)->next)
        if (*at == p) {
            __atomic_store_n(at, p->next, __ATOMIC_RELEASE);
            break;
        }
    lock_release(&b->lock);
}
