/* registers.h - see arch/registers.h: pc, sp, x29 and x30. */
#ifndef ARCH_AARCH64_REGISTERS_H
#define ARCH_AARCH64_REGISTERS_H

#define SIGNAL_CONTEXT 128      /* the siginfo comes first */

static inline uintptr_t registers_pc(const ucontext_t *u)
{
    return u->uc_mcontext.pc;
}

static inline uintptr_t registers_sp(const ucontext_t *u)
{
    return u->uc_mcontext.sp;
}

static inline uintptr_t registers_fp(const ucontext_t *u)
{
    return u->uc_mcontext.regs[29];
}

static inline uintptr_t registers_link(const ucontext_t *u)
{
    return u->uc_mcontext.regs[30];
}

static inline struct registers_slots registers_slots(const ucontext_t *u)
{
    return (struct registers_slots){ (uintptr_t)&u->uc_mcontext.pc,
                                     (uintptr_t)&u->uc_mcontext.regs[29] };
}

#endif
