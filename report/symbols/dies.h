/* dies.h - names of functions in debug information. */
#ifndef REPORT_SYMBOLS_DIES_H
#define REPORT_SYMBOLS_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "symbols/unit.h"

/* The name of the function that DIE is, or is an inlined copy of: demangled, qualified. The caller
 * frees it, and frees UNITS, which keeps what was read. */
char *die_name(Dwarf_Die *die, struct units **units);
/* The file that declares DIE; NULL: it does not say. libdw's own function knows no file 0, which in
 * DWARF 5 is the unit's first. */
const char *die_file(Dwarf_Die *die);
/* Is the function or type that DIE is, or is a copy of, code that no person wrote for the program:
 * declared in a header of the system, the compiler, the C++ library or a task runtime? NAME says so
 * where no file does. */
bool die_is_header(Dwarf_Die *die, const char *name);
/* The first template argument of the class AROUND, or of a header's class among them, that is a
 * class of the program's with operator(): *TYPE and *CALL become the DIEs of the two. */
bool die_functor(Dwarf_Die *around, Dwarf_Die *type, Dwarf_Die *call);
/* The DIE that declares DIE. The scopes around it give the qualified name. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* Do the names in a scope of TAG begin with the name of the scope? */
bool die_qualifies(int tag);

#endif
