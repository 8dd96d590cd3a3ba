/* interpret.h - runs a random program of dag.h on the engine, under one of several schedules: on
 * one thread that simulates several (it controls the interleaving exactly), or on real threads.
 */
#ifndef TESTS_UNIT_INTERPRET_H
#define TESTS_UNIT_INTERPRET_H

#include <pthread.h>
#include "by_hand.h"
#include "dag.h"

enum { MAX_THREADS = 8 };


enum order { NEWEST, OLDEST, RANDOM };
struct schedule {
    const char *name;
    enum order order;           /* which runnable task a free thread takes */
    uint32_t threads;
    bool real;                  /* pthreads, or simulated on one */
    bool child_first;           /* a spawn switches to the child */
    uint32_t preempt;           /* an operation in so many is followed by a switch; 0 never */
    bool migrate;               /* a switched-out task may go on on another thread */
    bool early;                 /* joiners learn of an end before the engine does (real only) */
};

/* Those that simulate their threads come first, the serial ones before the others. */
enum { SCHEDULES = 9, SIMULATED_LAST = 5 };
extern const struct schedule schedules[SCHEDULES];

struct running {
    uint32_t id, pc;
    struct task *task;
    struct context *ctx;
    struct scope *scope[SCOPE_KINDS];
    uint32_t pending[SCOPE_KINDS];  /* tasks not complete yet */
    bool ended, fresh;
    uint32_t home;
};

struct run {
    const struct program *p;
    const struct schedule *how;
    uint64_t random;
    pthread_mutex_t lock;       /* of everything here but what one thread runs */
    struct running *r;          /* by task */
    uint32_t *ready, ready_count; /* tasks not running, runnable or not */
    uint32_t puts_left[DAG_EDGES];
    uint32_t live;              /* tasks not ended, the root included */
    struct edge edge[DAG_EDGES];
    struct thread *th[MAX_THREADS];
};

/* Runs P on the engine, which must be set up. The root strand is the main thread's, and goes on
 * after that. */
void interpret(struct run *run, const struct program *p, const struct schedule *how);

#endif
