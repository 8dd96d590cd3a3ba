/* requests.c - see requests.h. */
#include "requests.h"
#include "base/lock.h"
#include "base/memory.h"
#include "mpi.h"
#include "base/forbid.h"

enum { LISTS = 256 };
static struct request *lists[LISTS], *unused;
LOCK_DEFINE(requests_lock, LOCK_AGENT);

static struct request **list_of(word handle)
{
    return &lists[(handle ^ handle >> 4 ^ handle >> 12) % LISTS];
}

struct request *request_new(enum request_kind kind)
{
    lock_take(&requests_lock);
    struct request *r = unused;
    if (r)
        unused = r->next;
    else
        r = memory_keep(sizeof *r);
    lock_release(&requests_lock);
    if (r)
        *r = (struct request){ .kind = kind };
    return r;
}

void request_list(struct request *r, word handle)
{
    lock_take(&requests_lock);
    struct request **list = list_of(handle);
    r->handle = handle;
    r->next = *list;
    *list = r;
    lock_release(&requests_lock);
}

void request_persistent(enum request_kind kind, struct comm *c, int peer, int tag, const void *at)
{
    struct request *r = c ? request_new(kind) : 0;
    if (!r)
        return;
    r->persistent = true;
    r->comm = c;
    r->peer = peer;
    r->tag = tag;
    request_list(r, handle_at(at, 0));
}

void request_sent(const struct call *call, const void *at)
{
    int done = 0;
    OWN(3, Request_get_status)(handle_at(at, 0), (word)&done, (word)mpi.status_ignore);
    struct request *r = done ? 0 : request_new(REQUEST_SEND);
    if (!r)
        return;
    r->active = true;
    r->sent = call->announced;
    request_list(r, handle_at(at, 0));
}

struct request *request_of(word handle)
{
    lock_take(&requests_lock);
    struct request *r = *list_of(handle);
    while (r && r->handle != handle)
        r = r->next;
    lock_release(&requests_lock);
    return r;
}

void request_drop(struct request *r)
{
    lock_take(&requests_lock);
    r->next = unused;
    unused = r;
    lock_release(&requests_lock);
}

/* Takes R off its list. */
static void unlist(struct request *r)
{
    struct request **at = list_of(r->handle);
    while (*at && *at != r)
        at = &(*at)->next;
    if (*at)
        *at = r->next;
}

void request_forget(struct request *r)
{
    lock_take(&requests_lock);
    unlist(r);
    r->next = unused;
    unused = r;
    lock_release(&requests_lock);
}

void request_abandon(struct request *r)
{
    if (!r->is_posted) {
        request_forget(r);
        return;
    }
    lock_take(&requests_lock);
    unlist(r);
    r->posted.request = 0;
    r->posted.abandoned = true;
    lock_release(&requests_lock);
}

void companion_abandoned(struct posted *p)
{
    request_drop((struct request *)p);
}
