/* dies.h - what debug information calls a function. */
#ifndef REPORT_SYMBOLS_DIES_H
#define REPORT_SYMBOLS_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "symbols/unit.h"

/* The name of the function that DIE is, or is an inlined copy of: demangled, qualified. The caller
 * frees it, and UNITS, which remembers what was read for it. */
char *die_name(Dwarf_Die *die, struct units **units);
/* The DIE that declares DIE: it stands where its name is qualified. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* Do names of what DIEs of TAG enclose begin with theirs? */
bool die_qualifies(int tag);

#endif
