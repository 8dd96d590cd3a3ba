/* own_line.h - a line of a function in its own file, where the line table names another file. */
#ifndef REPORT_SYMBOLS_OWN_LINE_H
#define REPORT_SYMBOLS_OWN_LINE_H

#include <elfutils/libdw.h>

/* Code that a compiler inlined from a header may have no DIE of the inlined function at PC. Then
 * the last statement of FILE, at or before PC in FUNCTION's code, is what it belongs to. NULL:
 * there is none. */
Dwarf_Line *own_line(Dwarf_Die *function, Dwarf_Addr pc, const char *file);

#endif
