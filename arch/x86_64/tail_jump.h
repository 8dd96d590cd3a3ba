/* tail_jump.h - see arch/tail_jump.h. */
#ifndef ARCH_X86_64_TAIL_JUMP_H
#define ARCH_X86_64_TAIL_JUMP_H

#define TAIL_JUMP(function, pointer)                         \
    __asm__(".text\n"                                        \
            ".globl " #function "\n"                         \
            ".hidden " #function "\n"                        \
            ".type " #function ", @function\n" #function ":\n" \
            "    .cfi_startproc\n"                           \
            "    movq " #pointer "@gottpoff(%rip), %rax\n"   \
            "    jmp *%fs:(%rax)\n"                          \
            "    .cfi_endproc\n"                             \
            ".size " #function ", . - " #function "\n")

#endif
