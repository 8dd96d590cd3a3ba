/* registers.h - the registers of a thread that a signal interrupted. U: its ucontext. [any]
 *
 *   registers_pc(U), registers_sp(U), registers_fp(U)
 *                       the program counter, the stack pointer and the frame pointer (frame.h)
 *   registers_link(U)   the return address of the interrupted function, if it is still in its
 *                       register; no meaning where RETURN_IS_PUSHED
 *   registers_slots(U)  the addresses in U of the program counter and of the frame pointer
 *   SIGNAL_CONTEXT      a handler returns with its stack pointer so far below U
 */
#ifndef ARCH_REGISTERS_H
#define ARCH_REGISTERS_H

#include "arch/folder.h"
#include <stdint.h>
#include <ucontext.h>

struct registers_slots {
    uintptr_t pc, fp;
};

#include ARCH(registers.h)

#endif
