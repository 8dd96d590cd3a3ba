/* mpi_launcher.c - see mpi_launcher.h. */
#define _GNU_SOURCE
#include "base/mpi_launcher.h"
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/message.h"
#include "base/forbid.h"

struct launcher launcher = { .rank = -1 };

/* The value of NAME; NULL: it is not set. */
static const char *value_of(char *const *environment, const char *name)
{
    size_t n = strlen(name);
    for (char *const *e = environment; e && *e; e++)
        if (!strncmp(*e, name, n) && (*e)[n] == '=')
            return *e + n + 1;
    return 0;
}

/* The number at the start of TEXT, below 10^8; -1: none. */
static int number(const char *text)
{
    int n = 0;
    if (!text || *text < '0' || *text > '9')
        return -1;
    for (; *text >= '0' && *text <= '9' && n < 10000000; text++)
        n = n * 10 + (*text - '0');
    return n;
}

static int first_number(char *const *environment, const char *const *names, int otherwise)
{
    for (; *names; names++) {
        int n = number(value_of(environment, *names));
        if (n >= 0)
            return n;
    }
    return otherwise;
}

#define FIRST_HASH 0xcbf29ce484222325ull

static uint64_t mix(uint64_t h, const char *text)
{
    for (; text && *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
    return h;
}

/* Slurm's tasks of each node: "2(x3),1". NODE: the number of this one. */
static int tasks_of_node(const char *text, int node)
{
    while (text && node >= 0) {
        int tasks = number(text), times = 1;
        const char *times_at = strchr(text, '('), *comma = strchr(text, ',');
        if (tasks < 0)
            return 0;
        if (times_at && times_at[1] == 'x' && (!comma || times_at < comma))
            times = number(times_at + 2);
        if (node < times)
            return tasks;
        node -= times;
        text = comma ? comma + 1 : 0;
    }
    return 0;
}

/* Reads /proc/PID/FILE, at most SIZE - 1 bytes, and ends it with a 0. Returns the bytes; 0: it
 * cannot be read. */
static size_t read_proc(int pid, const char *file, char *text, size_t size)
{
    char path[40];
    message_format(path, sizeof path, "/proc/%d/%s", pid, file);
    int fd = syscall(SYS_openat, AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
    ssize_t n = fd < 0 ? 0 : syscall(SYS_read, (long)fd, text, size - 1);
    if (fd >= 0)
        syscall(SYS_close, (long)fd);
    n = n < 0 ? 0 : n;
    text[n] = 0;
    return n;
}

/* Reads /proc/PID/stat. False: there is none. NAME: "hydra_pmi_proxy". */
static bool read_stat(int pid, char *name, size_t size, int *parent, uint64_t *start)
{
    char text[512];
    if (!read_proc(pid, "stat", text, sizeof text))
        return false;
    const char *open_at = strchr(text, '('), *end = strrchr(text, ')');
    if (!open_at || !end || (size_t)(end - open_at) > size)
        return false;
    memcpy(name, open_at + 1, end - open_at - 1);
    name[end - open_at - 1] = 0;
    const char *p = end + 1;            /* " S PPID ...": fields 3 and 4; the start time is 22 */
    *parent = *p && p[1] && p[2] ? number(p + 3) : -1;
    for (int field = 3; field < 22 && p; field++)
        p = strchr(p + 1, ' ');
    *start = 0;
    for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9'; p++)
        *start = *start * 10 + (*p - '0');
    return true;
}

/* What proxy PID was told: the address of its mpiexec, "--control-port front:44495", and which of
 * the processes that this has started, "--pgid 0". All of a job's proxies are told the same. 0: its
 * arguments cannot be read, or are others. */
static uint64_t told_to_proxy(int pid)
{
    static const char *const options[] = { "--control-port", "--pgid" };
    char text[4096];
    size_t n = read_proc(pid, "cmdline", text, sizeof text);
    uint64_t h = FIRST_HASH;
    unsigned found = 0;
    for (const char *p = text; p < text + n; p += strlen(p) + 1)
        if (found < 2 && !strcmp(p, options[found])) {
            p += strlen(p) + 1;
            h = mix(mix(h, p < text + n ? p : 0), " ");
            found++;
        }
    return found == 2 ? h : 0;
}

/* Hydra gives a job no name. Its proxy is an ancestor of all of the job's ranks on a host. False:
 * there is none. */
static bool find_proxy(uint64_t *job, uint64_t *everywhere)
{
    char name[64], text[64];
    uint64_t start;
    int pid = syscall(SYS_getppid), parent;
    for (int depth = 0; pid > 1 && depth < 64; pid = parent, depth++) {
        if (!read_stat(pid, name, sizeof name, &parent, &start))
            return false;
        if (!strncmp(name, "hydra_pmi_proxy", 15)) {
            message_format(text, sizeof text, "%d.%lu", pid, (unsigned long)start);
            *job = mix(FIRST_HASH, text);
            *everywhere = told_to_proxy(pid);
            return true;
        }
    }
    return false;
}

void launcher_setup(char *const *environment)
{
    static const char *const ranks[] = { "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                         "MV2_COMM_WORLD_RANK", "PALS_RANKID", 0 },
        *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", 0 },
        *const locals[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                            "MV2_COMM_WORLD_LOCAL_SIZE", 0 },
        *const jobs[] = { "PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports",
                          "SLURM_JOB_ID", "SLURM_STEP_ID" },
        *const servers[] = { "PMIX_SERVER_URI2", "PMIX_SERVER_URI3" };      /* one on each host */
    launcher.rank = first_number(environment, ranks, -1);
    launcher.size = first_number(environment, sizes, 0);
    launcher.local_size = first_number(environment, locals, 0);
    const char *step = value_of(environment, "SLURM_STEP_TASKS_PER_NODE");
    if (step) {
        if (launcher.rank < 0)
            launcher.rank = number(value_of(environment, "SLURM_PROCID"));
        if (!launcher.size)
            launcher.size = first_number(environment,
                                         (const char *const[]){ "SLURM_STEP_NUM_TASKS", 0 }, 0);
        if (!launcher.local_size)
            launcher.local_size = tasks_of_node(step,
                                                number(value_of(environment, "SLURM_NODEID")));
    }
    if (launcher.rank < 0)
        return;
    uint64_t h = FIRST_HASH;
    bool named[4];
    for (unsigned i = 0; i < 4; i++) {
        const char *v = value_of(environment, jobs[i]);
        named[i] = v != 0;
        h = mix(h, v);
    }
    launcher.job = named[0] || named[1] || named[2] || named[3] ? h : 0;
    launcher.everywhere = named[0] || named[1] || (named[2] && named[3]) ? h : 0;
    /* several jobs of Hydra may run within one of Slurm's */
    if (!named[0] && !named[1] && find_proxy(&launcher.job, &launcher.everywhere))
        return;
    for (unsigned i = 0; i < 2; i++) {
        const char *v = value_of(environment, servers[i]);
        if (v)
            launcher.job = mix(launcher.job ? launcher.job : h, v);
    }
}
