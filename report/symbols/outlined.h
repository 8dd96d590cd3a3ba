/* outlined.h - functions that a compiler made of OpenMP constructs, as debug information has them:
 * where their construct is, and which of them a call starts.
 */
#ifndef REPORT_SYMBOLS_OUTLINED_H
#define REPORT_SYMBOLS_OUTLINED_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>

/* The first row of the line table at the start of FUNCTION's code. By gcc, which declares no line
 * of such a function, it is the line of the construct's pragma. NULL: there is none. */
Dwarf_Line *outlined_line(Dwarf_Die *function);

/* Sets VALUES to addresses that the call in FUNCTION may pass whose return address is PC, the
 * likeliest first. Returns their number. ELF has the code; its addresses are those of FUNCTION's
 * debug information plus BIAS. */
enum { OUTLINED_MOST = 16 };
size_t outlined_arguments(Dwfl_Module *elf, Dwarf_Addr bias, Dwarf_Die *function, Dwarf_Addr pc,
                          Dwarf_Addr values[OUTLINED_MOST]);

#endif
