/* ompt_abi.h - the part of OMPT's binary interface that ompt_*.c use. With it, libprof builds
 * without OMPT's own header. See OpenMP 5.2, chapter 19. The values are in appendix B of 5.1.
 */
#ifndef AGENTS_OPENMP_OMPT_ABI_H
#define AGENTS_OPENMP_OMPT_ABI_H

#include <stdint.h>

typedef union ompt_data {
    uint64_t value;
    void *ptr;
} ompt_data;

typedef struct ompt_frame {
    void *exit_frame; /* the runtime's frame that called the task's code; NULL: it does not run */
    void *enter_frame; /* the runtime's frame that the task called; NULL: the task's code runs */
    int exit_frame_flags, enter_frame_flags;
} ompt_frame;

typedef struct ompt_dependence {
    ompt_data variable;
    int type;
} ompt_dependence;
enum {
    OMPT_DEPEND_IN = 1,
    OMPT_DEPEND_OUT = 2,
    OMPT_DEPEND_INOUT = 3,
    OMPT_DEPEND_MUTEXINOUTSET = 4,
    OMPT_DEPEND_SOURCE = 5,
    OMPT_DEPEND_SINK = 6,
    OMPT_DEPEND_INOUTSET = 7,
    OMPT_DEPEND_ALL_MEMORY = 34 /* and above */
};

typedef enum { OMPT_BEGIN = 1, OMPT_END = 2 } ompt_endpoint;
typedef enum {
    OMPT_TASK_COMPLETE = 1,
    OMPT_TASK_YIELD,
    OMPT_TASK_CANCEL,
    OMPT_TASK_DETACH,
    OMPT_TASK_EARLY_FULFILL,
    OMPT_TASK_LATE_FULFILL,
    OMPT_TASK_SWITCH,
    OMPT_TASKWAIT_COMPLETE
} ompt_task_status;
typedef enum {
    OMPT_SYNC_BARRIER = 1,
    OMPT_SYNC_BARRIER_IMPLICIT,
    OMPT_SYNC_BARRIER_EXPLICIT,
    OMPT_SYNC_BARRIER_IMPLEMENTATION,
    OMPT_SYNC_TASKWAIT,
    OMPT_SYNC_TASKGROUP,
    OMPT_SYNC_REDUCTION,
    OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE,
    OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL,
    OMPT_SYNC_BARRIER_TEAMS
} ompt_sync_region;
enum {
    OMPT_TASK_INITIAL = 1,
    OMPT_TASK_IMPLICIT = 2,
    OMPT_TASK_EXPLICIT = 4,
    OMPT_TASK_TARGET = 8,
    OMPT_TASK_TASKWAIT = 0x10,
    OMPT_TASK_UNDEFERRED = 0x8000000,
    OMPT_TASK_UNTIED = 0x10000000,
    OMPT_TASK_FINAL = 0x20000000,
    OMPT_TASK_MERGEABLE = 0x40000000
};
enum { OMPT_PARALLEL_LEAGUE = 0x40000000 };
enum {
    OMPT_MUTEX_LOCK = 1,
    OMPT_MUTEX_NEST_LOCK = 3,
    OMPT_MUTEX_CRITICAL = 5,
    OMPT_MUTEX_ATOMIC = 6,
    OMPT_MUTEX_ORDERED = 7
};

enum {
    OMPT_CALLBACK_PARALLEL_BEGIN = 3,
    OMPT_CALLBACK_PARALLEL_END = 4,
    OMPT_CALLBACK_TASK_CREATE = 5,
    OMPT_CALLBACK_TASK_SCHEDULE = 6,
    OMPT_CALLBACK_IMPLICIT_TASK = 7,
    OMPT_CALLBACK_CONTROL_TOOL = 11,
    OMPT_CALLBACK_SYNC_REGION_WAIT = 16,
    OMPT_CALLBACK_DEPENDENCES = 18,
    OMPT_CALLBACK_SYNC_REGION = 23,
    OMPT_CALLBACK_MUTEX_ACQUIRE = 26,
    OMPT_CALLBACK_MUTEX_ACQUIRED = 27,
    OMPT_CALLBACK_NEST_LOCK = 28,
    OMPT_CALLBACK_CANCEL = 30
};

typedef void (*ompt_lookup_fn(const char *name))(void);
typedef int ompt_set_callback_fn(int which, void *callback);
typedef int ompt_get_task_info_fn(int level, int *flags, ompt_data **task, ompt_frame **frame,
                                  ompt_data **parallel, int *thread);

typedef struct ompt_start_tool_result {
    int (*initialize)(ompt_lookup_fn *lookup, int device, ompt_data *tool);
    void (*finalize)(ompt_data *tool);
    ompt_data tool;
} ompt_start_tool_result;

#endif
