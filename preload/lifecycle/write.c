/* write.c - see write.h.
 *
 * A process in which nothing parallel happened (anything_happened) writes no file and prints
 * nothing, unless `prof run` asked for a file. So LD_PRELOAD can be set for a whole script.
 */
#define _GNU_SOURCE
#include "lifecycle/write.h"
#include <errno.h>
#include <string.h>
#include "base/aside.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/printed.h"
#include "libprof_format.h"
#include "dag/job.h"
#include "dag/region.h"
#include "dag/run.h"
#include "lifecycle/lifecycle_private.h"
#include "lifecycle/state.h"
#include "output/snapshot.h"
#include "output/writer.h"
#include "sampling/sampler.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

static bool anything_happened(const struct snapshot *s)
{
    return s->tasks || s->spawns || s->syncs || engine_regions || job.calls;
}

/* Is this process the first of its family in which something parallel was seen? The family's table
 * of lines keeps that, under a line that is never printed. */
static bool happened_first(void)
{
    static const char line[] = "something parallel was seen";
    return printed_first(line, sizeof line - 1);
}

/* Is a runtime loaded, so that something was to be seen? Then *LIBRARY is its name, and the result
 * is why nothing may have been seen. Not in a child of fork: a thread of the parent may have held
 * the loader's lock at the fork. In the child nobody releases it. */
static const char *silence(const char **library)
{
    return lock_generation ? 0 : runtime_silence(library);
}

bool write_needs_nothing(uint32_t end)
{
    const char *library;
    return !writer_wanted() && snapshot_is_idle() && (end != LPF_END_EXIT || !silence(&library));
}

/* A runtime is loaded, but nothing parallel was seen: prints why that may be. A program may start
 * itself, or others of its kind, a hundred times. So only the first process prints the line, and
 * its descendants print nothing. Nor does a process print it whose forked child did the work. */
static void explain_silence(void)
{
    const char *library, *why = silence(&library);
    if (!why || ancestor_has(library) || !happened_first())
        return;
    message_release();
    message(MESSAGE_WARNING, "%s", why);
}

struct writing {
    bool final;
    uint32_t end, status;
    int error;                  /* the result: 0 or -errno */
};

static void write_here(void *argument)
{
    struct writing *w = argument;
    bool final = w->final;
    uint32_t end = w->end, status = w->status;
    struct snapshot s;
    writer_begin();
    if (!writer_wanted() && snapshot_is_idle()) {
        if (end == LPF_END_EXIT)
            explain_silence();
        return;
    }
    if (snapshot_take(&s, final)) {
        w->error = -ENOMEM;
        return;
    }
    bool happened = anything_happened(&s);
    if (happened)
        happened_first();
    else if (end == LPF_END_EXIT)
        explain_silence();
    if (happened || writer_wanted()) {
        message_release();
        w->error = writer_write(&s, end, status);
    }
    snapshot_free(&s);
}

/* A program may end on a stack that has no room for the writer: Rust calls abort() in a handler of
 * stack overflows, on an alternate stack of 8 KB. So the writer has its own stack. start() maps it,
 * write_lock protects it. NULL: no memory. */
#define WRITE_STACK_BYTES ((size_t)64 << 10)
static char *write_stack;

/* write_lock is held, signals are blocked. */
int write_silently(bool final, uint32_t end, uint32_t status)
{
    struct writing w = { final, end, status, 0 };
    if (write_stack)
        aside_call(write_stack + WRITE_STACK_BYTES, write_here, &w);
    else
        write_here(&w);
    return w.error;
}

void write_profile(bool final, uint32_t end, uint32_t status)
{
    writer_report(write_silently(final, end, status));
}

void write_ahead(uint32_t end)
{
    int saved = errno;
    bool needed = !write_needs_nothing(end);
    uint64_t mask = needed ? state_block_signals() : 0;
    if (needed && state_lock_writer()) {
        if (process_state == RUNNING && engine_recording)
            write_profile(true, end, 0);
        state_unlock_writer();
    } else if (needed) {
        writer_report(-EBUSY);
    }
    if (end == LPF_END_EXEC)
        sampler_before_exec(thread_self_);
    if (needed)
        state_restore_signals(mask);
    errno = saved;
}

void write_setup(void)
{
    write_stack = memory_map(WRITE_STACK_BYTES);
}
