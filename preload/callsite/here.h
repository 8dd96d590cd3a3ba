/* here.h - the frames between a task's entry and the program's call of a hook.
 *
 * unwind/path.h finds them in a few ns. A new path takes longer. That time is profiler overhead, so
 * the running strand is not charged for it.
 */
#ifndef PRELOAD_CALLSITE_HERE_H
#define PRELOAD_CALLSITE_HERE_H

#include "base/inline.h"
#include "dag/task.h"
#include "unwind/path.h"

/* [hook] The frames of P, up to LIMIT, the address of the task's entry on the stack. NULL: no
 * memory. The parts of P by value: else each hook would write its point to its stack. */
const struct segment *path_slow(uintptr_t from, uintptr_t cfa, uintptr_t fp, uintptr_t limit)
    __attribute__((noinline));
static ALWAYS_INLINE const struct segment *path_here(const struct path_point *p, uintptr_t limit)
{
    const struct segment *s = path_known(p, limit);
    return __builtin_expect(s != 0, 1) ? s : path_slow(p->from, p->cfa, p->fp, limit);
}

/* [hook] TASK, paused, continues on another stack for a while. POINT, on the task's own stack, is
 * where it entered that stack. *SAVED keeps what here_moved_back needs. ENTRY as in struct
 * task. */
struct task_place {
    uintptr_t entry;
    const struct logical_path *base;
    uint32_t moved;
};
void here_move(struct task *task, const struct path_point *point, uintptr_t entry,
               struct task_place *saved);
void here_moved_back(struct task *task, const struct task_place *saved);

#endif
