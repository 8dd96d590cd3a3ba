/* complete.c - tests and waits: requests that complete. See requests.h. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "collective.h"
#include "hook.h"
#include "requests.h"
#include "base/forbid.h"

/* The requests of one call. */
struct batch {
    struct call call;
    const void *handles;
    size_t count, known;        /* known: are listed and active, and their statuses are needed */
    struct request **r;         /* by index; NULL: not listed, or not active */
    char *statuses;             /* where MPI writes them */
    word program;               /* the program's statuses; may be mpi.status_ignore */
    void *mapped;
    size_t mapped_bytes;
    struct request *few[16];
    struct status_room room[16];
};

/* Looks the requests up before MPI overwrites their handles. STATUSES: the program's; how many of
 * them MPI writes is the call's. */
static CALL_SHARED bool batch_begin(struct batch *b, const struct hook *hook, enum job_cause cause,
                                    word count, word handles, word statuses)
{
    if (!hook_begin(hook, &b->call, cause))
        return false;
    b->handles = (const void *)handles;
    b->count = (int)count > 0 ? (int)count : 0;
    b->known = 0;
    b->program = statuses;
    b->mapped = 0;
    b->r = b->few;
    b->statuses = (char *)b->room;
    if (b->count > sizeof b->few / sizeof b->few[0]) {
        b->mapped_bytes = b->count * (sizeof *b->r + mpi.status_size);
        b->mapped = memory_map(b->mapped_bytes);
        if (!b->mapped) {
            b->count = 0;
            return true;
        }
        b->r = b->mapped;
        b->statuses = (char *)(b->r + b->count);
    }
    for (size_t i = 0; i < b->count; i++) {
        struct request *r = request_of(handle_at(b->handles, i));
        b->r[i] = r && r->active ? r : 0;
        b->known += b->r[i] && b->r[i]->kind != REQUEST_SEND;
    }
    return true;
}

/* The statuses that MPI shall write: the program's own where it wants some. */
static word batch_statuses(struct batch *b)
{
    if ((void *)b->program == mpi.status_ignore && b->known)
        return (word)b->statuses;
    b->statuses = (void *)b->program == mpi.status_ignore ? 0 : (char *)b->program;
    return b->program;
}

static const void *status_at(const struct batch *b, size_t i)
{
    return b->statuses + i * mpi.status_size;
}

/* The request of index I completed, with the status of index AT. */
static CALL_SHARED void done(struct batch *b, size_t i, size_t at)
{
    struct request *r = i < b->count ? b->r[i] : 0;
    int cancelled = 0;
    if (!r)
        return;
    b->r[i] = 0;
    r->active = false;
    if (r->kind == REQUEST_COLLECTIVE) {
        if (b->call.cause == JOB_SENT)
            b->call.cause = JOB_COLLECTIVE;
        collective_done(&b->call, r);
    } else if (r->is_posted) {
        if (b->call.cause != JOB_TRANSFER)
            b->call.cause = JOB_LATE_SENDER;
        const void *status = status_at(b, at);
        OWN(2, Test_cancelled)((word)status, (word)&cancelled);
        if (cancelled)
            companion_withdraw(&r->posted);
        else
            receive_done(&b->call, &r->posted, status);
        r->is_posted = false;
    } else if (r->kind == REQUEST_SEND && r->sent) {
        call_sent(&b->call, r->sent);
    }
    if (!r->persistent)
        request_forget(r);
}

static int batch_end(struct batch *b, int status)
{
    if (b->mapped)
        memory_unmap(b->mapped, b->mapped_bytes);
    call_end(&b->call);
    return status;
}

/* After an error, the statuses of all requests are set. A request that completed is null. A
 * persistent one stays, completed or not: it counts as completed, because that is rare. */
static CALL_SHARED void all_done(struct batch *b, int status)
{
    for (size_t i = 0; i < b->count; i++)
        if (!status || !b->r[i] || b->r[i]->persistent ||
            handle_at(b->handles, i) == mpi.request_null)
            done(b, i, i);
}

/* request status */
BODY wait_one(const struct hook *hook, PARAMETERS(2))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_SENT, 1, a, b))
        return FUNCTION(2, real)(ARGUMENTS(2));
    int status = FUNCTION(2, real)(a, batch_statuses(&x));
    all_done(&x, status);
    return batch_end(&x, status);
}

/* count requests statuses */
BODY wait_all(const struct hook *hook, PARAMETERS(3))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_SENT, a, b, c))
        return FUNCTION(3, real)(ARGUMENTS(3));
    int status = FUNCTION(3, real)(a, b, batch_statuses(&x));
    all_done(&x, status);
    return batch_end(&x, status);
}

/* count requests index status */
BODY wait_any(const struct hook *hook, PARAMETERS(4))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_SENT, a, b, d))
        return FUNCTION(4, real)(ARGUMENTS(4));
    int status = FUNCTION(4, real)(a, b, c, batch_statuses(&x));
    if (c && *(int *)c >= 0)    /* else MPI_UNDEFINED */
        done(&x, *(int *)c, 0);
    return batch_end(&x, status);
}

/* count requests outcount indices statuses */
BODY wait_some(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_SENT, a, b, e))
        return FUNCTION(5, real)(ARGUMENTS(5));
    int status = FUNCTION(5, real)(a, b, c, d, batch_statuses(&x));
    for (size_t i = 0; c && d && i < x.count && (int)i < *(int *)c; i++)
        done(&x, ((int *)d)[i], i);
    return batch_end(&x, status);
}

/* request flag status */
BODY test_one(const struct hook *hook, PARAMETERS(3))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_TRANSFER, 1, a, c))
        return FUNCTION(3, real)(ARGUMENTS(3));
    int status = FUNCTION(3, real)(a, b, batch_statuses(&x));
    if (b && *(int *)b)
        all_done(&x, status);
    return batch_end(&x, status);
}

/* count requests flag statuses */
BODY test_all(const struct hook *hook, PARAMETERS(4))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_TRANSFER, a, b, d))
        return FUNCTION(4, real)(ARGUMENTS(4));
    int status = FUNCTION(4, real)(a, b, c, batch_statuses(&x));
    if (c && *(int *)c)
        all_done(&x, status);
    return batch_end(&x, status);
}

/* count requests index flag status */
BODY test_any(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_TRANSFER, a, b, e))
        return FUNCTION(5, real)(ARGUMENTS(5));
    int status = FUNCTION(5, real)(a, b, c, d, batch_statuses(&x));
    if (c && d && *(int *)d && *(int *)c >= 0)
        done(&x, *(int *)c, 0);
    return batch_end(&x, status);
}

/* count requests outcount indices statuses */
BODY test_some(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct batch x;
    if (!batch_begin(&x, hook, JOB_TRANSFER, a, b, e))
        return FUNCTION(5, real)(ARGUMENTS(5));
    int status = FUNCTION(5, real)(a, b, c, d, batch_statuses(&x));
    for (size_t i = 0; c && d && i < x.count && (int)i < *(int *)c; i++)
        done(&x, ((int *)d)[i], i);
    return batch_end(&x, status);
}

/* ---- requests that start, and that are given up ---- */

static void activate(struct call *call, struct request *r)
{
    if (!r || !r->persistent)
        return;
    r->active = true;
    if (r->kind == REQUEST_SEND) {
        r->sent = companion_send(call, r->comm, r->peer, r->tag) ? call->announced : 0;
        return;
    }
    r->is_posted = companion_post(call, &r->posted, r->comm, r->peer, r->tag);
    r->posted.request = r->handle;
}

/* count requests */
BODY start_all(const struct hook *hook, int n, const void *handles, word a, word b)
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return n < 0 ? FUNCTION(1, real)(a) : FUNCTION(2, real)(a, b);
    for (int i = 0; i < (n < 0 ? 1 : n); i++)
        activate(&call, request_of(handle_at(handles, i)));
    int status = n < 0 ? FUNCTION(1, real)(a) : FUNCTION(2, real)(a, b);
    call_end(&call);
    return status;
}

BODY free_request(const struct hook *hook, word a)
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(1, real)(a);
    struct request *r = request_of(handle_at((void *)a, 0));
    int status = FUNCTION(1, real)(a);
    if (!status && r)
        request_abandon(r);
    call_end(&call);
    return status;
}

HOOK(Wait, 2, wait_one(&hook, ARGUMENTS(2)))
HOOK(Waitall, 3, wait_all(&hook, ARGUMENTS(3)))
HOOK(Waitany, 4, wait_any(&hook, ARGUMENTS(4)))
HOOK(Waitsome, 5, wait_some(&hook, ARGUMENTS(5)))
HOOK(Test, 3, test_one(&hook, ARGUMENTS(3)))
HOOK(Testall, 4, test_all(&hook, ARGUMENTS(4)))
HOOK(Testany, 5, test_any(&hook, ARGUMENTS(5)))
HOOK(Testsome, 5, test_some(&hook, ARGUMENTS(5)))
HOOK(Start, 1, start_all(&hook, -1, (void *)a, a, 0))
HOOK(Startall, 2, start_all(&hook, (int)a < 0 ? 0 : (int)a, (void *)b, a, b))
HOOK(Request_free, 1, free_request(&hook, a))
