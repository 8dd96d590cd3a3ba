/* libprof_agent.h - how the agent of a task runtime reports to libprof what the runtime does.
 *
 * An agent is a preloaded object (or the runtime itself) that sees a runtime's spawns, syncs and
 * task bodies and translates them into the calls below. It holds no metric and needs nothing but
 * this header:
 *
 *     LD_PRELOAD="libprof.so libmyagent.so" ./app
 *
 *     static const struct libprof_runtime mine = { .size = sizeof mine, .name = "mine" };
 *     const struct libprof_agent *p = libprof_agent(&mine);        once; NULL: libprof is not
 *         preloaded
 *
 *     spawn(...)       struct libprof_point from = LIBPROF_POINT();      in the wrapper that the
 *                      program calls task = p->spawn(&mine, &from, NULL, "task", 0);   travels with
 *                          the runtime's task
 *     a body runs      p->begin(task, __builtin_frame_address(0)); body(); p->end();
 *     sync(...)        strand = p->pause(); real_sync(...); p->resume(strand); p->join(NULL);
 *
 * examples/tiny is a complete one, of a runtime whose sync waits for all that the task has spawned.
 * One that waits for less (the two halves of a fork, one future) needs a scope for each wait:
 * scope_new where it starts, that scope in spawn and join, scope_free. end() comes before the
 * runtime lets the waiter go; one that comes later is waited for, 0.1 s at most, and the profile
 * says "late-join".
 *
 * Model. A strand is what one task executes between two of these calls. Its cost goes to the task;
 * spawn copies the longest path of the spawner into the child; join takes the maximum (Cilkview,
 * SPAA 2010, section 3). Between pause and resume the thread has no strand: what it does there is
 * the runtime's work or idleness. A thread that the runtime creates from the text that `text`
 * points into is a worker (also by std::thread): outside tasks it has no strand.
 *
 * Logical call paths (Tallent & Mellor-Crummey, PPoPP 2009, section 3). Frames whose code is the
 * runtime's (the modules of `text` and `agent`; functions with one of `prefixes`; what `owns` says)
 * are its p-notes without l-note (1<->0). The frame passed to begin() ends a task's own frames: it
 * and all beyond it stand for the chain of spawners (1<->M). All others are the program's (1<->1).
 *
 * Thread safety: all functions, from any thread. Signal safety: none. errno is preserved. They may
 * be called while libprof does not record: then they do nothing and give NULL, which all of them
 * take. Memory: objects are libprof's; a task lives from spawn to end (or discard), a scope to
 * scope_free.
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
    const void *text;               /* any code of the runtime's library; NULL: it has none of its
                                       own */
    const void *agent;              /* any code of the agent's own library; NULL: it is none of its
                                       own */
    const char *const *prefixes;    /* of (mangled) function names that are the runtime's header
                                       code in programs; NULL-terminated, or NULL */
    int (*owns)(uintptr_t pc);      /* is the code at PC the runtime's, wherever it lies? Called in
                                       signal handlers. NULL: the two above say it all */
};

/* Where the program called a wrapper. LIBPROF_POINT() must stand in the wrapper itself. */
struct libprof_point {
    uintptr_t from, cfa, frame;     /* return address; stack above it; the caller's frame
                                       register */
};
#define LIBPROF_POINT()                                                                            \
    (__extension__({ const uintptr_t *frame_ = (const uintptr_t *)__builtin_frame_address(0);      \
       struct libprof_point point_ = { frame_[1], (uintptr_t)(frame_ + 2), frame_[0] }; point_; }))

enum libprof_spawn_flag {
    LIBPROF_CALL = 1,       /* the spawner waits for it at once: no thief can take it, no burden */
    LIBPROF_DETACHED = 2,   /* nobody waits for it: it ends with the program */
    LIBPROF_LOWER_BOUND = 4 /* some of its dependences are not reported: the report names it */
};

struct libprof_agent {
    size_t size;                    /* of the interface: what lies beyond it is not there */

    /* The running strand spawns a task, joined in SCOPE, or (NULL) in its own scope: with
     * join(NULL), at the latest when the spawning task ends. FROM: NULL when no frame of the
     * program called for it. CONSTRUCT: static string, for people. NULL: the task goes unseen. */
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

    /* The running strand waits in the runtime; it goes on, maybe on another thread. */
    struct libprof_task *(*pause)(void);
    void (*resume)(struct libprof_task *strand);
    /* Tasks of the running strand's SCOPE (NULL: its own) have ended: its path becomes the longest
     * of theirs and its own. Call it right after resume. */
    void (*join)(struct libprof_scope *scope);
    struct libprof_scope *(*scope_new)(void);
    void (*scope_free)(struct libprof_scope *scope);    /* joined and empty */

    /* A dependence that is no join: the running strand puts its path so far; a strand that gets it
     * later starts after everything that was put. */
    struct libprof_edge *(*edge_new)(void);
    void (*edge_put)(struct libprof_edge *edge);
    void (*edge_get)(struct libprof_edge *edge);
    void (*edge_free)(struct libprof_edge *edge);

    /* A word of the running task's for the agent, zero when the task begins; NULL: no strand
     * runs. */
    void **(*word)(void);
    /* The runtime has P worker slots; the largest number counts. */
    void (*workers)(unsigned p);
};

/* Registers RUNTIME and gives the interface, at any time, also from a constructor; NULL: libprof.so
 * is not preloaded. */
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
