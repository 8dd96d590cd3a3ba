/* dies.h - what debug information calls a function. */
#ifndef REPORT_DIES_H
#define REPORT_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include "unit.h"

/* The DIEs that enclose DIE, its parent first, at most UNIT_DEPTH; how many. */
typedef size_t die_parents(void *closure, Dwarf_Die *die, Dwarf_Die scopes[UNIT_DEPTH]);

/* The name of the function that DIE is, or is an inlined copy of: demangled, qualified. The caller frees it. PARENTS: whoever
 * asks often has something faster than NULL, which reads the unit from its start. */
char *die_name(Dwarf_Die *die, die_parents *parents, void *closure);
/* The DIE that declares DIE: it stands where its name is qualified. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* Do names of what DIEs of TAG enclose begin with theirs? */
bool die_qualifies(int tag);

#endif
