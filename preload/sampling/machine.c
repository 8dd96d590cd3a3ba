/* machine.c - see machine.h. */
#define _GNU_SOURCE
#include "sampling/machine.h"
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "clock/clock.h"
#include "base/forbid.h"

static int open_file(const char *path)
{
    return syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
}

/* A file that is read byte by byte. It may be long, and the thread's stack is small. */
struct reader {
    int fd;
    size_t at, have;
    char text[1024];
};

/* The next byte; 0: the end. */
static char next(struct reader *r)
{
    if (r->at == r->have) {
        long n = syscall(SYS_read, (long)r->fd, r->text, sizeof r->text);
        r->at = 0;
        r->have = n > 0 ? n : 0;
        if (!r->have)
            return 0;
    }
    return r->text[r->at++];
}

/* The number that begins with the digit *C; *C is then the byte after it. */
static uint64_t number(struct reader *r, char *c)
{
    uint64_t value = 0;
    for (; *c >= '0' && *c <= '9'; *c = next(r))
        value = value * 10 + (*c - '0');
    return value;
}

/* The columns of /proc/stat. The guests' time, which follows, is in user and nice already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

/* Reads a line of one CPU. False: the line is of something else, and so are all that follow. */
static bool read_cpu(struct reader *r, struct machine *m)
{
    uint64_t n[COLUMNS] = { 0 };
    char c = next(r);
    for (const char *name = "cpu"; *name; name++, c = next(r))
        if (c != *name)
            return false;
    bool all = c == ' ';                /* the first line is the sum over all CPUs */
    uint64_t cpu = number(r, &c);
    for (unsigned i = 0; i < COLUMNS && c == ' '; i++) {
        while (c == ' ')
            c = next(r);
        n[i] = number(r, &c);
    }
    while (c && c != '\n')
        c = next(r);
    if (all || cpu >= LPF_CPUS_MOST)
        return c;
    while (m->cpus <= cpu)
        m->cpu[m->cpus++] = (struct machine_cpu){ .online = false };
    m->cpu[cpu] = (struct machine_cpu){
        .busy = n[USER] + n[NICE] + n[SYSTEM] + n[IRQ] + n[SOFTIRQ],
        .steal = n[STEAL], .idle = n[IDLE] + n[IOWAIT], .online = true,
    };
    return c;
}

/* Some containers have the file, but count nothing there. */
static bool counts(const struct machine *m)
{
    for (unsigned i = 0; i < m->cpus; i++)
        if (m->cpu[i].busy && m->cpu[i].idle)
            return true;
    return false;
}

static void read_cpus(struct machine *m)
{
    struct reader r = { .fd = open_file("/proc/stat") };
    if (r.fd < 0)
        return;
    while (read_cpu(&r, m))
        ;
    syscall(SYS_close, (long)r.fd);
    m->times_known = counts(m);
}

/* ---- groups ---- */

/* Reads a file of the group at PATH[0 .. LENGTH]. False: it cannot be read. */
static bool group_file(const struct machine_place *place, size_t length, const char *name,
                       char *text, size_t size)
{
    char path[640];
    message_format(path, sizeof path, "%s", place->mount);
    size_t at = strlen(path);
    memcpy(path + at, place->path, length);
    message_format(path + at + length, sizeof path - at - length, "/%s", name);
    int fd = open_file(path);
    long n = fd < 0 ? -1 : syscall(SYS_read, (long)fd, text, size - 1);
    if (fd >= 0)
        syscall(SYS_close, (long)fd);
    text[n > 0 ? n : 0] = 0;
    return n >= 0;
}

static uint64_t value_of(const char *text)
{
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    return value;
}

/* The value after KEY, which ends in a blank, in lines of TEXT; 0: there is none. */
static uint64_t value_at(const char *text, const char *key)
{
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (!strncmp(at, key, strlen(key)))
            return value_of(at + strlen(key));
    }
    return 0;
}

/* Keeps the least quota: QUOTA us in PERIOD us. */
static void take_quota(struct machine *m, uint64_t quota, uint64_t period)
{
    bool any = m->quota_ns, less = (unsigned __int128)quota * 1000 * m->quota_period_ns <
                                   (unsigned __int128)m->quota_ns * period * 1000;
    if (!quota || !period || quota > UINT64_MAX / 1000 || period > UINT64_MAX / 1000)
        return;
    if (!any || less) {
        m->quota_ns = quota * 1000;
        m->quota_period_ns = period * 1000;
    }
}

static void read_group(struct machine *m, const struct machine_place *place, size_t length,
                       struct machine_group *g)
{
    char text[1024];
    if (!group_file(place, length, "cpu.stat", text, sizeof text))
        return;
    m->quota_known = true;
    g->throttled = value_at(text, "nr_throttled ");
    g->throttled_ns = place->old ? value_at(text, "throttled_time ")
                                 : value_at(text, "throttled_usec ") * 1000;
    uint64_t quota, period = 0;
    const char *name = place->old ? "cpu.cfs_quota_us" : "cpu.max";
    if (!group_file(place, length, name, text, sizeof text))
        return;
    quota = value_of(text);     /* 0: "max" or -1, without a quota */
    const char *blank = strchr(text, ' ');
    if (place->old && group_file(place, length, "cpu.cfs_period_us", text, sizeof text))
        period = value_of(text);
    else if (blank)
        period = value_of(blank + 1);
    take_quota(m, quota, period);
}

/* The group's own quota may be none, and one above it may have a small one. */
static void read_groups(struct machine *m, const struct machine_place *place)
{
    size_t length = strlen(place->path);
    for (unsigned i = 0; place->mount && i < MACHINE_GROUPS; i++) {
        read_group(m, place, length, &m->group[i]);
        if (!length)
            return;
        while (length && place->path[--length] != '/')
            ;
    }
}

/* Is WORD among the words of TEXT, up to a ':', that commas part? */
static bool among(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (;; text++) {
        if (!strncmp(text, word, n) && (text[n] == ',' || text[n] == ':'))
            return true;
        text += strcspn(text, ",:\n");
        if (*text != ',')
            return false;
    }
}

void machine_find(struct machine_place *place)
{
    static const char *const olds[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
    char text[2048];
    place->mount = 0;
    int fd = open_file("/proc/self/cgroup");
    long n = fd < 0 ? 0 : syscall(SYS_read, (long)fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, (long)fd);
    text[n > 0 ? n : 0] = 0;
    const char *own = 0;
    place->old = false;
    /* NUMBER:CONTROLLERS:PATH; version 2 is the line without controllers */
    for (const char *at = text; *at && !place->old; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *controllers = strchr(at, ':'),
                   *path = controllers ? strchr(controllers + 1, ':') : 0;
        if (!path)
            break;
        place->old = among(controllers + 1, "cpu");
        if (place->old || path == controllers + 1)
            own = path + 1;
    }
    size_t length = own ? strcspn(own, "\n") : 0;
    if (!own || length >= sizeof place->path)
        return;
    memcpy(place->path, own, length);
    while (length && place->path[length - 1] == '/')
        length--;
    place->path[length] = 0;
    place->mount = place->old ? olds[0] : "/sys/fs/cgroup";
    if (place->old && !group_file(place, 0, "cpu.stat", text, sizeof text))
        place->mount = olds[1];
}

void machine_read(struct machine *m, const struct machine_place *place)
{
    m->times_known = m->quota_known = false;
    m->cpus = 0;                /* entries beyond are left alone: most machines have few CPUs */
    memset(m->group, 0, sizeof m->group);
    m->quota_ns = m->quota_period_ns = 0;
    read_cpus(m);
    m->wall_ns = clock_read_ns(CLOCK_MONOTONIC);
    m->own_cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage own = { .ru_minflt = 0 };
    syscall(SYS_getrusage, (long)RUSAGE_SELF, &own);
    m->own_system_ns = (uint64_t)own.ru_stime.tv_sec * 1000000000 +
                       (uint64_t)own.ru_stime.tv_usec * 1000;
    m->own_faults = own.ru_minflt;
    read_groups(m, place);
}

uint64_t machine_tick_ns(void)
{
    unsigned long ticks = getauxval(AT_CLKTCK);
    return 1000000000ull / (ticks ? ticks : 100);
}
