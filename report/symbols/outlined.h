/* outlined.h - which function a call starts that a compiler made of an OpenMP construct, as debug
 * information and the code have it.
 */
#ifndef REPORT_SYMBOLS_OUTLINED_H
#define REPORT_SYMBOLS_OUTLINED_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets VALUES to addresses that the call in FUNCTION may pass whose return address is PC, the
 * likeliest first. Returns their number. ELF has the code; its addresses are those of FUNCTION's
 * debug information plus BIAS. */
enum { OUTLINED_MOST = 16 };
size_t outlined_arguments(Dwfl_Module *elf, Dwarf_Addr bias, Dwarf_Die *function, Dwarf_Addr pc,
                          Dwarf_Addr values[OUTLINED_MOST]);

/* A function may end with a jump to another, which then returns to the function's own caller. If
 * the call in *FUNCTION with the return address *PC calls such a function, and that has one jump of
 * this kind, sets both to the function that jumps and to the address behind its jump. */
bool outlined_jump(Dwarf_Die *function, Dwarf_Addr *pc);

#endif
