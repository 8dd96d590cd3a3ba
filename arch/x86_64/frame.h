/* frame.h - see arch/frame.h: rbp, rsp and rip. */
#ifndef ARCH_X86_64_FRAME_H
#define ARCH_X86_64_FRAME_H

#define RED_ZONE 128ul
#define RETURN_IS_PUSHED 1
#define RECORD_ENDS_AT_CFA 1

enum { DWARF_FP = 6, DWARF_SP = 7, DWARF_PC = 16 };

static inline uintptr_t code_address(uintptr_t word)
{
    return word;
}

/* glibc's return has a table. */
static inline bool code_is_sigreturn(const uint32_t *code)
{
    (void)code;
    return false;
}

#define CALLER_POINT(type)                                      \
    ({ const uintptr_t *frame_ = __builtin_frame_address(0);    \
       (type){ frame_[1], (uintptr_t)(frame_ + 2), frame_[0] }; })

#endif
