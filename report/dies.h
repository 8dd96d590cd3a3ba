/* dies.h - what debug information calls a function. */
#ifndef REPORT_DIES_H
#define REPORT_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The name of the function that DIE is, or is an inlined copy of: demangled, qualified. The caller frees it. */
char *die_name(Dwarf_Die *die);
/* Do names of what DIEs of TAG enclose begin with theirs? */
bool die_qualifies(int tag);

#endif
