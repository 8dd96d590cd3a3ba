/* call.h - what the code before an address says: whether a call may return there, and of which function.
 *
 * A word of a stack is a return address only if it points into code, behind a call. Where a walk has to guess (blocked.c), or has come to
 * the end of what rows know (walk.c), that tells a caller from what others left on the stack.
 *
 * [any] all functions: no locks, no allocation, errno untouched. The code is read: as in cfi.h, nobody may be unloading it.
 */
#ifndef UNWIND_CALL_H
#define UNWIND_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Is BACK in code (an executable segment; or in no object, where code may be that was made at run time), behind a call? */
bool call_before(uintptr_t back);

/* And may that call have entered the function that starts at START? False: it calls another one. */
bool call_enters(uintptr_t back, uintptr_t start);

#endif
