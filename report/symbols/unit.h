/* unit.h - the scopes around an address and around a DIE, in one compilation unit. The unit's
 * functions are sorted by address, so that no lookup reads all of its debug information. DIEs are
 * those of libdw.
 */
#ifndef REPORT_SYMBOLS_UNIT_H
#define REPORT_SYMBOLS_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#define UNIT_DEPTH 64           /* the most nested scopes that are read */

/* If *CU is a skeleton, replaces it by its split unit. */
void unit_full(Dwarf_Die *cu);

/* Moves DIE to its next sibling. False: there is none. Offsets must grow, so that damaged debug
 * information causes no endless loop. */
bool unit_sibling(Dwarf_Die *die);

struct unit;
struct units;                   /* the units that were read; NULL: none yet */

/* The unit whose DIE is CU. It is added to ALL if it is new. Its Dwarf must outlive ALL. */
struct unit *units_get(struct units **all, Dwarf_Die *cu);
void units_free(struct units **all);

/* Sets SCOPES to the scopes around PC, innermost first: lexical blocks, inlined functions and,
 * last, the physical function. Returns their number, at most UNIT_DEPTH. 0: the unit has no
 * function at PC. Without WHOLE, functions of classes inside functions are not found until the unit
 * has been read to its end. WHOLE reads it to its end if no other function is at PC. */
size_t unit_scopes(struct unit *u, Dwarf_Addr pc, bool whole, Dwarf_Die *scopes);

/* Sets PARENTS to the DIEs around DIE, its parent first, without the unit's own. Returns their
 * number, at most UNIT_DEPTH. */
size_t unit_parents(struct unit *u, Dwarf_Die *die, Dwarf_Die *parents);

#endif
