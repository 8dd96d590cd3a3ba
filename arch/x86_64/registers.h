/* registers.h - see arch/registers.h: rip, rsp and rbp. */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#define SIGNAL_CONTEXT 0

static inline uintptr_t registers_pc(const ucontext_t *u)
{
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t registers_sp(const ucontext_t *u)
{
    return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
}

static inline uintptr_t registers_fp(const ucontext_t *u)
{
    return (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
}

static inline uintptr_t registers_link(const ucontext_t *u)
{
    (void)u;
    return 0;
}

static inline struct registers_slots registers_slots(const ucontext_t *u)
{
    return (struct registers_slots){ (uintptr_t)&u->uc_mcontext.gregs[REG_RIP],
                                     (uintptr_t)&u->uc_mcontext.gregs[REG_RBP] };
}

#endif
