/* timed_samples.h - samples with their times: which node of the calling context tree was hit when.
 * So a reader of a profile can see what ran in a part of the run.
 *
 * There are two tables: of samples on the CPU, and of those off it. With one table, a hundred
 * blocked threads would leave no room for the one that computes. The first TIMED_MOST samples of a
 * kind are all kept. From then on those that are kept are a random subset of all samples so far, in
 * which each is as likely as any other (Algorithm R: Vitter, ACM TOMS 11, 1985).
 *
 * All threads' handlers and the sampling thread write. A sample is one word, so none of them takes
 * a lock. If two write to one slot, one of the two samples is kept, which are both random.
 *
 * A table is mapped at the first sample of its kind: 256 KB, of which the kernel makes each page
 * when it is first written. Without memory, no samples are kept.
 */
#ifndef PRELOAD_SAMPLING_TIMED_SAMPLES_H
#define PRELOAD_SAMPLING_TIMED_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#define TIMED_MOST 32768u       /* samples of a kind that are kept */

struct timed_sample {
    uint32_t node;
    uint32_t at;                /* the middle of what it stands for, in units of TIMELINE_BIN_NS
                                 * since the run began; stops at its largest value after a month */
    uint32_t weight;            /* 1 to 64512; those above 63 are rounded down, to a 32nd */
};

/* [any] Notes a sample at NODE; OFF: off the CPU. It stands for WEIGHT periods or ticks: for the
 * TICKS before AT, both in ticks of the clock, AT since the run began. timeline_is_on(). */
void timed_note(uint32_t node, bool off, uint64_t at, uint64_t ticks, uint64_t weight);
/* [any] The number of samples so far, kept or not. */
uint64_t timed_seen(bool off);
/* [any] The sample in SLOT, below TIMED_MOST. False: there is none. Others may write meanwhile. */
bool timed_read(bool off, uint32_t slot, struct timed_sample *to);
/* [hook] In the child of fork: forgets all samples. */
void timed_forget(void);

#endif
