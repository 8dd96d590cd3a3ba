/* tail_jump.h - TAIL_JUMP(FUNCTION, POINTER): at file level, a hidden FUNCTION that jumps to where
 * POINTER points, a thread-local variable of the model initial-exec. FUNCTION has no frame: to its
 * target, it was never there. The arguments stay. */
#ifndef ARCH_TAIL_JUMP_H
#define ARCH_TAIL_JUMP_H

#include "arch/folder.h"

#include ARCH(tail_jump.h)

#endif
