/* ompt.c - the agent of LLVM's libomp. It translates libomp's tools interface (OpenMP 5.2, chapter
 * 19; OMPT) into the constructs of model.h. Tested with libomp 14 and 19. Comments name what these
 * do differently from the specification.
 *
 * The data word that OMPT keeps with an explicit task points to the engine's task. An implicit
 * task's word stays zero, because libomp 14 copies it at the end of a region, and fails on the copy
 * in a later taskwait with dependences. The record of an implicit task is the thread's (struct
 * ompt_implicit). The frame in which the runtime calls a task's body is known only at that call. So
 * the task's entry is the address of the word in which libomp keeps the frame (TASK_ENTRY_AT).
 *
 * OMPT does not report whether a task of a one-thread team was if(0), because there all tasks are
 * undeferred. Nor does it report which parts a dynamic loop hands out. So we interpose the
 * functions that know: __kmpc_omp_task_begin_if0, __kmpc_taskloop, __kmpc_dispatch_next_* and a few
 * more. Dependences are taken from the arguments of __kmpc_omp_task_with_deps, because for OMPT
 * libomp copies them, which takes it some 700 instructions a task. It reports them to us only
 * if a task with dependences came another way, as where libomp is linked statically.
 *
 * A program that brings its own tool keeps it. If OMP_TOOL_LIBRARIES names a tool, or the program
 * has an ompt_start_tool, libprof does not register with libomp.
 */
#include "ompt.h"
#include "cancel.h"
#include "base/message.h"
#include "base/program.h"
#include "ompt_agent.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

static void cancel(ompt_data *task, int flags, const void *code)
{
    omp_cancelled();
}

/* omp_control_tool() returns this. Without a callback it would return -1: a tool that does not
 * listen. -2: there is no tool, as natively. */
static int control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
    return -2;
}

static ompt_set_callback_fn *set_callback;

void ompt_want_dependences(void)
{
    static bool wanted;
    if (!__atomic_exchange_n(&wanted, true, __ATOMIC_RELAXED))
        set_callback(OMPT_CALLBACK_DEPENDENCES, ompt_on_dependences);
}

static int initialize(ompt_lookup_fn *lookup, int device, ompt_data *tool)
{
    if (!engine_recording)
        return 0;
    ompt_set_callback_fn *set = (ompt_set_callback_fn *)lookup("ompt_set_callback");
    ompt_get_task_info = (ompt_get_task_info_fn *)lookup("ompt_get_task_info");
    if (!set || !ompt_get_task_info) {
        ompt_get_task_info = 0;
        message(MESSAGE_WARNING,
                "this OpenMP runtime's tools interface is incomplete: its constructs are not seen");
        return 0;
    }
    if (kmpc_is_inside((const void *)set))
        run_lower_bound("OpenMP (libomp linked statically)");
    runtime_register_module_of((uintptr_t)set, "openmp");
    static const struct {
        int which;
        void *callback;
    } callbacks[] = {
        { OMPT_CALLBACK_PARALLEL_BEGIN, ompt_on_parallel_begin },
        { OMPT_CALLBACK_PARALLEL_END, ompt_on_parallel_end },
        { OMPT_CALLBACK_IMPLICIT_TASK, ompt_on_implicit_task },
        { OMPT_CALLBACK_TASK_CREATE, ompt_on_task_create },
        { OMPT_CALLBACK_TASK_SCHEDULE, ompt_on_task_schedule },
        { OMPT_CALLBACK_SYNC_REGION, ompt_on_sync_region },
        { OMPT_CALLBACK_SYNC_REGION_WAIT, ompt_on_sync_region_wait },
        { OMPT_CALLBACK_CANCEL, cancel },
        { OMPT_CALLBACK_CONTROL_TOOL, control_tool },
        { OMPT_CALLBACK_MUTEX_ACQUIRE, ompt_on_mutex_acquire },
        { OMPT_CALLBACK_MUTEX_ACQUIRED, ompt_on_mutex_acquired },
        { OMPT_CALLBACK_NEST_LOCK, ompt_on_nest_lock },
    };
    for (unsigned i = 0; i < sizeof callbacks / sizeof callbacks[0]; i++)
        set(callbacks[i].which, callbacks[i].callback);
    set_callback = set;
    ompt_frame_before_data = false;     /* of this runtime that is not known yet */
    return 1;
}

static void finalize(ompt_data *tool)
{
    ompt_get_task_info = 0;
}

bool ompt_has_reports(void)
{
    return ompt_get_task_info != 0;
}

EXPORT ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime);
EXPORT ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result tool = { initialize, finalize, { 0 } };
    if (!engine_recording)
        return 0;
    if (kmpc_other_tool()) {
        message(MESSAGE_WARNING, "OMP_TOOL_LIBRARIES names a tool, which libomp takes instead of "
                                 "libprof: OpenMP is not profiled");
        run_lower_bound("OpenMP (another tool has it)");
        return 0;
    }
    /* If no other tool answers, libomp loads Archer, which reports to ThreadSanitizer what OpenMP
     * orders. Without Archer, ThreadSanitizer reports races that are none. */
    if (program_has_tsan()) {
        message(MESSAGE_WARNING, "ThreadSanitizer needs libomp's tool interface for its own tool, "
                                 "Archer: OpenMP is not profiled");
        run_lower_bound("OpenMP (another tool has it)");
        return 0;
    }
    return &tool;
}


/* If OMP_TOOL forbids tools, or another tool comes first, libomp does not call our ompt_start_tool.
 * So the warning is here. After kmpc_entry.c's constructor (110). */
__attribute__((constructor(111))) static void see_whether_asked(void)
{
    if (engine_recording && kmpc_entry_ready && kmpc_no_tools()) {
        message(MESSAGE_WARNING,
                "OMP_TOOL=disabled keeps libprof out of libomp: OpenMP is not profiled");
        run_lower_bound("OpenMP (OMP_TOOL=disabled)");
    } else if (engine_recording && kmpc_entry_ready && kmpc_tool_before()) {
        message(MESSAGE_WARNING, "the program's own ompt_start_tool keeps libprof out of libomp: "
                                 "OpenMP is not profiled");
        run_lower_bound("OpenMP (another tool has it)");
    }
}
