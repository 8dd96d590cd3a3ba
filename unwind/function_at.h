/* function_at.h - the start and the name of the function at an address, through libunwind. walk.h
 * walks the stack.
 *
 * [hook] all functions. No signal handler may call them: libunwind's frame cache does not survive a
 * handler that unwinds while its thread does. They preserve errno.
 */
#ifndef UNWIND_FUNCTION_AT_H
#define UNWIND_FUNCTION_AT_H

#include <stddef.h>
#include <stdint.h>

/* Start of the function that holds IP, from the unwind tables; 0: unknown. */
uintptr_t unwind_function_start(uintptr_t ip);

/* Copies the (mangled) name of the function that holds IP into NAME, also for symbols that are not
 * exported. Returns 0, or -ENOENT (stripped). Reads the ELF file: slow, once a site. */
int unwind_function_name(uintptr_t ip, char *name, size_t size);

#endif
