/* mpi.c - see mpi.h. */
#define _GNU_SOURCE
#include "mpi.h"
#include <dlfcn.h>
#include "base/lock.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/message.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

SELDOM struct mpi mpi;
LOCK_DEFINE(resolve_lock, LOCK_LOADER);

/* One text, not pointers, which the loader would have to relocate in every program. In the order of
 * enum mpi_function. */
static const char names[] =
#define NAME(name) "PMPI_" #name "\0"
#define START(name, n) NAME(name)
#define SEND(name) NAME(name) NAME(name##_c)
#define SEND_LATER(name) SEND(name)
#define SEND_INIT(name) SEND(name)
#define PLAIN(name, n) NAME(name)
#define PLAIN_BIG(name, n) SEND(name)
#define ALL(name, small, n, comm) SEND(name) SEND(I##small)
#define FROM(name, small, n, root, comm) ALL(name, small, n, comm)
#define TO(name, small, n, root, comm) ALL(name, small, n, comm)
#define SCAN(name, small, n, comm) ALL(name, small, n, comm)
#define MAKES(name, n, comm, new) NAME(name)
#define HIDDEN(name, n) NAME(name)
#define TIMED(name, n) NAME(name)
#include "mpi.def"
#include "mpi_undef.def"
#undef NAME
    "";

static const char own_names[] =
#define X(name) "PMPI_" #name "\0"
    MPI_OWN(X)
#undef X
    "";

/* Open MPI: handles are addresses of objects with these names. */
static void use_open_mpi(const void *code)
{
    static const struct { const char *name; size_t at; } objects[] = {
        { "ompi_mpi_comm_world", offsetof(struct mpi, comm_world) },
        { "ompi_mpi_comm_self", offsetof(struct mpi, comm_self) },
        { "ompi_mpi_comm_null", offsetof(struct mpi, comm_null) },
        { "ompi_request_null", offsetof(struct mpi, request_null) },
        { "ompi_mpi_byte", offsetof(struct mpi, type_byte) },
        { "ompi_mpi_uint64_t", offsetof(struct mpi, type_u64) },
        { "ompi_mpi_errors_return", offsetof(struct mpi, errors_return) },
    };
    for (unsigned i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        void *object = lookup(RTLD_DEFAULT, objects[i].name);   /* the program may have a copy */
        if (!object)
            object = lookup_runtime(code, objects[i].name, 0);
        memcpy((char *)&mpi + objects[i].at, &object, sizeof object);
        mpi.usable &= object != 0;
    }
    mpi.handle_size = sizeof(void *);
    mpi.status_ignore = 0;
    mpi.status_size = 24;
    mpi.status_source = 0;
    mpi.status_tag = 4;
    mpi.any_source = mpi.any_tag = -1;
    mpi.proc_null = -2;
    mpi.root = -4;
}

/* MPICH, and what shares its ABI (Intel MPI, MVAPICH): handles are numbers. */
static void use_mpich(void)
{
    mpi.comm_world = 0x44000000;
    mpi.comm_self = 0x44000001;
    mpi.comm_null = 0x04000000;
    mpi.request_null = 0x2c000000;
    mpi.type_byte = 0x4c00010d;
    mpi.type_u64 = 0x4c00083e;
    mpi.errors_return = 0x54000001;
    mpi.handle_size = 4;
    mpi.status_ignore = (void *)1;
    mpi.status_size = 20;
    mpi.status_source = 8;
    mpi.status_tag = 12;
    mpi.any_source = -2;
    mpi.any_tag = -1;
    mpi.proc_null = -1;
    mpi.root = -3;
}

static bool resolve(void)
{
    const void *code = lookup_first("PMPI_Init");
    if (!code && !(code = lookup_first("MPI_Init")))
        return false;
    const char *name = names;
    for (unsigned i = 0; i < MPI_FUNCTIONS; i++, name += strlen(name) + 1) {
        mpi.name[i] = name;
        /* a tool may stand between: MPI_Send is the tool's, which calls PMPI_Send */
        mpi.pmpi[i] = lookup_runtime(code, name, 0);
        mpi.function[i] = (void *)lookup_first(name + 1);
        if (!mpi.function[i])
            mpi.function[i] = mpi.pmpi[i];
    }
    mpi.usable = true;
    name = own_names;
    for (unsigned i = 0; i < OWN_FUNCTIONS; i++, name += strlen(name) + 1) {
        mpi.own[i] = lookup_runtime(code, name, 0);
        mpi.usable &= mpi.own[i] != 0;
    }
    if (lookup_runtime(code, "ompi_mpi_comm_world", 0))
        use_open_mpi(code);
    else
        use_mpich();
    runtime_register_module_of((uintptr_t)code, "mpi");
    return true;
}

bool mpi_resolve(void)
{
    bool locked = lock_take_within(&resolve_lock, LOCK_LOADER_NS);
    bool found = mpi.resolved || resolve();
    __atomic_store_n(&mpi.resolved, found, __ATOMIC_RELEASE);
    if (locked)
        lock_release(&resolve_lock);
    return found;
}
