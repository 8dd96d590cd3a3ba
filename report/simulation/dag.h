/* dag.h - the sums of a profile's recorded dag (include/libprof_format.h, struct lpf_dag_op),
 * without a scheduler. */
#ifndef REPORT_SIMULATION_DAG_H
#define REPORT_SIMULATION_DAG_H

#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct recorded {
    uint64_t work, span, tasks;
    size_t records, arcs;       /* arcs: dependences that are neither spawns nor joins */
};
/* P must have a dag. */
struct recorded recorded_of(const struct profile *p);

#endif
