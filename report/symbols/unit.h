/* unit.h - the functions of one compilation unit by address, so that an address leads to its scopes
 * without a walk through all of the unit's debug information; and the scopes around a DIE. DIEs are
 * those of libdw.
 */
#ifndef REPORT_SYMBOLS_UNIT_H
#define REPORT_SYMBOLS_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#define UNIT_DEPTH 64           /* nested scopes that are read */

struct unit;
struct units;                   /* the units that were read; NULL: none yet */

/* The unit whose DIE is CU, of ALL; its Dwarf must outlive them. */
struct unit *units_get(struct units **all, Dwarf_Die *cu);
void units_free(struct units **all);

/* The scopes around PC: lexical blocks, inlined functions and, last, the physical function,
 * innermost first. Returns their number, at most UNIT_DEPTH. 0: this unit has no function there;
 * without WHOLE, it has none there outside of all others. WHOLE reads the unit to its end, once, if
 * the list of outer functions has none. */
size_t unit_scopes(struct unit *u, Dwarf_Addr pc, bool whole, Dwarf_Die *scopes);

/* The DIEs around DIE in the unit, its parent first, without the unit's own. Returns their number,
 * at most UNIT_DEPTH. */
size_t unit_parents(struct unit *u, Dwarf_Die *die, Dwarf_Die *parents);

#endif
