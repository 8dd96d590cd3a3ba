/* frame.h - how functions of this processor call each other, and what their frames look like. [any]
 *
 *   DWARF_FP, DWARF_SP, DWARF_PC    the numbers of registers in call frame information. The frame
 *                       pointer (fp) is the register that code with frame pointers, or with frames
 *                       of variable size, uses
 *   RED_ZONE            so many bytes below the stack pointer may be in use; handlers leave them
 *                       alone
 *   RETURN_IS_PUSHED    1: a call stores the return address, below the CFA. 0: it is in a register,
 *                       and the called function stores it, or not
 *   RECORD_ENDS_AT_CFA  1: the caller's fp and the return address, which fp leads to, are the last
 *                       words below the CFA. 0: a function may keep them elsewhere in its frame
 *   code_address(W)     the address in W, a word of the stack that holds a return address
 *   code_is_sigreturn(CODE)  does the kernel's return from signal handlers begin at CODE, although
 *                       no unwind table states it?
 *   CALLER_POINT(TYPE)  where the function that uses it was called: the return address, the CFA and
 *                       the caller's fp, as a TYPE of these three
 */
#ifndef ARCH_FRAME_H
#define ARCH_FRAME_H

#include "arch/folder.h"
#include <stdbool.h>
#include <stdint.h>

#include ARCH(frame.h)

#endif
