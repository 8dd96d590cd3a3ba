/* processors.h - who had the processors, as the kernel counted it: this process, others, the host,
 * a quota. */
#ifndef REPORT_ANALYSIS_PROCESSORS_H
#define REPORT_ANALYSIS_PROCESSORS_H

#include <stdbool.h>
#include "profile/profile.h"

/* From the first event to the profile. Times are in ns, and sums over CPUs. */
struct processors {
    bool known;         /* WALL, the times of CPUs, and UNIT are */
    bool quota_known;   /* QUOTA and THROTTLED are */
    bool masks_known;   /* THREADS_ALLOWED is; with KNOWN, IDLE_UNUSED is, too */
    double wall_ns;
    unsigned allowed;   /* CPUs that the process might use when it started */
    unsigned online;    /* CPUs of the machine */
    double busy_ns;     /* all processes, on the allowed CPUs */
    double own_ns;      /* this process, wherever it ran */
    double system_ns;   /* the part of OWN in the kernel */
    double faults;      /* its page faults without a transfer */
    double others_ns;   /* BUSY less OWN, at least 0; children of the process are others */
    double steal_ns;    /* what the host took of the allowed CPUs */
    double throttled_ns;
    double quota;       /* CPUs that a quota allows on average; 0: none */
    unsigned used;      /* CPUs with at least a 20th of the samples on the CPU */
    unsigned threads;   /* with a good part of the work (lpf_machine) */
    /* CPUs that at least one of the threads with a good part of the work may use (lpf_machine) */
    unsigned threads_allowed;
    bool bound;         /* one of these threads may not use all CPUs that the process might */
    double idle_allowed_ns;     /* idle time of the allowed CPUs */
    double idle_unused_ns;      /* the part of it on CPUs that none of these threads may use */
    double unit_ns;     /* resolution of a CPU's counters: a sum over N of them may be N off */
};

/* Fills in X. What P does not have is 0, and not known. */
void processors_of(struct processors *x, const struct profile *p);

#endif
