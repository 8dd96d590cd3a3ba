/* start.c - the beginning and the end of the job.
 *
 * The ranks' paths are one dag only if all ranks have libprof: a rank without it would never
 * receive a companion, and a reduction of libprof's would wait for it for ever. So each rank counts
 * itself in a file of its host before MPI_Init, which returns when all ranks have called it. The
 * file's name has what the launcher calls the job. If fewer ranks of the host are counted than the
 * launcher has started there, libprof leaves the job alone. Several hosts: hosts.h.
 */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/config.h"
#include "base/kernel.h"
#include "base/mpi_launcher.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "clock/clock.h"
#include "collective.h"
#include "dag/run.h"
#include "engine/engine.h"
#include "hook.h"
#include "hosts.h"
#include "receipts.h"
#include "libprof_format.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/write.h"
#include "route.h"
#include "base/forbid.h"

/* In the file. */
struct present {
    uint32_t ranks;             /* that have libprof */
    uint32_t read;              /* of these: have read `ranks` */
    uint32_t decided;           /* DECIDED_*: the first one that knows decides for all */
    uint32_t reserved;
    struct receipt receipts[RECEIPTS];
};
enum { DECIDED_ALONE = 1, DECIDED_ALL };
static struct present *present;
static char present_name[128];
static bool first;              /* of the ranks that are counted: it prints for all */

/* Ranks that are not here yet may come: MPI_Init need not wait for all. */
#define LATE_NS 1000000000u

/* Are all SIZE ranks on this host? */
static bool here_are_all(int size)
{
    return present && size > 0 && launcher.local_size >= size;
}

/* Maps the host's file FD: with room for receipts if there is some. To touch a page that has none
 * would end the program by SIGBUS, so room is made before. No rank makes the file shorter. */
static struct present *map_present(int fd)
{
    size_t size = sizeof *present;
    bool whole = !kernel_call(SYS_fallocate, (long)fd, 0L, 0L, (long)size);
    if (!whole) {
        size = offsetof(struct present, receipts);
        if (kernel_call(SYS_fallocate, (long)fd, 0L, 0L, (long)size) &&
            (errno != EOPNOTSUPP || kernel_call(SYS_ftruncate, (long)fd, (long)size)))
            return 0;
    }
    void *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return 0;
    struct present *mapped = p;
    receipts_use(whole ? mapped->receipts : 0);
    return mapped;
}

static void open_present(void)
{
    static const char *const directories[] = { "/dev/shm", program.temporary };
    int saved = errno;
    for (unsigned i = 0; launcher.job && i < 2 && !present; i++) {
        message_format(present_name, sizeof present_name, "%s/libprof-mpi.%u.%lx", directories[i],
                       (unsigned)kernel_call(SYS_getuid), (unsigned long)launcher.job);
        int fd = kernel_call(SYS_openat, AT_FDCWD, present_name,
                             (long)(O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW), 0600L);
        if (fd < 0)
            continue;
        present = map_present(fd);
        kernel_call(SYS_close, (long)fd);
    }
    errno = saved;
}

/* Removes the file of the host when the last of the RANKS that are in it has read it; 0: as many as
 * are in it now. */
static void leave_present(uint32_t ranks)
{
    if (present && !ranks)
        ranks = __atomic_load_n(&present->ranks, __ATOMIC_RELAXED);
    if (present && __atomic_add_fetch(&present->read, 1, __ATOMIC_RELAXED) >= ranks)
        kernel_call(SYS_unlinkat, (long)AT_FDCWD, present_name, 0L);
}

/* The program is about to call MPI_Init: counts this rank. */
static void count_self(void)
{
    bool counts = strcmp(config.mpi, "all") != 0;
    first = true;
    if (launcher.size == 1)
        return;                 /* nobody reads it */
    if (counts || launcher.local_size > 1)
        open_present();
    if (!counts) {
        leave_present(launcher.local_size);
        return;
    }
    uint32_t before = present ? __atomic_fetch_add(&present->ranks, 1, __ATOMIC_RELAXED) : 0;
    first = !before;
    if (here_are_all(launcher.size))
        return;
    if (!present || !launcher.local_size)
        hosts_tell(1);
    else if (before + 1 == (uint32_t)launcher.local_size)
        hosts_tell(launcher.local_size);
}

static const char *why_not_counted(void)
{
    return !launcher.job          ? "the launcher does not name the job"
           : !present             ? "neither /dev/shm nor the directory for temporary files takes "
                                    "a file"
           : !launcher.local_size ? "the launcher does not state which ranks are here"
                                  : "the job has ranks on several hosts";
}

/* Do all ranks of the job have libprof? */
static bool all_present(int size)
{
    if (size == 1 || !here_are_all(size)) {
        bool all = size == 1 || hosts_all(size, first ? why_not_counted() : 0, LATE_NS);
        leave_present(0);
        return all;
    }
    uint64_t since = clock_read_ns(CLOCK_MONOTONIC);
    uint32_t n, all = launcher.local_size;
    while ((n = __atomic_load_n(&present->ranks, __ATOMIC_RELAXED)) < all &&
           clock_read_ns(CLOCK_MONOTONIC) - since < LATE_NS)
        sched_yield();
    /* a rank that comes later than LATE_NS may count all, when others are alone by then */
    uint32_t decided = 0, vote = n == all ? DECIDED_ALL : DECIDED_ALONE;
    if (__atomic_compare_exchange_n(&present->decided, &decided, vote, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        decided = vote;
    if (decided == DECIDED_ALONE && first)
        message(MESSAGE_WARNING, "MPI: %u of %u ranks on this host have libprof: each rank is "
                                 "profiled alone", n, all);
    leave_present(n);
    return decided == DECIDED_ALL;
}

/* MPI is up. */
static void join(void)
{
    int rank = 0, size = 0;
    if (!mpi.usable) {          /* such as a stub for programs of one rank */
        if (launcher.size > 1)
            message(MESSAGE_WARNING, "MPI: the library lacks functions that libprof needs: each "
                                     "rank is profiled alone");
        leave_present(0);
        return;
    }
    if (first && strcmp(config.mpi, "all") && strcmp(config.mpi, "auto"))
        message(MESSAGE_WARNING, "PROF_MPI=%s is not auto, all or off: using auto", config.mpi);
    OWN(2, Comm_rank)(mpi.comm_world, (word)&rank);
    OWN(2, Comm_size)(mpi.comm_world, (word)&size);
    job.rank = rank;
    job.size = size;
    if (strcmp(config.mpi, "all") && !all_present(size))
        return;
    point_host = hosts_kernel();
    if (!comm_start())
        return;                 /* in all ranks: MPI has no room for a type or an operation */
    if (!comm_all(mpi.comm_world, false, companion_start())) {
        message(MESSAGE_SHORTAGE, "MPI: a rank has no memory for libprof: each rank is profiled "
                                  "alone");
        return;
    }
    comm_learn(mpi.comm_world, true);
    job.was_joined = true;
    route_setup();
    job.sampled = route_sampled;
    __atomic_store_n(&job.joined, true, __ATOMIC_RELEASE);
}

static bool start_begin(struct call *call, const struct hook *hook)
{
    if (!strcmp(config.mpi, "off") || !engine_recording)
        return false;
    lifecycle_first_event();
    if (!call_begin_first(call, hook->from, hook_name(hook)))
        return false;
    count_self();
    return true;
}

static int start_end(struct call *call, int status)
{
    if (!status)
        join();
    call_end(call);
    return status;
}

BODY init(const struct hook *hook, PARAMETERS(2))
{
    BODY_START;
    struct call call;
    if (!start_begin(&call, hook))
        return FUNCTION(2, real)(ARGUMENTS(2));
    return start_end(&call, FUNCTION(2, real)(ARGUMENTS(2)));
}

BODY init_thread(const struct hook *hook, PARAMETERS(4))
{
    BODY_START;
    struct call call;
    if (!start_begin(&call, hook))
        return FUNCTION(4, real)(ARGUMENTS(4));
    return start_end(&call, FUNCTION(4, real)(ARGUMENTS(4)));
}

/* The job's path ends where all ranks have come to MPI_Finalize. */
BODY finalize(const struct hook *hook)
{
    BODY_START;
    struct call call;
    if (!hook_begin(hook, &call, JOB_COLLECTIVE))
        return ((int (*)(void))real)();
    struct point in, end;
    call_point(&call, &in);
    end = in;
    bool known = job.size == 1 ||
                 !OWN(6, Allreduce)((word)&in, (word)&end, 1, comm_point_type, comm_point_op,
                                    mpi.comm_world);
    if (known) {
        call_after(&call, &end);
        if (call.strand)        /* all messages have been received */
            receipts_take(call.th, clock_ticks(), true);
        struct task *main = engine_main && call.strand == engine_main->root ? call.strand : 0;
        route_walk(call.th, main, &end, companion_comm());
        job.finished = main != 0;
        job.span = end.S;
    }
    companion_stop();
    comm_stop();
    __atomic_store_n(&job.joined, false, __ATOMIC_RELEASE);
    int status = ((int (*)(void))real)();
    call_end(&call);
    return status;
}

/* The launcher may kill all ranks at once. */
BODY abort_job(const struct hook *hook, PARAMETERS(2))
{
    BODY_START;
    write_ahead(LPF_END_QUICK);
    return FUNCTION(2, real)(ARGUMENTS(2));
}

HOOK(Abort, 2, abort_job(&hook, ARGUMENTS(2)))
HOOK(Init, 2, init(&hook, ARGUMENTS(2)))
HOOK(Init_thread, 4, init_thread(&hook, ARGUMENTS(4)))
HOOK(Finalize, 0, finalize(&hook))
