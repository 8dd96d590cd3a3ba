/* schedule_private.h - schedules from the inside: dag.c, schedule.c, simulate.c. */
#ifndef REPORT_ANALYSIS_SCHEDULE_PRIVATE_H
#define REPORT_ANALYSIS_SCHEDULE_PRIVATE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

#define NONE UINT32_MAX

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What is open in a list: the scopes that something was spawned into. Few at a time. */
struct open {
    uint32_t scope, slot;
    uint64_t end;
};
struct opens {
    struct open *o;
    size_t count, room;
};

enum kind { SPAWN, JOIN, WAIT, END };

struct op {
    uint64_t before;
    uint64_t not_before;
    /* SPAWN: the task; JOIN: the slot; WAIT: where arcs begin and end, or NONE */
    uint32_t kind, arg;
};

/* A WAIT that arcs begin or end at. */
struct gate {
    uint32_t in, first_out, outs;       /* arcs to it; those from it are outs[first_out ..] */
    uint32_t missing;           /* of a simulation: arcs to it whose begin nobody has passed yet */
    uint32_t waiter;            /* the task that has come to it too early; NONE */
};

/* A task's operations are first .. the next END. */
struct task {
    uint32_t first, parent, slot;       /* what counts it for its join; NONE: no join does */
    /* no strand spawns it: it starts with the program, where its waits keep it */
    bool ready;
};

struct schedule {
    struct op *ops;
    struct task *tasks;
    size_t op_count, op_room, task_count, task_room;
    uint32_t slot_count;
    struct gate *gates;
    uint32_t *outs;             /* gates that arcs lead to */
    uint32_t *gate_of;          /* by entry of the dag, while the schedule is made; NONE */
    bool *readies;              /* the same: tasks that no strand spawns */
    uint32_t gate_count;
    bool exact;                 /* the dag has all dependences: its times are the same said twice */
    uint64_t work;
    bool coarse;
    double overhead;
    uint64_t piece;             /* small tasks are taken together up to this; 0: none are */
    /* of a simulation */
    uint32_t *at;               /* by task: its next operation */
    /* by task: 1 for its body, and what it spawned that has not ended */
    uint32_t *pending;
    uint32_t *open;             /* by slot: tasks that have not ended */
    uint32_t *waiter;           /* by slot: the task that waits for it */
};

/* dag.c: scopes that something was spawned into. */
struct open *open_find(struct opens *all, uint32_t scope);
struct open *open_make(struct opens *all, uint32_t scope);
void open_close(struct opens *all, struct open *o);
/* By entry: tasks that no strand spawns; NULL: there are none. */
bool *dag_ready(const struct profile *p);

#endif
