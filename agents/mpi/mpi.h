/* mpi.h - the MPI library that the program uses: its functions, and what differs between
 * libraries. libprof.so links none; the first call of a hook finds the library that is loaded.
 *
 * [hook] everything here. The functions of the library are its own: not signal-safe.
 */
#ifndef AGENTS_MPI_MPI_H
#define AGENTS_MPI_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "words.h"

/* Every function that a hook wraps. */
enum mpi_function {
#define START(name, n) AT_##name,
#define SEND(name) AT_##name, AT_##name##_c,
#define SEND_LATER(name) SEND(name)
#define SEND_INIT(name) SEND(name)
#define PLAIN(name, n) AT_##name,
#define PLAIN_BIG(name, n) AT_##name, AT_##name##_c,
#define ALL(name, small, n, comm) AT_##name, AT_##name##_c, AT_I##small, AT_I##small##_c,
#define FROM(name, small, n, root, comm) ALL(name, small, n, comm)
#define TO(name, small, n, root, comm) ALL(name, small, n, comm)
#define SCAN(name, small, n, comm) ALL(name, small, n, comm)
#define MAKES(name, n, comm, new) AT_##name,
#define HIDDEN(name, n) AT_##name,
#define TIMED(name, n) AT_##name,
#include "mpi.def"
#include "mpi_undef.def"
    MPI_FUNCTIONS
};

/* Functions that the agent alone calls: as PMPI_NAME. */
#define MPI_OWN(X)                                                                               \
    X(Comm_rank) X(Comm_size) X(Comm_group) X(Comm_remote_group) X(Comm_test_inter)              \
    X(Group_size) X(Group_translate_ranks) X(Group_free) X(Comm_set_errhandler) X(Comm_dup)      \
    X(Comm_free) X(Type_contiguous) X(Type_commit) X(Type_free) X(Op_create) X(Op_free)          \
    X(Test_cancelled)                                                                            \
    X(Request_get_status) X(Cancel) X(Isend) X(Irecv) X(Recv) X(Send) X(Test) X(Wait)            \
    X(Bcast) X(Allreduce) X(Reduce) X(Scan) X(Exscan) X(Iallreduce) X(Ibcast) X(Ireduce)         \
    X(Iscan) X(Iexscan)
enum mpi_own {
#define X(name) OWN_##name,
    MPI_OWN(X)
#undef X
    OWN_FUNCTIONS
};

/* What differs between Open MPI and MPICH, with those that share the latter's ABI. Handles: of an
 * `int`, the low half of a word counts. */
struct mpi {
    bool resolved, usable;      /* usable: with all functions of MPI_OWN */
    unsigned handle_size;       /* bytes of a handle in memory */
    word comm_world, comm_self, comm_null, request_null, type_byte, type_u64, errors_return;
    void *status_ignore;        /* also MPI_STATUSES_IGNORE */
    unsigned status_size, status_source, status_tag;    /* bytes; offsets */
    int any_source, any_tag, proc_null, root;
    const char *name[MPI_FUNCTIONS];    /* "PMPI_Send" */
    void *function[MPI_FUNCTIONS], *pmpi[MPI_FUNCTIONS];   /* MPI_NAME, PMPI_NAME; may be NULL */
    void *own[OWN_FUNCTIONS];
};
extern struct mpi mpi;

/* Finds the library. False: none is loaded. */
bool mpi_resolve(void);
static inline bool mpi_loaded(void)
{
    return __builtin_expect(__atomic_load_n(&mpi.resolved, __ATOMIC_ACQUIRE), 1) || mpi_resolve();
}

/* Room for one status of any MPI. */
struct status_room {
    unsigned char bytes[64] __attribute__((aligned(8)));
};

/* The library's PMPI_NAME with N arguments. */
#define OWN(n, name) FUNCTION(n, mpi.own[OWN_##name])

static inline word handle_of(word w)
{
    return mpi.handle_size == 4 ? (uint32_t)w : w;
}

/* The handle at AT; the I-th of an array. */
static inline word handle_at(const void *at, size_t i)
{
    if (!at)                    /* an error of the program, which MPI reports */
        return 0;
    return mpi.handle_size == 4 ? ((const uint32_t *)at)[i] : ((const word *)at)[i];
}

static inline int status_int(const void *status, unsigned offset)
{
    int value;
    memcpy(&value, (const char *)status + offset, sizeof value);
    return value;
}

#endif
