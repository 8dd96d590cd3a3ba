/* critical_path.h - what an agent reports of the paths that a scope keeps. [hook]
 *
 * rules.h has what the engine's files call of critical_path.c.
 */
#ifndef PRELOAD_ENGINE_CRITICAL_PATH_H
#define PRELOAD_ENGINE_CRITICAL_PATH_H

#include "dag/scope.h"
#include "dag/thread.h"

/* Call it before engine_join if other strands spawn into SCOPE. Their tasks may be older than
 * SCOPE. So SCOPE gets the prefixes of the owner's path from the owner's other scopes. */
void engine_scope_borrow(struct thread *th, struct scope *scope);

#endif
