/* unit.h - where the functions of one compilation unit lie, so that an address leads to its scopes
 * without a walk through all of the unit's debug information; and what encloses a DIE. DIEs are
 * those of libdw.
 */
#ifndef REPORT_SYMBOLS_UNIT_H
#define REPORT_SYMBOLS_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#define UNIT_DEPTH 64           /* scopes in each other that are looked at */

struct unit;
struct units;                   /* those that were looked into; NULL: none yet */

/* The unit whose DIE is CU, of ALL; its Dwarf must outlive them. */
struct unit *units_get(struct units **all, Dwarf_Die *cu);
void units_free(struct units **all);

/* The scopes around PC: lexical blocks, inlined functions and, last, the physical function.
 * Innermost first; how many, at most UNIT_DEPTH. 0: no function of this unit is there; without
 * WHOLE, none that stands outside all others. WHOLE reads the unit to its end, once, where the list
 * of those has none. */
size_t unit_scopes(struct unit *u, Dwarf_Addr pc, bool whole, Dwarf_Die *scopes);

/* The DIEs that enclose DIE in the unit, its parent first, the unit's own left out; how many, at
 * most UNIT_DEPTH. */
size_t unit_parents(struct unit *u, Dwarf_Die *die, Dwarf_Die *parents);

#endif
