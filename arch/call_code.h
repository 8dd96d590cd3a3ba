/* call_code.h - the machine code of calls. [any]
 *
 *   CALL_CODE_MAX   bytes of the longest call, without its prefixes
 *   CALL_CODE_LEAST bytes of the shortest call
 *   LINKAGE_BYTES   bytes of an entry of a procedure linkage table, at most
 */
#ifndef ARCH_CALL_CODE_H
#define ARCH_CALL_CODE_H

#include "arch/folder.h"
#include <stdbool.h>
#include <stdint.h>

#include ARCH(call_code.h)

/* A call, and what it calls. */
struct call_code {
    unsigned bytes;             /* its length; 0: there is no call */
    uintptr_t to;               /* the function; 0: the code does not name it */
    uintptr_t slot;             /* the word that holds the function's address; 0: none is named */
};

/* The call that ends at END, which is a copy of the code before BACK. THERE bytes before END can be
 * read. */
struct call_code call_code_before(const uint8_t *end, unsigned there, uintptr_t back);

/* The word in which the entry of a linkage table at CODE finds the function's address. 0: CODE is
 * no such entry. LINKAGE_BYTES can be read. */
uintptr_t call_code_linkage(const uint8_t *code);

#endif
