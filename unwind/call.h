/* call.h - reads the code before an address: may a call return there, and which function did it
 * call?
 *
 * A word of a stack is a return address only if it points into code, right after a call. That
 * distinguishes a caller from an old word on the stack, where a walk must guess (blocked.c) or has
 * no row for the address (walk.c).
 *
 * [any] all functions: no locks, no allocation, errno untouched. They read the code: as in cfi.h,
 * no thread may be unloading it.
 */
#ifndef UNWIND_CALL_H
#define UNWIND_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Is BACK in code, right after a call? Code is an executable segment of an object, or memory of no
 * object: code may have been made there at run time. */
bool call_before(uintptr_t back);

/* And may that call have entered the function that starts at START? False: it calls another one. */
bool call_enters(uintptr_t back, uintptr_t start);

#endif
