/* flow_address.c - objects of flow graphs, found by their address. See flow.c.
 *
 * An object that was destroyed and constructed again has the program's vtable again. So it counts
 * as a new object.
 */
#include "flow_parts.h"
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

struct port *flow_port_find(const void *address)
{
    struct bucket *b = bucket_of(address);
    if (!b)
        return 0;
    lock_take(&b->lock);
    struct port *p = b->first;
    while (p && p->address != address)
        p = p->next;
    lock_release(&b->lock);
    return p;
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
    b->first = p;
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
            *at = p->next;
            break;
        }
    lock_release(&b->lock);
}
