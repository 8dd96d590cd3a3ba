/* timeline.h - what a thread did over the run: counts of its samples, by kind, in bins of time.
 *
 * A timeline has TIMELINE_BINS bins. The first begins with the run. When time passes the last one,
 * the counts of each pair of neighbours are added up, and a bin is twice as wide from then on. So a
 * timeline needs the same memory however long the run is, and has at least half of its bins in use.
 *
 * A thread has two: its own handler writes `on_cpu`, and the sampling thread writes `off_cpu`. So
 * each has one writer, which takes no lock. The writer maps it for the first sample, 8 KB and 4 KB,
 * so a thread without samples costs nothing. Like all state of a thread, a later thread takes it
 * over. The first TIMELINE_ROWS threads that are sampled have timelines. The samples of others are
 * counted, and that is all.
 *
 * [any] all functions but timeline_setup.
 */
#ifndef PRELOAD_SAMPLING_TIMELINE_H
#define PRELOAD_SAMPLING_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#define TIMELINE_BINS 510u              /* with the head, a timeline fills two pages, or one */
#define TIMELINE_ROWS 256u
#define TIMELINE_BIN_NS 10000000u       /* of a bin at first */

/* Of on_cpu: samples of sampler.c. The innermost frame decides between the first three. */
enum timeline_on_kind {
    TIMELINE_WORK,              /* in a strand */
    TIMELINE_OVERHEAD,          /* in a strand, in a runtime's code */
    TIMELINE_OWN,               /* in a strand, in libprof's code */
    TIMELINE_BETWEEN,           /* in no strand: searching, or in the runtime's dispatcher */
    TIMELINE_ON_KINDS
};
/* Of off_cpu: ticks of OFF_CPU_NS (off_cpu.h). */
enum timeline_off_kind {
    TIMELINE_BLOCKED,           /* in a strand */
    TIMELINE_ASLEEP,            /* in no strand */
    TIMELINE_OFF_KINDS
};
/* In sums of both, off_cpu's kinds follow those of on_cpu. */
#define TIMELINE_KINDS ((unsigned)TIMELINE_ON_KINDS + (unsigned)TIMELINE_OFF_KINDS)

/* All-zero but for `kinds`: empty. */
struct timeline {
    /* Odd: the writer is adding up pairs. A reader compares it before and after. */
    uint32_t version;
    uint32_t shift;             /* a bin is timeline_width << shift ticks wide */
    uint32_t kinds, reserved;
    /* KINDS for each bin. Wraps after 2^32 samples in one bin, which takes half a year */
    uint32_t count[TIMELINE_BINS * TIMELINE_ON_KINDS];
};

/* May a thread have timelines? */
enum timeline_right { TIMELINE_UNASKED, TIMELINE_HAS_ROW, TIMELINE_NO_ROW };

struct timelines {
    struct timeline *on_cpu, *off_cpu;  /* NULL: no sample yet, no memory, or no row */
    uint32_t row;               /* enum timeline_right */
    /* written by the sampling thread: the thread's name, "" if it is not known; whose it is; how
     * often the sampling thread visited that thread, and at which visit it reads the name next */
    char name[16];
    uint32_t tid, visits, name_at;
    uint64_t cpu, seen;         /* ns of CPU time at the last visit; when that was, in ns */
    uint64_t asleep;            /* ns off the CPU that no tick stands for yet */
};

extern uint64_t timeline_width; /* ticks of a bin at first; written by timeline_setup */

/* [init] A sample on the CPU stands for PERIOD_NS; 0: samples are no time, so there are no
 * timelines. The clock is calibrated. */
void timeline_setup(uint64_t period_ns);
bool timeline_is_on(void);
/* The kind of a sample in a strand whose innermost frame is at PC. */
enum timeline_on_kind timeline_kind_of(uintptr_t pc);
/* Notes a sample of KIND on the CPU, now, that stands for WEIGHT periods. In the handler. */
void timeline_sample(struct timelines *l, enum timeline_on_kind kind, uint64_t weight);
/* Adds N of KIND, one of T's kinds, at AT, in ticks since the run began. Only the writer of T calls
 * this. */
void timeline_add(struct timeline *t, unsigned kind, uint64_t at, uint32_t n);
/* The same to L's timeline on or OFF the CPU, spread over the TICKS before AT. The timeline is made
 * if it is NULL; without memory, nothing is added. */
void timeline_spread(struct timelines *l, bool off, unsigned kind, uint64_t at, uint64_t ticks,
                     uint64_t n);
/* The samples of threads that have no timelines. */
uint64_t timeline_unplaced(void);
/* In the child of fork: forgets all samples. L: of the only thread; NULL: it has no timelines. */
void timeline_forked(struct timelines *l);
/* The least shift for which a run of so many ticks fits. */
uint32_t timeline_shift(uint64_t ticks);
/* Adds T's counts (T may be NULL) to SUM, whose bins are timeline_width << SHIFT ticks wide, to the
 * columns from KIND on. T's writer may write meanwhile. */
void timeline_sum(const struct timeline *t, uint32_t shift, unsigned kind,
                  uint64_t (*sum)[TIMELINE_KINDS]);

#endif
