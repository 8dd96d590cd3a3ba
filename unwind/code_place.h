/* code_place.h - names of code that stay valid when other code is mapped at the same address.
 *
 * When a plug-in is unloaded, the next one may get its addresses, but libprof keeps the
 * measurements of the first. So measurements name code by its PLACE: the address, and above its 48
 * bits a number that distinguishes the objects that were mapped there. The first object has number
 * 0, so in nearly all programs places are addresses. The profile's nodes, sites and modules contain
 * places. A reader of the profile need not know this: place - bias is the address in the file, with
 * or without a number.
 *
 * An object that is mapped again at its old address has its old number. Its path, build ID and
 * address identify it.
 */
#ifndef UNWIND_CODE_PLACE_H
#define UNWIND_CODE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "unwind/runtime_registry.h"

#define PLACE_SHIFT 48
#define PLACE_NOWHERE 0x7fffu   /* the number of code in no object, and of objects after 1024 */

/* [any] place_of, once code has been unmapped. */
uintptr_t place_slow(uintptr_t pc);
/* [any] The place of the code that is mapped at PC now. The function reads the object, so no thread
 * may unmap the object meanwhile. This is so if the caller runs in the object, has it on its stack,
 * or is in a callback of dl_iterate_phdr. The same holds for place_keep. */
static inline uintptr_t place_of(uintptr_t pc)
{
    bool first = __atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE) == 0;
    return __builtin_expect(first, 1) ? pc : place_slow(pc);
}

/* [any] Is the object of PLACE mapped now? The caller is in a callback of dl_iterate_phdr, unless
 * nothing was ever unmapped. */
bool place_is_mapped(uintptr_t place);

/* [any] The address of PLACE. Addresses in the kernel's half, [vsyscall], have no number. */
static inline uintptr_t place_address(uintptr_t place)
{
    return (intptr_t)place < 0 ? place : place & ((1ul << PLACE_SHIFT) - 1);
}
static inline uintptr_t place_number(uintptr_t place)
{
    return place - place_address(place);
}

/* [hook] START..END is code of a loaded object that has measurements. Another object that is mapped
 * there later gets another number. */
void place_keep(uintptr_t start, uintptr_t end);

/* [hook] Objects were unmapped. ALL: others may have been mapped at their addresses since. If ALL
 * is false, none was, and the caller is in a callback of dl_iterate_phdr. */
void place_unloaded(bool all);

#endif
