/* receive.c - receives, probes, and calls that send and receive. See companion.h. */
#include "companion.h"
#include "hook.h"
#include "receipts.h"
#include "requests.h"
#include "base/forbid.h"

/* MPI writes the status into ROOM, over what the program's has. The source shows whether it did. */
static void *status_for(word program, struct status_room *room)
{
    int none = NO_SOURCE;
    if ((void *)program != mpi.status_ignore && program)
        memcpy(room, (void *)program, mpi.status_size);
    else
        memset(room, 0, sizeof *room);
    memcpy(room->bytes + mpi.status_source, &none, sizeof none);
    return room;
}

/* The program gets what MPI wrote. */
static void status_back(word program, const struct status_room *room)
{
    if ((void *)program != mpi.status_ignore && program &&
        status_int(room, mpi.status_source) != NO_SOURCE)
        memcpy((void *)program, room, mpi.status_size);
}

void receive_done(struct call *call, struct posted *p, const void *status)
{
    int source = status_int(status, mpi.status_source);
    struct point point;
    if (source < 0)
        companion_withdraw(p);          /* it failed, or nobody sends: MPI_PROC_NULL */
    else if (companion_take(p, comm_peer(p->comm, source), status_int(status, mpi.status_tag),
                            &point)) {
        receipts_leave(&point, p->when);
        call_after(call, &point);
    }
}

/* A call that receives one message, and may send one before. */
struct exchange {
    struct call call;
    struct comm *comm;
    struct posted p;
    struct status_room room;
    word program;               /* the program's status */
    int dest, tag;              /* of the message that it sends */
    bool announced, posted;
};

static bool exchange_begin(struct exchange *x, const struct hook *hook, word comm,
                           enum job_cause cause)
{
    if (!hook_begin(hook, &x->call, cause))
        return false;
    x->comm = comm_of_message(comm);
    x->announced = x->posted = false;
    return true;
}

static void exchange_send(struct exchange *x, int dest, int tag)
{
    x->dest = dest;
    x->tag = tag;
    x->announced = x->comm && companion_send(&x->call, x->comm, dest, tag);
}

/* *STATUS becomes where MPI shall write. */
static void exchange_receive(struct exchange *x, int source, int tag, word *status)
{
    x->posted = x->comm && companion_post(&x->call, &x->p, x->comm, source, tag);
    x->program = *status;
    if (x->posted)
        *status = (word)status_for(x->program, &x->room);
}

static int exchange_end(struct exchange *x, int status)
{
    if (status && x->announced)
        companion_retract(&x->call, x->comm, x->dest, x->tag);
    if (x->announced && !status)
        call_sent(&x->call, x->call.announced);
    if (x->posted) {
        receive_done(&x->call, &x->p, &x->room);
        status_back(x->program, &x->room);
    }
    call_end(&x->call);
    return status;
}

/* buffer count type source tag comm status */
BODY receive(const struct hook *hook, PARAMETERS(7))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, f, JOB_LATE_SENDER))
        return FUNCTION(7, real)(ARGUMENTS(7));
    exchange_receive(&x, d, e, &g);
    return exchange_end(&x, FUNCTION(7, real)(ARGUMENTS(7)));
}

/* buffer count type dest tag, buffer count type source tag comm status */
BODY send_receive(const struct hook *hook, PARAMETERS(12))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, k, JOB_LATE_SENDER))
        return FUNCTION(12, real)(ARGUMENTS(12));
    exchange_send(&x, d, e);
    exchange_receive(&x, i, j, &l);
    return exchange_end(&x, FUNCTION(12, real)(ARGUMENTS(12)));
}

/* buffer count type dest tag source tag comm status */
BODY sendrecv_replace(const struct hook *hook, PARAMETERS(9))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, h, JOB_LATE_SENDER))
        return FUNCTION(9, real)(ARGUMENTS(9));
    exchange_send(&x, d, e);
    exchange_receive(&x, f, g, &i);
    return exchange_end(&x, FUNCTION(9, real)(ARGUMENTS(9)));
}

/* A receive with a request, at AT, was posted. */
static void post(const struct call *call, struct comm *comm, int source, int tag, const void *at)
{
    struct request *r = comm ? request_new(REQUEST_RECEIVE) : 0;
    if (!r)
        return;
    if (companion_post(call, &r->posted, comm, source, tag)) {
        r->posted.request = handle_at(at, 0);
        r->is_posted = r->active = true;
    }
    request_list(r, handle_at(at, 0));
    if (!r->is_posted)
        request_forget(r);
}

/* The same of calls with a request, at AT, which do not wait. */
static int exchange_later(struct exchange *x, int status, int source, int tag, word at)
{
    if (!status)
        post(&x->call, x->comm, source, tag, (const void *)at);
    return exchange_end(x, status);
}

BODY receive_later(const struct hook *hook, PARAMETERS(7))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, f, JOB_TRANSFER))
        return FUNCTION(7, real)(ARGUMENTS(7));
    return exchange_later(&x, FUNCTION(7, real)(ARGUMENTS(7)), d, e, g);
}

BODY send_receive_later(const struct hook *hook, PARAMETERS(12))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, k, JOB_TRANSFER))
        return FUNCTION(12, real)(ARGUMENTS(12));
    exchange_send(&x, d, e);
    return exchange_later(&x, FUNCTION(12, real)(ARGUMENTS(12)), i, j, l);
}

BODY isendrecv_replace(const struct hook *hook, PARAMETERS(9))
{
    BODY_START;
    struct exchange x;
    if (!exchange_begin(&x, hook, h, JOB_TRANSFER))
        return FUNCTION(9, real)(ARGUMENTS(9));
    exchange_send(&x, d, e);
    return exchange_later(&x, FUNCTION(9, real)(ARGUMENTS(9)), f, g, i);
}

BODY receive_init(const struct hook *hook, PARAMETERS(7))
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(7, real)(ARGUMENTS(7));
    int status = FUNCTION(7, real)(ARGUMENTS(7));
    if (!status)
        request_persistent(REQUEST_RECEIVE, comm_of_message(f), d, e, (const void *)g);
    call_end(&call);
    return status;
}

/* A probe; a matched one (TAKES) takes the message that it finds. */
struct probe {
    struct call call;
    word comm, program;
    struct status_room room;
    bool takes;
};

static bool probe_begin(struct probe *x, const struct hook *hook, word comm, word *status,
                        bool waits, bool takes)
{
    if (!hook_begin(hook, &x->call, waits ? JOB_LATE_SENDER : JOB_TRANSFER))
        return false;
    x->comm = comm;
    x->program = *status;
    x->takes = takes;
    *status = (word)status_for(x->program, &x->room);
    return true;
}

/* FLAG: did it find a message? NULL: it waited for one. */
static int probe_end(struct probe *x, int status, const int *flag)
{
    struct comm *c = comm_of_message(x->comm);
    int source = status_int(&x->room, mpi.status_source),
        tag = status_int(&x->room, mpi.status_tag);
    struct point point;
    struct posted p;
    bool found = !status && (!flag || *flag);
    if (found && c && source >= 0) {
        int peer = comm_peer(c, source);
        if (x->takes ? companion_post(&x->call, &p, c, source, tag) &&
                           companion_take(&p, peer, tag, &point)
                     : companion_peek(c, peer, tag, &point))
            call_after(&x->call, &point);
    }
    if (found)
        status_back(x->program, &x->room);
    call_end(&x->call);
    return status;
}

/* source tag comm status */
BODY probe(const struct hook *hook, PARAMETERS(4))
{
    BODY_START;
    struct probe x;
    if (!probe_begin(&x, hook, c, &d, true, false))
        return FUNCTION(4, real)(ARGUMENTS(4));
    return probe_end(&x, FUNCTION(4, real)(ARGUMENTS(4)), 0);
}

/* source tag comm flag status */
BODY probe_now(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct probe x;
    if (!probe_begin(&x, hook, c, &e, false, false))
        return FUNCTION(5, real)(ARGUMENTS(5));
    return probe_end(&x, FUNCTION(5, real)(ARGUMENTS(5)), (const int *)d);
}

/* source tag comm message status */
BODY matched_probe(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct probe x;
    if (!probe_begin(&x, hook, c, &e, true, true))
        return FUNCTION(5, real)(ARGUMENTS(5));
    return probe_end(&x, FUNCTION(5, real)(ARGUMENTS(5)), 0);
}

/* source tag comm flag message status */
BODY matched_probe_now(const struct hook *hook, PARAMETERS(6))
{
    BODY_START;
    struct probe x;
    if (!probe_begin(&x, hook, c, &f, false, true))
        return FUNCTION(6, real)(ARGUMENTS(6));
    return probe_end(&x, FUNCTION(6, real)(ARGUMENTS(6)), (const int *)d);
}

/* The message of MESSAGE was matched before: the strand that did so goes on after its sender. */
BODY matched_receive(const struct hook *hook, PARAMETERS(5))
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(5, real)(ARGUMENTS(5));
    int status = FUNCTION(5, real)(ARGUMENTS(5));
    call_end(&call);
    return status;
}

HOOK_BIG(Recv, 7, receive(&hook, ARGUMENTS(7)))
HOOK_BIG(Irecv, 7, receive_later(&hook, ARGUMENTS(7)))
HOOK_BIG(Recv_init, 7, receive_init(&hook, ARGUMENTS(7)))
HOOK_BIG(Sendrecv, 12, send_receive(&hook, ARGUMENTS(12)))
HOOK_BIG(Sendrecv_replace, 9, sendrecv_replace(&hook, ARGUMENTS(9)))
HOOK_BIG(Isendrecv, 12, send_receive_later(&hook, ARGUMENTS(12)))
HOOK_BIG(Isendrecv_replace, 9, isendrecv_replace(&hook, ARGUMENTS(9)))
HOOK_BIG(Mrecv, 5, matched_receive(&hook, ARGUMENTS(5)))
HOOK(Probe, 4, probe(&hook, ARGUMENTS(4)))
HOOK(Iprobe, 5, probe_now(&hook, ARGUMENTS(5)))
HOOK(Mprobe, 5, matched_probe(&hook, ARGUMENTS(5)))
HOOK(Improbe, 6, matched_probe_now(&hook, ARGUMENTS(6)))
