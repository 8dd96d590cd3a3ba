/* comm.c - see comm.h. */
#include "comm.h"
#include <string.h>
#include "base/lock.h"
#include "base/memory.h"
#include "dag/job.h"
#include "dag/run.h"
#include "mpi.h"
#include "point.h"
#include "base/forbid.h"

word comm_point_type, comm_point_op;
enum { LISTS = 64 };
static SELDOM struct comm *lists[LISTS];       /* entries are pushed, and never removed */
LOCK_DEFINE(comm_lock, LOCK_AGENT);
static word world_group;

static struct comm **list_of(word handle)
{
    return &lists[(handle ^ handle >> 6 ^ handle >> 12) % LISTS];
}

/* The entry of HANDLE; NULL: not known. Lock-free: what it reads of the list pairs with the release
 * in entry_for, what it reads of a handle with that in comm_learn. */
static struct comm *comm_of(word handle)
{
    handle = handle_of(handle);
    struct comm *c = __atomic_load_n(list_of(handle), __ATOMIC_ACQUIRE);
    while (c && __atomic_load_n(&c->handle, __ATOMIC_ACQUIRE) != handle)
        c = c->next;
    return c;
}

struct comm *comm_of_message(word handle)
{
    struct comm *c = comm_of(handle);
    handle = handle_of(handle);
    if (!c && handle != mpi.comm_self && handle != mpi.comm_null)
        run_lower_bound("MPI communicators that were made elsewhere");
    return c;
}

/* A free entry of HANDLE's list with room for PEERS ranks. NULL: no memory. */
static struct comm *entry_for(word handle, int peers)
{
    struct comm **list = list_of(handle), *c = *list;
    while (c && (c->handle || c->room < peers || __atomic_load_n(&c->uses, __ATOMIC_RELAXED)))
        c = c->next;
    if (!c && (c = memory_keep(sizeof *c))) {
        c->world = memory_keep(peers * sizeof *c->world);
        c->room = c->world ? peers : 0;
        c->next = *list;
        __atomic_store_n(list, c, __ATOMIC_RELEASE);
    }
    return c && c->room >= peers ? c : 0;
}

/* Fills in WORLD[PEERS]: of the other group, if INTER. RANKS has as much room. False: a peer is no
 * rank of the job. */
static bool find_world(word handle, bool inter, int peers, int *ranks, int *world)
{
    word group = 0;
    int error = inter ? OWN(2, Comm_remote_group)(handle, (word)&group)
                      : OWN(2, Comm_group)(handle, (word)&group);
    if (error)
        return false;
    for (int i = 0; i < peers; i++)
        ranks[i] = i;
    bool whole = !OWN(5, Group_translate_ranks)(group, peers, (word)ranks, world_group,
                                                (word)world);
    for (int i = 0; whole && i < peers; i++)
        whole = world[i] >= 0;
    OWN(1, Group_free)((word)&group);
    return whole;
}

/* Are all members of HANDLE ranks of the job? Then WORLD[PEERS] has those that messages go to.
 * Where jobs are connected, or one has spawned another, no member may call more collectives than
 * the program, because others have no libprof, or are not a part of this job's dag. All members get
 * the same answer. */
static bool within_job(word handle, bool inter, int size, int peers, int *ranks, int *world)
{
    return find_world(handle, false, size, ranks, world) &&
           (!inter || find_world(handle, true, peers, ranks, world));
}

/* If one member had no entry and the others had, their reductions would wait for ever. */
bool comm_all(word handle, bool inter, bool good)
{
    struct point mine = { .S = !good }, theirs = { 0 }, ours = { 0 };
    OWN(6, Allreduce)((word)&mine, (word)&theirs, 1, comm_point_type, comm_point_op, handle);
    if (inter)                  /* a reduction there gives the other group's */
        OWN(6, Allreduce)((word)&theirs, (word)&ours, 1, comm_point_type, comm_point_op, handle);
    return !theirs.S && !ours.S;
}

/* The number that rank 0 of HANDLE chooses; of an intercommunicator the larger of both groups'. */
static uint64_t agree(word handle, bool inter, int rank)
{
    static uint32_t made;
    uint64_t id = (job.rank + 2ull) << 32 | __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    if (!inter) {
        OWN(5, Bcast)((word)&id, sizeof id, mpi.type_byte, 0, handle);
        return id;
    }
    struct point mine = { .S = rank ? 0 : id }, theirs = { 0 }, ours = { 0 };
    OWN(6, Allreduce)((word)&mine, (word)&theirs, 1, comm_point_type, comm_point_op, handle);
    OWN(6, Allreduce)((word)&theirs, (word)&ours, 1, comm_point_type, comm_point_op, handle);
    return theirs.S > ours.S ? theirs.S : ours.S;
}

void comm_learn(word handle, bool world)
{
    handle = handle_of(handle);
    int inter = 0, size = 0, rank = 0, peers = 0;
    if (handle == mpi.comm_null || OWN(2, Comm_test_inter)(handle, (word)&inter) ||
        OWN(2, Comm_size)(handle, (word)&size) || OWN(2, Comm_rank)(handle, (word)&rank))
        return;
    peers = size;
    if (inter) {
        word group = 0;
        OWN(2, Comm_remote_group)(handle, (word)&group);
        OWN(2, Group_size)(group, (word)&peers);
        OWN(1, Group_free)((word)&group);
    }
    int most = size > peers ? size : peers;
    size_t bytes = 2 * most * sizeof(int);
    int *room = world ? 0 : memory_map(bytes), *peer_of = room ? room + most : 0;
    if (room && !within_job(handle, inter, size, peers, room, peer_of)) {
        memory_unmap(room, bytes);
        return;
    }
    uint64_t id = world ? 1 : agree(handle, inter, rank);
    lock_take(&comm_lock);
    struct comm *c = entry_for(handle, world ? 1 : peers);
    if (c) {
        c->id = id;
        c->size = size;
        c->rank = rank;
        c->peers = peers;
        c->inter = inter;
    }
    lock_release(&comm_lock);
    if (c && world)
        c->world = 0;
    bool good = c && (world || room);
    if (good && !world)
        memcpy(c->world, peer_of, peers * sizeof *c->world);
    if (room)
        memory_unmap(room, bytes);
    if (comm_all(handle, inter, good))
        __atomic_store_n(&c->handle, handle, __ATOMIC_RELEASE);
}

void comm_forget(word handle)
{
    struct comm *c = comm_of(handle);
    if (c)
        __atomic_store_n(&c->handle, 0, __ATOMIC_RELEASE);
}

/* MPI calls this for points that ranks have sent. */
static void reduce(void *in, void *inout, int *length, void *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        point_max((struct point *)in + i, (struct point *)inout + i);
}

bool comm_start(void)
{
    return !OWN(2, Comm_group)(mpi.comm_world, (word)&world_group) &&
           !OWN(3, Type_contiguous)(POINT_WORDS, mpi.type_u64, (word)&comm_point_type) &&
           !OWN(1, Type_commit)((word)&comm_point_type) &&
           !OWN(3, Op_create)((word)reduce, 1, (word)&comm_point_op);
}

void comm_stop(void)
{
    OWN(1, Op_free)((word)&comm_point_op);
    OWN(1, Type_free)((word)&comm_point_type);
    OWN(1, Group_free)((word)&world_group);
}
