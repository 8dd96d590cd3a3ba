/* runtime.h - which code belongs to a task runtime.
 *
 * Agents register their runtime's text; the thread agent asks whether a thread was created by a
 * runtime (a worker: its loop is not work), the site finder where the dispatcher's frames begin.
 * Neither knows a runtime by name.
 */
#ifndef PRELOAD_RUNTIME_H
#define PRELOAD_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

/* [hook] Text LO..HI (exclusive) is runtime NAME's (static string). At most 16; more are ignored. */
void runtime_module_register(uintptr_t lo, uintptr_t hi, const char *name);
/* [any] Does ADDRESS lie in a registered runtime? Lock-free. */
bool runtime_owns(uintptr_t address);

#endif
