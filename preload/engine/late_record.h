/* late_record.h - waits for the record of a task's end, which may be a moment late. [hook] all. */
#ifndef PRELOAD_ENGINE_LATE_RECORD_H
#define PRELOAD_ENGINE_LATE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "dag/scope.h"
#include "dag/thread.h"

/* A waiter for a record that is a moment late. All-zero at first. Call turn, then look for the
 * record. Repeat this until turn returns false or the record is there. Then call end. The caller
 * keeps errno. */
struct late {
    uint64_t since;
    uint32_t spins, yields, naps;
};
bool late_turn(struct late *l);
void late_end(struct thread *th, const struct late *l, bool came);

/* The engine's own: waits for a bounded time until OVER(S). Returns whether it is. */
bool scope_settle(struct thread *th, struct scope *s, bool (*over)(const struct scope *));

#endif
