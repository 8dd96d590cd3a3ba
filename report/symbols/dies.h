/* dies.h - names of functions in debug information. */
#ifndef REPORT_SYMBOLS_DIES_H
#define REPORT_SYMBOLS_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "symbols/unit.h"

/* The name of the function that DIE is, or is an inlined copy of: demangled, qualified. The caller
 * frees it, and frees UNITS, which keeps what was read. */
char *die_name(Dwarf_Die *die, struct units **units);
/* The DIE that declares DIE. The scopes around it give the qualified name. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* Do the names in a scope of TAG begin with the name of the scope? */
bool die_qualifies(int tag);

#endif
