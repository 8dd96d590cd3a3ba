/* collective.c - see collective.h; and functions that make communicators. */
#define _GNU_SOURCE
#include "collective.h"
#include <sched.h>
#include <time.h>
#include "clock/clock.h"
#include "dag/run.h"
#include "hook.h"
#include "base/forbid.h"

/* Does this rank take part in a collective of C? *TAKES: it goes on after others. */
static bool takes_part(enum collective kind, int root, const struct comm *c, bool *takes)
{
    if (!c || (c->size == 1 && !c->inter))
        return false;           /* nobody meets */
    if (kind == COLLECTIVE_FROM || kind == COLLECTIVE_TO) {
        if (c->inter && root == mpi.proc_null)
            return false;       /* a member of the root's group */
        bool is_root = c->inter ? root == mpi.root : root == c->rank;
        *takes = is_root == (kind == COLLECTIVE_TO);
    } else {
        *takes = kind != COLLECTIVE_EXSCAN || c->rank;
    }
    return true;
}

void collective_meet(struct call *call, enum collective kind, int root, word comm)
{
    const struct comm *c = comm_of_message(comm);
    struct point in, out = { 0 };
    bool takes;
    if (!takes_part(kind, root, c, &takes))
        return;
    call_point(call, &in);
    int error = 0;
    word i = (word)&in, o = (word)&out, type = comm_point_type, op = comm_point_op;
    switch (kind) {
    case COLLECTIVE_ALL: error = OWN(6, Allreduce)(i, o, 1, type, op, comm); break;
    case COLLECTIVE_FROM:
        out = in;
        error = OWN(5, Bcast)(o, 1, type, root, comm);
        break;
    case COLLECTIVE_TO: error = OWN(7, Reduce)(i, o, 1, type, op, root, comm); break;
    case COLLECTIVE_SCAN: error = OWN(6, Scan)(i, o, 1, type, op, comm); break;
    case COLLECTIVE_EXSCAN: error = OWN(6, Exscan)(i, o, 1, type, op, comm); break;
    }
    if (!error && takes)
        call_after(call, &out);
}

/* The same without waiting, for the request R. */
static void meet_later(struct call *call, struct request *r, enum collective kind, int root,
                       word comm)
{
    const struct comm *c = comm_of_message(comm);
    if (!takes_part(kind, root, c, &r->takes))
        return;
    call_point(call, &r->in);
    int error = 0;
    word i = (word)&r->in, o = (word)&r->out, type = comm_point_type, op = comm_point_op,
         request = (word)&r->shadow;
    switch (kind) {
    case COLLECTIVE_ALL: error = OWN(7, Iallreduce)(i, o, 1, type, op, comm, request); break;
    case COLLECTIVE_FROM:
        r->out = r->in;
        error = OWN(6, Ibcast)(o, 1, type, root, comm, request);
        break;
    case COLLECTIVE_TO: error = OWN(8, Ireduce)(i, o, 1, type, op, root, comm, request); break;
    case COLLECTIVE_SCAN: error = OWN(7, Iscan)(i, o, 1, type, op, comm, request); break;
    case COLLECTIVE_EXSCAN: error = OWN(7, Iexscan)(i, o, 1, type, op, comm, request); break;
    }
    r->active = !error;
}

/* The program's operation has completed here, so all others that it waits for have started both.
 * But libprof's operation may need another step of theirs, and they may be computing. */
#define LATE_NS 2000000000u

void collective_done(struct call *call, struct request *r)
{
    uint64_t since = clock_read_ns(CLOCK_MONOTONIC);
    int done = 0;
    while (!OWN(3, Test)((word)&r->shadow, (word)&done, (word)mpi.status_ignore) && !done) {
        if (clock_read_ns(CLOCK_MONOTONIC) - since > LATE_NS) {
            run_lower_bound("MPI non-blocking collectives");
            r->persistent = true;       /* MPI may still write to it: it is never used anew */
            return;
        }
        sched_yield();
    }
    if (r->takes)
        call_after(call, &r->out);
}

/* ---- hooks ---- */

/* What a function does, in one word: some hundred functions share a few bodies. */
enum action { NOW, LATER, MAKES_COMM, HIDES, IS_TIMED };
#define SHAPE(action, kind, n, root, comm, made)                                                 \
    ((action) | (kind) << 4 | (n) << 8 | PLACE_##root << 12 | PLACE_##comm << 16 | (made) << 20)
static unsigned field(unsigned shape, unsigned at)
{
    return shape >> at & 15;
}

/* Calls REAL with the N words at V. */
static int call_words(void *real, unsigned n, const word *v)
{
    switch (n) {
    case 1: return FUNCTION(1, real)(v[0]);
    case 2: return FUNCTION(2, real)(v[0], v[1]);
    case 3: return FUNCTION(3, real)(v[0], v[1], v[2]);
    case 4: return FUNCTION(4, real)(v[0], v[1], v[2], v[3]);
    case 5: return FUNCTION(5, real)(v[0], v[1], v[2], v[3], v[4]);
    case 6: return FUNCTION(6, real)(v[0], v[1], v[2], v[3], v[4], v[5]);
    case 7: return FUNCTION(7, real)(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
    case 8: return FUNCTION(8, real)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    case 9: return FUNCTION(9, real)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
    case 10:
        return FUNCTION(10, real)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
    default:
        return FUNCTION(11, real)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9],
                                  v[10]);
    }
}

/* The request of a non-blocking operation is the last argument. R was started beside it. */
static void list_later(struct request *r, int status, const void *at)
{
    if (r && r->active && !status)
        request_list(r, handle_at(at, 0));
    else if (r && !r->active)
        request_drop(r);
}

BODY shared(const struct hook *hook, unsigned shape, const word *v)
{
    BODY_START;
    unsigned action = field(shape, 0), kind = field(shape, 4), n = field(shape, 8),
             root_at = field(shape, 12), comm_at = field(shape, 16);
    struct call call;
    struct request *r = 0;
    bool meets = action == NOW || action == MAKES_COMM;
    if (!hook_begin(hook, &call, meets ? JOB_COLLECTIVE : JOB_TRANSFER))
        return call_words(real, n, v);
    int root = root_at == PLACE_none ? 0 : (int)v[root_at];
    word comm = comm_at == PLACE_none ? mpi.comm_null : v[comm_at];
    if (action == HIDES)
        run_lower_bound(hook_name(hook));
    else if (meets)
        collective_meet(&call, kind, root, comm);
    else if (action == LATER && (r = request_new(REQUEST_COLLECTIVE)) != 0)
        meet_later(&call, r, kind, root, comm);
    int status = call_words(real, n, v);
    if (action == LATER)
        list_later(r, status, (const void *)v[n - 1]);
    if (action == MAKES_COMM && !status)
        comm_learn(handle_at((const void *)v[field(shape, 20)], 0), false);
    call_end(&call);
    return status;
}

#define SHARED(name, n, shape) HOOK(name, n, shared(&hook, shape, WORDS(n)))
#define COLLECTIVE(name, small, n, kind, root, comm)                                             \
    HOOK_BIG(name, n, shared(&hook, SHAPE(NOW, kind, n, root, comm, 0), WORDS(n)))               \
    HOOK_BIG(I##small, MORE(n),                                                                  \
             shared(&hook, SHAPE(LATER, kind, MORE(n), root, comm, 0), WORDS(MORE(n))))

BODY forget(const struct hook *hook, word a)
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_TRANSFER))
        return FUNCTION(1, real)(a);
    word handle = handle_at((void *)a, 0);
    int status = FUNCTION(1, real)(a);
    if (!status)
        comm_forget(handle);
    call_end(&call);
    return status;
}
HOOK(Comm_free, 1, forget(&hook, a))
HOOK(Comm_disconnect, 1, forget(&hook, a))

#define kind_of_scan COLLECTIVE_SCAN
#define kind_of_exscan COLLECTIVE_EXSCAN
#define START(name, n)
#define SEND(name)
#define SEND_LATER(name)
#define SEND_INIT(name)
#define PLAIN(name, n)
#define PLAIN_BIG(name, n)
#define ALL(name, small, n, comm) COLLECTIVE(name, small, n, COLLECTIVE_ALL, none, comm)
#define FROM(name, small, n, root, comm) COLLECTIVE(name, small, n, COLLECTIVE_FROM, root, comm)
#define TO(name, small, n, root, comm) COLLECTIVE(name, small, n, COLLECTIVE_TO, root, comm)
#define SCAN(name, small, n, comm) COLLECTIVE(name, small, n, kind_of_##small, none, comm)
#define MAKES(name, n, comm, new)                                                                \
    SHARED(name, n, SHAPE(MAKES_COMM, COLLECTIVE_ALL, n, none, comm, PLACE_##new))
#define HIDDEN(name, n) SHARED(name, n, SHAPE(HIDES, 0, n, none, none, 0))
#define TIMED(name, n) SHARED(name, n, SHAPE(IS_TIMED, 0, n, none, none, 0))
#include "mpi.def"
#include "mpi_undef.def"
