/* registers.h - the registers that a walk of a stack needs. [any]
 *
 *   registers_pc(U), registers_sp(U), registers_fp(U)
 *                  the program counter, the stack pointer and the frame pointer of the thread that
 *                  a signal interrupted. U: the handler's ucontext_t. The frame pointer is the
 *                  register that code with frame pointers, or with frames of variable size, uses
 *   registers_slots(U)  the addresses in U of the program counter and of the frame pointer
 *   DWARF_FP, DWARF_SP, DWARF_PC    their numbers in call frame information
 *   RED_ZONE       so many bytes below the stack pointer may be in use; handlers leave them alone
 */
#ifndef ARCH_REGISTERS_H
#define ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#if defined __x86_64__
#include "arch/x86_64/registers.h"
#else
#error "arch/ has no folder for this processor"
#endif

#endif
