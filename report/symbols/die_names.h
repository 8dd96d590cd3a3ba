/* die_names.h - names of functions in debug information, and numbers. */
#ifndef REPORT_SYMBOLS_DIE_NAMES_H
#define REPORT_SYMBOLS_DIE_NAMES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "symbols/unit.h"

/* The demangled, qualified name of DIE's function. DIE may be an inlined copy of it. The caller
 * frees the name. UNITS caches the units that this reads; the caller frees them with units_free. */
char *die_name(Dwarf_Die *die, struct units **units);
/* The file that declares DIE; NULL: it is not known. libdw's own function knows no file 0, which in
 * DWARF 5 is the unit's first. */
const char *die_file(Dwarf_Die *die);
/* Sets *FILE and *LINE to where DIE's function is declared: a lambda's operator() where the lambda
 * begins. NULL and 0: it is not known. UNITS: as for die_name. */
void die_place(Dwarf_Die *die, struct units **units, const char **file, int *line);
/* Is DIE's function or type declared in a header of the system, the compiler, the C++ library or a
 * task runtime? If no file is known, NAME decides. */
bool die_is_header(Dwarf_Die *die, const char *name);
/* Finds the program's class with operator() among the template arguments of the class AROUND, or of
 * a header's class among these. Sets *TYPE to the class and *CALL to its operator(). False: there
 * is none. */
bool die_functor(Dwarf_Die *around, Dwarf_Die *type, Dwarf_Die *call);
/* The DIE that declares DIE. The scopes around it give the qualified name. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* DIE's attribute NAME, a DW_AT, as a number; 0: DIE has none. */
Dwarf_Word die_number(Dwarf_Die *die, unsigned name);
/* Do the names in a scope of TAG begin with the name of the scope? */
bool die_qualifies(int tag);

#endif
