/* tail_jump.h - see arch/tail_jump.h. */
#ifndef ARCH_AARCH64_TAIL_JUMP_H
#define ARCH_AARCH64_TAIL_JUMP_H

#define TAIL_JUMP(function, pointer)                                \
    __asm__(".text\n"                                               \
            ".p2align 2\n"                                          \
            ".globl " #function "\n"                                \
            ".hidden " #function "\n"                               \
            ".type " #function ", %function\n" #function ":\n"      \
            "    .cfi_startproc\n"                                  \
            "    adrp x16, :gottprel:" #pointer "\n"                \
            "    ldr x16, [x16, :gottprel_lo12:" #pointer "]\n"     \
            "    mrs x17, tpidr_el0\n"                              \
            "    ldr x16, [x17, x16]\n"                             \
            "    br x16\n"                                          \
            "    .cfi_endproc\n"                                    \
            ".size " #function ", . - " #function "\n")

#endif
