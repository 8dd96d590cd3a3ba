/* hosts.c - see hosts.h. */
#define _GNU_SOURCE
#include "hosts.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/config.h"
#include "base/kernel.h"
#include "base/mpi_launcher.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "clock/clock.h"
#include "base/forbid.h"

/* The folder has, for the job JOB, hidden from a shell's *:
 *   .JOB.RANK.RANKS.here   RANKS of a host have libprof; RANK, one of them, has made it
 *   .JOB.decision          a symbolic link to "all" or "alone" */
enum { NAME = CONFIG_STRING + 64 };

static bool has_folder(void)
{
    return *config.ranks && launcher.everywhere && launcher.rank >= 0;
}

void hosts_tell(uint32_t ranks)
{
    char name[NAME];
    if (!has_folder())
        return;
    message_format(name, sizeof name, "%s/.%lx.%d.%u.here", config.ranks,
                   (unsigned long)launcher.everywhere, launcher.rank, ranks);
    int fd = kernel_call(SYS_openat, AT_FDCWD, name, (long)(O_WRONLY | O_CREAT | O_CLOEXEC), 0600L);
    if (fd >= 0)
        kernel_call(SYS_close, (long)fd);
}

/* The number at *AT, which a dot ends; *AT is after the dot. False: there is none. */
static bool number(const char **at, uint32_t *value)
{
    uint64_t n = 0;
    const char *p = *at;
    for (; *p >= '0' && *p <= '9' && n < 1u << 27; p++)
        n = n * 10 + (*p - '0');
    if (p == *at || *p != '.')
        return false;
    *value = n;
    *at = p + 1;
    return true;
}

/* NAME is of a file in the folder. How many ranks it tells of; 0: none, or SEEN has it already. A
 * folder that changes may be read with a name twice. */
static uint32_t told_by(const char *name, const char *job, uint32_t size, unsigned char *seen)
{
    uint32_t rank, ranks;
    size_t n = strlen(job);
    if (strncmp(name, job, n) || name[n] != '.')
        return 0;
    name += n + 1;
    if (!number(&name, &rank) || !number(&name, &ranks) || strcmp(name, "here") || rank >= size ||
        seen[rank / 8] >> rank % 8 & 1)
        return 0;
    seen[rank / 8] |= 1u << rank % 8;
    return ranks;
}

/* How many ranks have told that they have libprof. SEEN: a bit for each of SIZE ranks. */
static uint32_t count_told(uint32_t size, unsigned char *seen)
{
    struct entry {              /* linux_dirent64 */
        uint64_t inode, next;
        uint16_t length;
        unsigned char type;
        char name[];
    };
    union { char bytes[4096]; uint64_t aligned; } buffer;
    char job[20];
    uint32_t told = 0;
    memset(seen, 0, size / 8 + 1);
    message_format(job, sizeof job, ".%lx", (unsigned long)launcher.everywhere);
    int fd = kernel_call(SYS_openat, AT_FDCWD, config.ranks,
                         (long)(O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0L);
    long n;
    while (fd >= 0 &&
           (n = kernel_call(SYS_getdents64, (long)fd, buffer.bytes, sizeof buffer.bytes)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (void *)(buffer.bytes + at);
            told += told_by(e->name, job, size, seen);
            at += e->length;
        }
    if (fd >= 0)
        kernel_call(SYS_close, (long)fd);
    return told;
}

/* Others have decided, or are about to: makes VOTE the decision of all ranks, or reads theirs.
 * *MADE: it is VOTE, from now on. */
static bool decide(bool vote, uint64_t wait_ns, bool *made)
{
    const struct timespec nap = { 0, 1000000 };
    char name[NAME], text[8];
    message_format(name, sizeof name, "%s/.%lx.decision", config.ranks,
                   (unsigned long)launcher.everywhere);
    *made = !kernel_call(SYS_symlinkat, vote ? "all" : "alone", (long)AT_FDCWD, name);
    if (*made)
        return vote;
    /* it exists, but a client may know for a while that it does not; else it cannot be made here,
     * and there was no room for a file of the job either */
    uint64_t since = clock_read_ns(CLOCK_MONOTONIC), limit = errno == EEXIST ? 60 * wait_ns
                                                                             : wait_ns;
    long n;
    while ((n = kernel_call(SYS_readlinkat, (long)AT_FDCWD, name, text, sizeof text)) < 0 &&
           clock_read_ns(CLOCK_MONOTONIC) - since < limit)
        kernel_call(SYS_nanosleep, &nap, 0L);
    return n == 3 && !memcmp(text, "all", 3);
}

bool hosts_all(uint32_t size, const char *why, uint64_t wait_ns)
{
    const struct timespec nap = { 0, 5000000 };
    unsigned char *seen = has_folder() ? memory_map(size / 8 + 1) : 0;
    if (!seen) {
        if (why)
            message(MESSAGE_WARNING,
                    "MPI: %s: each rank is profiled alone. If all ranks have libprof, set "
                    "PROF_MPI=all, or start each of them by prof run", why);
        return false;
    }
    uint64_t since = clock_read_ns(CLOCK_MONOTONIC);
    uint32_t told;
    bool made;
    while ((told = count_told(size, seen)) < size &&
           clock_read_ns(CLOCK_MONOTONIC) - since < wait_ns)
        kernel_call(SYS_nanosleep, &nap, 0L);
    memory_unmap(seen, size / 8 + 1);
    bool all = decide(told == size, wait_ns, &made);
    if (!all && made)
        message(MESSAGE_WARNING,
                "MPI: on several hosts, %u of %u ranks are known to have libprof (by prof run's "
                "folder of the job): each rank is profiled alone", told, size);
    return all;
}

uint32_t hosts_kernel(void)
{
    char id[64];
    int fd = kernel_call(SYS_openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id",
                         (long)(O_RDONLY | O_CLOEXEC), 0L);
    long n = fd < 0 ? -1 : kernel_call(SYS_read, (long)fd, id, sizeof id - 1);
    if (fd >= 0)
        kernel_call(SYS_close, (long)fd);
    id[n > 0 ? n : 0] = 0;
    uint32_t h = 0;
    for (const char *p = *id ? id : program_host(); *p; p++)
        h = (h ^ (unsigned char)*p) * 0x01000193u;
    return h;
}
