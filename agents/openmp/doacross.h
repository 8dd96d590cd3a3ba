/* doacross.h - loops whose iterations wait for each other: ordered loops, and ordered(n) with sinks
 * and sources (OpenMP 5.2, 15.9.7 and 15.10).
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_DOACROSS_H
#define AGENTS_OPENMP_DOACROSS_H

#include "model_data.h"

enum { DOACROSS_DIMENSIONS = 32 };

/* One of the nested loops, as libomp describes it: from lower to upper, inclusive. */
struct doacross_dimension {
    int64_t lower, upper, stride;
};

/* The running implicit task begins a doacross loop of N nested loops. */
void omp_doacross_begin(unsigned n, const struct doacross_dimension *dimensions);
/* The running implicit task has left that loop. */
void omp_doacross_end(void);
/* The iteration AT, which the running strand executes, posts. */
void omp_doacross_post(const int64_t *at);
/* STRAND, paused by omp_wait_begin, has waited for iteration AT, and goes on after it. */
void omp_doacross_after(struct task *strand, const int64_t *at);

/* The running implicit task begins an ordered loop. */
void omp_ordered_begin(void);
/* The running iteration enters its ordered block. */
void omp_ordered_enter(void);
/* The running iteration is about to leave its ordered block. */
void omp_ordered_leave(void);

/* For the model: the thread's part of the loop is over. D: the record of its implicit task. */
void doacross_leave(struct thread *th, struct omp_data *d);
/* For the model: the region is over. Frees all its loops. */
void doacross_free(struct thread *th, struct omp_region *r);

#endif
