/* tail_jump.h - TAIL_JUMP(FUNCTION, POINTER): at file level, a hidden FUNCTION that jumps to where
 * POINTER points, a thread-local variable of the model initial-exec. FUNCTION has no frame: to its
 * target, it was never there. The arguments stay. */
#ifndef ARCH_TAIL_JUMP_H
#define ARCH_TAIL_JUMP_H

#if defined __x86_64__
#include "arch/x86_64/tail_jump.h"
#elif defined __aarch64__
#include "arch/aarch64/tail_jump.h"
#else
#error "arch/ has no folder for this processor"
#endif

#endif
