/* cpus.h - which CPUs a trial gets. */
#ifndef REPORT_BENCH_CPUS_H
#define REPORT_BENCH_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* Sets OUT to P of the CPUs that prof may use: first one CPU of each core, then their siblings.
 * False: there are not more than P. */
bool cpus_choose(unsigned p, cpu_set_t *out);
/* Sets OUT to the N-th CPU, from 0, that prof may use. False: there is none. */
bool cpus_nth(unsigned n, cpu_set_t *out);

#endif
