/* expand_private.h - what dag.c, expand.c and simulate.c share. */
#ifndef REPORT_SIMULATION_EXPAND_PRIVATE_H
#define REPORT_SIMULATION_EXPAND_PRIVATE_H

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

/* A scope with unjoined tasks, on a walk along a task's list. Few are open at a time. */
struct open {
    uint32_t scope, slot;       /* slot: the number that the expanded dag gives it */
    uint64_t end;               /* the latest end of its tasks so far */
};
struct opens {
    struct open *o;
    size_t count, room;
};

enum kind { SPAWN, JOIN, WAIT, END };

struct op {
    uint64_t before;            /* the task's own cost since its operation before */
    uint64_t not_before;        /* the time before which the operation is not over; 0: none */
    /* ARG of a SPAWN: the task; of a JOIN: the slot; of a WAIT: its gate, or NONE */
    uint32_t kind, arg;
};

/* A WAIT that arcs begin or end at. */
struct gate {
    /* the number of arcs that end here; those that begin here: expanded.outs[first_out], ... */
    uint32_t in, first_out, outs;
    /* of a simulation: */
    uint32_t missing;           /* arcs that end here and whose begin no task has passed yet */
    uint32_t waiter;            /* the task that waits here, or NONE */
};

/* A task. Its operations are ops[first] up to the next END. */
struct task {
    uint32_t first, parent, slot;       /* slot: of the join that waits for it, or NONE */
    /* no strand spawns it: it starts with the program, and waits where it must */
    bool ready;
};

struct expanded {
    struct op *ops;
    struct task *tasks;
    size_t op_count, op_room, task_count, task_room;
    uint32_t slot_count;
    struct gate *gates;
    uint32_t *outs;             /* the gates that arcs lead to, sorted by the arcs' begin */
    /* by entry of the dag, while it is made: */
    uint32_t *gate_of;          /* its gate, or NONE */
    bool *readies;              /* is it a task that no strand spawns? NULL: there are none */
    uint32_t gate_count;
    bool exact;                 /* the dag has all dependences, so not_before adds nothing */
    uint64_t work;              /* with the overhead */
    bool coarse;                /* merged tasks may make the span too long */
    double overhead;            /* the runtime's cost for each task */
    uint64_t piece;             /* small tasks are merged up to this work; 0: none are */
    /* of a simulation: */
    uint32_t *at;               /* by task: its next operation */
    uint32_t *pending;          /* by task: 1 for its body, and the unfinished tasks below it */
    uint32_t *open;             /* by slot: unfinished tasks */
    uint32_t *waiter;           /* by slot: the task whose join waits for it, or NONE */
};

/* dag.c: the open scopes of a walk. */
struct open *open_find(struct opens *all, uint32_t scope);      /* NULL: SCOPE is not open */
struct open *open_make(struct opens *all, uint32_t scope);      /* opens SCOPE if it is not */
void open_close(struct opens *all, struct open *o);
/* By entry of the dag: is it a task that no strand spawns? NULL: there are none. The caller frees
 * it. */
bool *dag_ready(const struct profile *p);

#endif
