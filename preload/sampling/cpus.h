/* cpus.h - who had the processors: what other programs and a quota took of them while this one ran,
 * on which CPUs samples hit its threads, and which CPUs its threads may use.
 *
 * The interval begins when the sampling thread starts, with the first event, and ends when a
 * profile is written. Nothing of this is done in hooks. Each sample on the CPU adds its weight to
 * the entry of its CPU. From time to time, the sampling thread asks the kernel which CPUs a thread
 * may use.
 */
#ifndef PRELOAD_SAMPLING_CPUS_H
#define PRELOAD_SAMPLING_CPUS_H

#include <stdbool.h>
#include <stdint.h>
#include "libprof_format.h"

struct thread;

/* What the sampling thread knows of a thread. All-zero: nothing. As all state of a thread, a later
 * thread takes it over. */
struct cpus_thread {
    uint32_t tid;               /* whose it is; 0: nobody's */
    uint32_t visits;            /* of that thread by the sampling thread */
    bool known;                 /* `may` is */
    bool created;               /* it has created or joined threads */
    /* sampler_weight: at the last visit; when the thread began, or first created one */
    uint64_t weight, base;
    uint64_t may[LPF_CPUS_MOST / 64];   /* the fewest CPUs that it might use, as bits */
};

/* [writer] The interval begins. On the sampling thread, once a process. */
void cpus_start(void);
/* [any] In the handler: a sample of WEIGHT hit this thread, IN_STRAND or outside. */
void cpus_note(bool in_strand, uint64_t weight);
/* [writer] On the sampling thread: visits TH, which lives. */
void cpus_visit(const struct thread *th);
/* [writer] On the sampling thread: TH, which is visited, was ready and had no CPU. */
void cpus_waited(const struct thread *th);
/* [writer] Adds up the interval until now. CPU: LPF_CPUS_MOST entries, zeroed. Fills in the first
 * ones, and returns how many: those beyond have nothing. */
uint32_t cpus_sum(struct lpf_machine *m, struct lpf_cpu *cpu);
/* [hook] In the child of fork: nothing was measured. C: of the only thread; NULL: it has none. */
void cpus_forked(struct cpus_thread *c);

#endif
