/* libprof_agent.h - how the agent of a task runtime reports the runtime's events to libprof.
 *
 * An agent is a preloaded object, or the runtime itself. It sees a runtime's spawns, waits and task
 * bodies, and translates them into the calls below. It holds no metric and needs only this header:
 *
 *     LD_PRELOAD="libprof.so libmyagent.so" ./app
 *
 *     static const struct libprof_runtime mine = { .size = sizeof mine, .name = "mine" };
 *     const struct libprof_agent *p = libprof_agent(&mine);
 *                      once; NULL: do nothing (libprof_agent states when)
 *
 *     spawn(...)       struct libprof_point from = LIBPROF_POINT();
 *                      task = p->spawn(&mine, &from, NULL, "task", 0);
 *                      in your hook, which the program calls instead of the runtime; `task` goes
 *                      with the runtime's task
 *     a body runs      p->begin(task, __builtin_frame_address(0)); body(); p->end();
 *     wait(...)        task = p->pause(); real_wait(...); p->resume(task); p->join(NULL);
 *
 * examples/tiny is a complete agent, for a runtime whose wait is for all that the task has
 * spawned. If a wait is for less (two tasks that were spawned together, one future), it needs a
 * scope: call scope_new where the scope starts, pass it to spawn and join, then call scope_free.
 * Call end() before the runtime wakes the thread that waits. If end() comes later, join waits for
 * it, but not longer than 0.1 s. Then the profile notes "late-join".
 *
 * Model. A strand is what one task executes between two of these calls. Its cost goes to the task.
 * spawn copies the longest path of the spawner into the child. join takes the maximum (Cilkview,
 * SPAA 2010, section 3). Between pause and resume the thread has no strand: its time is the
 * runtime's overhead, or idleness. A thread is a worker if code of the module that `text` points
 * into creates it, by pthread_create or std::thread. Outside of tasks a worker has no strand.
 *
 * Logical call paths (Tallent & Mellor-Crummey, PPoPP 2009, section 3). Three kinds of code are the
 * runtime's: the modules of `text` and `agent`, functions with one of `prefixes`, and what `owns`
 * accepts. Their frames have no counterpart in the logical path (M<->0 in the paper). The frame
 * passed to begin() ends a task's own frames: this frame and all beyond it stand for the chain of
 * spawners (1<->M). All other frames are the program's (1<->1).
 *
 * Thread safety: all functions may be called from any thread. Signal safety: none may be called in
 * a signal handler. errno is preserved. While libprof does not record, each function does nothing;
 * those with a result return NULL. A task, scope or edge may be NULL in every call. Memory: all
 * objects belong to libprof. A task lives from spawn to end (or discard), a scope until scope_free.
 */
#ifndef LIBPROF_AGENT_H
#define LIBPROF_AGENT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct libprof_task;
struct libprof_scope;
struct libprof_edge;

/* Describes a runtime; static storage. Later versions append fields; zero means "not given". */
struct libprof_runtime {
    size_t size;                    /* sizeof(struct libprof_runtime) */
    const char *name;               /* as reports show it */
    const void *text;               /* any code of the runtime's library; NULL: the runtime has no
                                       library */
    const void *agent;              /* any code of the agent's library; NULL: the agent has no
                                       library of its own */
    const char *const *prefixes;    /* of (mangled) names of functions in programs that are the
                                       runtime's header code; NULL-terminated, or NULL */
    int (*owns)(uintptr_t pc);      /* is the code at PC the runtime's? Called in signal handlers.
                                       NULL: `text` and `agent` cover all of it */
};

/* Where the program called a hook. Use LIBPROF_POINT() in the hook itself. */
struct libprof_point {
    uintptr_t from, cfa, frame;     /* return address; stack above it; the caller's frame
                                       register */
};
#if defined __x86_64__
#define LIBPROF_POINT()                                                                            \
    (__extension__({ const uintptr_t *frame_ = (const uintptr_t *)__builtin_frame_address(0);      \
       struct libprof_point point_ = { frame_[1], (uintptr_t)(frame_ + 2), frame_[0] }; point_; }))
#else
#define LIBPROF_POINT()                                                                            \
    (__extension__({ const uintptr_t *frame_ = (const uintptr_t *)__builtin_frame_address(0);      \
       struct libprof_point point_ = { (uintptr_t)__builtin_return_address(0),                     \
           (uintptr_t)__builtin_dwarf_cfa(), frame_[0] }; point_; }))
#endif

enum libprof_spawn_flag {
    LIBPROF_CALL = 1,       /* the spawner waits for the task at once: no thief, no burden */
    LIBPROF_DETACHED = 2,   /* nobody waits for the task: the program's end counts as its join */
    LIBPROF_LOWER_BOUND = 4 /* the agent does not report all of its dependences: the span is a
                               lower bound, and the report names the construct */
};

struct libprof_agent {
    size_t size;                    /* of the interface: members beyond this size do not exist */

    /* The running strand spawns a task into SCOPE. NULL: into the spawning task's own scope.
     * join(NULL) joins that scope. If the task never calls join(NULL), the task's end joins the
     * scope. FROM: NULL if no frame of the program asked for the task. CONSTRUCT: a static string,
     * for people. Returns NULL if the task is not recorded. */
    struct libprof_task *(*spawn)(const struct libprof_runtime *runtime,
                                  const struct libprof_point *from,
                                  struct libprof_scope *scope, const char *construct,
                                      unsigned flags);
    /* The body of TASK starts and ends on the calling thread, which has no strand (pause). FRAME:
     * an address in the frame of the function that calls the body. */
    void (*begin)(struct libprof_task *task, const void *frame);
    void (*end)(void);
    /* TASK will never run. */
    void (*discard)(struct libprof_task *task);

    /* The running task waits in the runtime. It goes on with resume, perhaps on another thread. */
    struct libprof_task *(*pause)(void);
    void (*resume)(struct libprof_task *task);
    /* The tasks of the running strand's SCOPE (NULL: its own) have ended. The strand's path becomes
     * the longest of their paths and its own. Call this right after resume. */
    void (*join)(struct libprof_scope *scope);
    struct libprof_scope *(*scope_new)(void);
    void (*scope_free)(struct libprof_scope *scope);    /* SCOPE is joined and empty */

    /* A dependence without a join. The running strand puts its path so far. A strand that gets the
     * edge later goes on after all paths that were put. */
    struct libprof_edge *(*edge_new)(void);
    void (*edge_put)(struct libprof_edge *edge);
    void (*edge_get)(struct libprof_edge *edge);
    void (*edge_free)(struct libprof_edge *edge);

    /* A word that the running task has for the agent, zero when the task begins. NULL: no strand
     * runs. */
    void **(*word)(void);
    /* The runtime has P worker slots. The largest number counts. */
    void (*workers)(unsigned p);
};

/* Registers RUNTIME and returns the interface. NULL: libprof.so is not preloaded, RUNTIME has no
 * name, its size is not that of such a structure, or 16 other runtimes are registered. May be
 * called at any time, also from a constructor. */
static inline const struct libprof_agent *libprof_agent(const struct libprof_runtime *runtime)
{
    typedef const struct libprof_agent *attach(const struct libprof_runtime *);
    void *p = dlsym((void *)0 /* RTLD_DEFAULT */, "libprof_agent_impl");
    return p ? ((attach *)p)(runtime) : (const struct libprof_agent *)0;
}

#ifdef __cplusplus
}
#endif

#endif /* LIBPROF_AGENT_H */
