/* line_table.h - lines of a function that only the order of the line table's rows shows. */
#ifndef REPORT_SYMBOLS_LINE_TABLE_H
#define REPORT_SYMBOLS_LINE_TABLE_H

#include <elfutils/libdw.h>

/* The first row at the start of FUNCTION's code. NULL: there is none. */
Dwarf_Line *line_table_start(Dwarf_Die *function);

/* Code that a compiler inlined from a header may have no DIE of the inlined function at PC. Then
 * the last statement of FILE, at or before PC in FUNCTION's code, is what it belongs to. NULL:
 * there is none. */
Dwarf_Line *line_table_own(Dwarf_Die *function, Dwarf_Addr pc, const char *file);

#endif
