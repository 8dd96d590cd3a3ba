/* outlined.h - which function a call starts that a compiler made of an OpenMP construct, as debug
 * information and the code have it.
 */
#ifndef REPORT_SYMBOLS_OUTLINED_H
#define REPORT_SYMBOLS_OUTLINED_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>

/* Sets VALUES to addresses that the call in FUNCTION may pass whose return address is PC, the
 * likeliest first. Returns their number. ELF has the code; its addresses are those of FUNCTION's
 * debug information plus BIAS. */
enum { OUTLINED_MOST = 16 };
size_t outlined_arguments(Dwfl_Module *elf, Dwarf_Addr bias, Dwarf_Die *function, Dwarf_Addr pc,
                          Dwarf_Addr values[OUTLINED_MOST]);

#endif
