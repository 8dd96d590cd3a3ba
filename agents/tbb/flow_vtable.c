/* flow_vtable.c - copies of the vtables of nodes and their parts, with functions of ours. See
 * flow.c.
 *
 * All objects of a class share a copy, and it is never freed: an object may outlive all that we
 * know of its graph. Then our functions pass its calls through.
 */
#include "flow_private.h"
#include <string.h>
#include "base/memory.h"
#include "base/forbid.h"

enum { SHADOWS = 4096, SHADOW_BUCKETS = 256 };

static struct shadow *shadows; /* all copies, in one array: so their addresses identify them */
static uint32_t shadow_count;
static SELDOM struct shadow *shadow_table[SHADOW_BUCKETS];
LOCK_DEFINE(shadow_lock, LOCK_AGENT);   /* protects the three; base/memory.c's lock nests in it */

bool flow_vtable_is_ours(const void *vptr)
{
    uintptr_t base = (uintptr_t)__atomic_load_n(&shadows, __ATOMIC_ACQUIRE);
    return base && (uintptr_t)vptr - base < SHADOWS * sizeof(struct shadow);
}

/* Puts our functions for ROLE into a vtable. */
static void fill(void **slot, enum role role)
{
    switch (role) {
    case ROLE_RECEIVER:
        slot[VTABLE_RECEIVER_PUT] = (void *)flow_hook_put;
        break;
    case ROLE_SENDER:
        slot[VTABLE_SENDER_GET] = (void *)flow_hook_get;
        slot[VTABLE_SENDER_RESERVE] = (void *)flow_hook_reserve;
        slot[VTABLE_SENDER_RELEASE] = (void *)flow_hook_release;
        slot[VTABLE_SENDER_CONSUME] = (void *)flow_hook_consume;
        break;
    case ROLE_BUFFER:
        slot[VTABLE_BUFFER_FORWARD] = (void *)flow_hook_buffer_forward;
        slot[VTABLE_BUFFER_PUSH] = (void *)flow_hook_buffer_push;
        slot[VTABLE_BUFFER_POP] = (void *)flow_hook_buffer_pop;
        slot[VTABLE_BUFFER_RESERVE] = (void *)flow_hook_buffer_reserve;
        break;
    case ROLE_TAG:
        slot[VTABLE_BODY_CALL] = (void *)flow_hook_tag;
        break;
    }
}

/* Makes the copy of the vtable at VPTR, in BUCKET. NULL: no room, or VPTR cannot be read. Under the
 * lock. */
static struct shadow *shadow_add(void *const *vptr, enum role role, struct shadow **bucket)
{
    static const uint8_t needed[] = { VTABLE_RECEIVER_SLOTS, VTABLE_SENDER_SLOTS,
                                      VTABLE_BUFFER_SLOTS, VTABLE_BODY_CALL + 1 };
    if (!shadows)
        __atomic_store_n(&shadows, memory_keep(SHADOWS * sizeof *shadows), __ATOMIC_RELEASE);
    if (!shadows || shadow_count == SHADOWS)
        return 0;
    struct shadow *s = &shadows[shadow_count];
    if (!flow_peek(vptr - 2, s->word, sizeof s->word) &&
        !flow_peek(vptr - 2, s->word, (2 + needed[role]) * sizeof s->word[0]))
        return 0;
    shadow_count++;
    s->original = vptr;
    s->role = role;
    fill(s->word + 2, role);
    s->next = *bucket;
    *bucket = s;
    return s;
}

static struct shadow *shadow_make(void *const *vptr, enum role role)
{
    struct shadow **bucket = &shadow_table[((uintptr_t)vptr >> 3) % SHADOW_BUCKETS];
    lock_take(&shadow_lock);
    struct shadow *s = *bucket;
    while (s && (s->original != vptr || s->role != role))
        s = s->next;
    if (!s)
        s = shadow_add(vptr, role, bucket);
    lock_release(&shadow_lock);
    return s;
}

bool flow_vtable_put_on(void *object, enum role role)
{
    void *const *vptr = *(void *const **)object;
    if (flow_vtable_is_ours(vptr))
        return true;
    struct shadow *s = shadow_make(vptr, role);
    if (s)
        __atomic_store_n((void *const **)object, s->word + 2, __ATOMIC_RELEASE);
    return s != 0;
}

void *const *flow_vtable_original_of(void *const *vptr)
{
    return flow_vtable_is_ours(vptr) ? shadow_at(vptr)->original : vptr;
}

void *const *flow_vtable_original(const void *object)
{
    return flow_vtable_original_of(*(void *const *const *)object);
}

void flow_vtable_forget(void)
{
    lock_take(&shadow_lock);
    memset(shadow_table, 0, sizeof shadow_table);       /* the copies stay: objects may have them */
    lock_release(&shadow_lock);
}
