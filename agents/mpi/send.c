/* send.c - sends. See companion.h. */
#include "hook.h"
#include "companion.h"
#include "requests.h"
#include "base/forbid.h"

/* buffer count type dest tag comm */
BODY send(const struct hook *hook, PARAMETERS(6))
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_SENT))
        return FUNCTION(6, real)(ARGUMENTS(6));
    struct comm *comm = comm_of_message(f);
    bool announced = comm && companion_send(&call, comm, d, e);
    int status = FUNCTION(6, real)(ARGUMENTS(6));
    if (status && announced)
        companion_retract(&call, comm, d, e);
    else if (announced)
        call_sent(&call, call.announced);
    call_end(&call);
    return status;
}

/* ... request */
BODY send_later(const struct hook *hook, PARAMETERS(7))
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(7, real)(ARGUMENTS(7));
    struct comm *comm = comm_of_message(f);
    bool announced = comm && companion_send(&call, comm, d, e);
    int status = FUNCTION(7, real)(ARGUMENTS(7));
    if (status && announced)
        companion_retract(&call, comm, d, e);
    else if (announced)
        request_sent(&call, (const void *)g);
    call_end(&call);
    return status;
}

BODY send_init(const struct hook *hook, PARAMETERS(7))
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(7, real)(ARGUMENTS(7));
    int status = FUNCTION(7, real)(ARGUMENTS(7));
    if (!status)
        request_persistent(REQUEST_SEND, comm_of_message(f), d, e, (const void *)g);
    call_end(&call);
    return status;
}

#define START(name, n)
#define SEND(name) HOOK_BIG(name, 6, send(&hook, ARGUMENTS(6)))
#define SEND_LATER(name) HOOK_BIG(name, 7, send_later(&hook, ARGUMENTS(7)))
#define SEND_INIT(name) HOOK_BIG(name, 7, send_init(&hook, ARGUMENTS(7)))
#define PLAIN(name, n)
#define PLAIN_BIG(name, n)
#define ALL(name, small, n, comm)
#define FROM(name, small, n, root, comm)
#define TO(name, small, n, root, comm)
#define SCAN(name, small, n, comm)
#define MAKES(name, n, comm, new)
#define HIDDEN(name, n)
#define TIMED(name, n)
#include "mpi.def"
#include "mpi_undef.def"
