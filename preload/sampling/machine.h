/* machine.h - what the kernel counts of the whole machine, and of the groups of processes (cgroup)
 * that this process is in: who had the processors, and what a quota took.
 *
 * [any] all functions: they make system calls only. Each opens one file at a time.
 */
#ifndef PRELOAD_SAMPLING_MACHINE_H
#define PRELOAD_SAMPLING_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include "libprof_format.h"

/* Ticks of a CPU since the machine started; struct lpf_cpu has the words. */
struct machine_cpu {
    uint64_t busy, steal, idle;
    bool online;
};

/* Of the process's own group and those above it. */
#define MACHINE_GROUPS 16u
struct machine_group {
    uint64_t throttled, throttled_ns;
};

/* One moment. */
struct machine {
    bool times_known, quota_known;
    uint64_t wall_ns, own_cpu_ns;       /* CLOCK_MONOTONIC; CPU time of this process */
    uint64_t own_system_ns, own_faults; /* the part of it in the kernel; page faults */
    uint32_t cpus;                      /* entries of `cpu` that are filled in */
    struct machine_cpu cpu[LPF_CPUS_MOST];
    struct machine_group group[MACHINE_GROUPS];
    uint64_t quota_ns, quota_period_ns; /* the least of the groups' quotas; both 0: none */
};

/* Where the groups' files are. */
struct machine_place {
    const char *mount;                  /* NULL: not known */
    bool old;                           /* version 1 of cgroups */
    char path[512];                     /* of the process's group, below the mount */
};

/* Finds the groups' files now. */
void machine_find(struct machine_place *place);
/* Fills in M. */
void machine_read(struct machine *m, const struct machine_place *place);
/* The ns of a tick. */
uint64_t machine_tick_ns(void);

#endif
