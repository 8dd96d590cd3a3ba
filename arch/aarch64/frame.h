/* frame.h - see arch/frame.h: x29 and sp. No register of the tables is the program counter. */
#ifndef ARCH_AARCH64_FRAME_H
#define ARCH_AARCH64_FRAME_H

#define RED_ZONE 0ul
#define RETURN_IS_PUSHED 0
#define RECORD_ENDS_AT_CFA 0

enum { DWARF_FP = 29, DWARF_SP = 31, DWARF_PC = 255 };

/* A signed return address has its signature above the 48 bits of the address. */
static inline uintptr_t code_address(uintptr_t word)
{
    return word & ((1ul << 48) - 1);
}

/* mov x8, #139 (rt_sigreturn); svc #0. The kernel's has no table, so that unwinders look for these
 * instructions. */
static inline bool code_is_sigreturn(const uint32_t *code)
{
    return code[0] == 0xd2801168 && code[1] == 0xd4000001;
}

/* gcc puts the two words that x29 leads to at the low end of a frame, so they do not lead to the
 * CFA. */
#define CALLER_POINT(type)                                                                \
    ({ const uintptr_t *frame_ = __builtin_frame_address(0);                              \
       (type){ (uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa(),  \
               frame_[0] }; })

#endif
