/* spin_code.h - loops that wait on the CPU, by their instructions: those around an instruction that
 * a processor offers for such loops and for nothing else (x86's pause, 64-bit Arm's yield), and
 * those that do nothing but read the same memory again.
 */
#ifndef REPORT_SYMBOLS_SPIN_CODE_H
#define REPORT_SYMBOLS_SPIN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's machine decides, which need not be this one: so the instructions are here, and not
 * in arch/. */

/* The longest such loop that is found, in bytes: load, compare, pause, jump. */
#define SPIN_LOOP_MOST 64

/* Is the instruction at CODE[AT] in such a loop? CODE is SIZE bytes of a program for MACHINE, one
 * of ELF's EM_ numbers. Of other machines nothing is known: false. */
bool spin_code_is(unsigned machine, const uint8_t *code, size_t size, size_t at);

#endif
