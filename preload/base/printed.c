/* printed.c - see printed.h. The family shares the table, one page. When the table is full, entries
 * are lost. Then lines may come again, up to message.h's bound for each process. */
#define _GNU_SOURCE
#include "base/printed.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/forbid.h"

/* An entry is written once. It is 0, or a line's hash and, above it, the pid of the process that
 * printed the line. A process may repeat its own lines. */
#define ENTRIES 128
static uint64_t own[ENTRIES];           /* until the first fork, or where there is no memory */
static uint64_t *table = own;           /* written by printed_share */

static uint32_t hash(const char *line, int n)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++)
        if (line[i] < '0' || line[i] > '9')
            h = (h ^ (unsigned char)line[i]) * 16777619u;
    return h;
}

bool printed_first(const char *line, int n)
{
    uint64_t mine = (uint64_t)getpid() << 32 | hash(line, n);
    uint64_t *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);    /* printed_share's store */
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t is = 0;
        if (__atomic_compare_exchange_n(&t[i], &is, mine, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
        if ((uint32_t)is == (uint32_t)mine)
            return is == mine;
    }
    return true;
}

void printed_share(void)
{
    if (table != own)
        return;
    int saved = errno;
    long shared = syscall(SYS_mmap, 0L, sizeof own, (long)(PROT_READ | PROT_WRITE),
                          (long)(MAP_SHARED | MAP_ANONYMOUS), -1L, 0L);
    if (shared != -1) {
        memcpy((void *)shared, own, sizeof own);
        __atomic_store_n(&table, (uint64_t *)shared, __ATOMIC_RELEASE);  /* printed_first's load */
    }
    errno = saved;
}
