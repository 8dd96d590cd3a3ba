/* place.h - addresses of code that stay that code's when other code is mapped where it was.
 *
 * A plug-in that is unloaded leaves its addresses to the next one, while what was measured of it is kept. So what is kept names
 * code by its PLACE: the address, and above its 48 bits a number that tells the objects apart that were mapped there.
 * The first has 0, so that the places of nearly all programs are their addresses. The numbers go into the profile with
 * the addresses of nodes, sites and modules, and need no explanation there: place - bias is the address in the file as ever.
 *
 * The same object at the same address again has its old number: its path, build ID and address tell.
 */
#ifndef UNWIND_PLACE_H
#define UNWIND_PLACE_H

#include <stdint.h>
#include "unwind/runtime.h"

#define PLACE_SHIFT 48
#define PLACE_NOWHERE 0x7fffu   /* the number of code that no object holds, and of objects beyond the 1024 that are told apart */

uintptr_t place_slow(uintptr_t pc);

/* [any] The place of the code that is mapped at PC now. It is read: the caller must be sure that nobody unmaps it meanwhile, being in it
 * or in a callback of dl_iterate_phdr. The same goes for place_object and place_keep. */
static inline uintptr_t place_of(uintptr_t pc)
{
    return __builtin_expect(__atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE) == 0, 1) ? pc : place_slow(pc);
}

/* [any] The other way round. Addresses in the kernel's half, [vsyscall], have no number. */
static inline uintptr_t place_address(uintptr_t place)
{
    return (intptr_t)place < 0 ? place : place & ((1ul << PLACE_SHIFT) - 1);
}
static inline uintptr_t place_number(uintptr_t place)
{
    return place - place_address(place);
}

/* [any] What tells the object that is mapped at PC from all others; 0: there is none. */
uint64_t place_object(uintptr_t pc);

/* [hook] START..END is code of a loaded object, with measurements: who is mapped there later, and is another, has another number. */
void place_keep(uintptr_t start, uintptr_t end);

#endif
