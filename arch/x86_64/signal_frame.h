/* signal_frame.h - see arch/signal_frame.h. The address to which the handler returns comes first,
 * and the ucontext follows. The floating-point state is above both. */
#ifndef ARCH_X86_64_SIGNAL_FRAME_H
#define ARCH_X86_64_SIGNAL_FRAME_H

#include <sys/syscall.h>

/* Our handlers align the stack themselves: the kernel aligns it before it calls a handler, but
 * qemu-user 7.2 does not. They have no canary: it is in thread-local storage. */
#define HANDLER_ENTRY __attribute__((force_align_arg_pointer, no_stack_protector))

/* Clears the processor's alignment check (EFLAGS.AC). The program may have set it, and the kernel
 * leaves it on. Then unaligned accesses of ours would raise SIGBUS. The handler's return restores
 * the flag. */
#define HANDLER_BEGIN()                                                                     \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\t"  \
                     "lea 128(%%rsp), %%rsp" ::: "memory", "cc")

#define RELAY_BYTES 16
_Static_assert(SYS_rt_sigprocmask == 14 && SIG_BLOCK == 0, "SIGNAL_RELAYS");
#define SIGNAL_RELAYS(enter, closed)                                                        \
    __asm__(".pushsection .text\n"                                                          \
            ".globl signal_relays, signal_relay_wait, signal_relay_saved, signal_relay_begun\n" \
            ".hidden signal_relays, signal_relay_wait, signal_relay_saved, signal_relay_begun\n" \
            ".type signal_relays, @function\n"                                              \
            ".p2align 4\n"                                                                  \
            "signal_relays:\n"                                                              \
            ".cfi_startproc\n"                                                              \
            ".set relay, 0\n"                                                               \
            ".rept 64\n"                                                                    \
            ".p2align 4\n"                                                                  \
            "mov $relay, %ecx\n"                                                            \
            "jmp signal_relay_wait\n"                                                       \
            ".set relay, relay + 1\n"                                                       \
            ".endr\n"                                                                       \
            ".p2align 4\n"                                                                  \
            "signal_relay_wait:\n"                                                          \
            "mov %edi, %r12d\n"                                                             \
            "mov %ecx, %r13d\n"                                                             \
            "mov %rsi, %r14\n"                                                              \
            "mov %rdx, %r15\n"                                                              \
            "signal_relay_saved:\n"                                                         \
            "mov $-1, %eax\n"                                                               \
            "cmpb $0, " #closed "(%rip)\n"                                                  \
            "jne signal_relay_begun\n"                                                      \
            "movq $-1, -8(%rsp)\n"         /* all signals; the red zone */                  \
            "mov $14, %eax\n"              /* rt_sigprocmask(SIG_BLOCK, all, old mask, 8) */ \
            "xor %edi, %edi\n"                                                              \
            "lea -8(%rsp), %rsi\n"                                                          \
            "lea -16(%rsp), %rdx\n"                                                         \
            "mov $8, %r10d\n"                                                               \
            "syscall\n"                                                                     \
            "signal_relay_begun:\n"                                                         \
            "mov %r12d, %edi\n"                                                             \
            "mov %r14, %rsi\n"                                                              \
            "mov %r15, %rdx\n"                                                              \
            "mov %r13d, %ecx\n"                                                             \
            "mov -16(%rsp), %r8\n"                                                          \
            "mov %eax, %r9d\n"                                                              \
            "jmp " #enter "\n"                                                              \
            ".cfi_endproc\n"                                                                \
            ".size signal_relays, . - signal_relays\n"                                      \
            ".popsection")

extern const char signal_relays[] __attribute__((visibility("hidden")));
extern const char signal_relay_wait[] __attribute__((visibility("hidden")));
extern const char signal_relay_saved[] __attribute__((visibility("hidden")));
extern const char signal_relay_begun[] __attribute__((visibility("hidden")));

#define SIGNAL_FRAME_INLINE static inline __attribute__((no_stack_protector))

SIGNAL_FRAME_INLINE int signal_relay_waiting(const ucontext_t *u, struct signal_given *g)
{
    const greg_t *r = u->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)r[REG_RIP], first = (uintptr_t)signal_relays;
    if (at - first >= (uintptr_t)(signal_relay_begun - signal_relays))
        return -1;
    bool saved = at >= (uintptr_t)signal_relay_saved;
    g->number = saved ? (int)r[REG_R12] : (int)r[REG_RDI];
    g->info = (siginfo_t *)(saved ? r[REG_R14] : r[REG_RSI]);
    g->context = (ucontext_t *)(r[REG_RSP] + (greg_t)sizeof(void *));
    return at < (uintptr_t)signal_relay_wait ? (int)((at - first) / RELAY_BYTES)
           : saved                           ? (int)r[REG_R13]
                                             : (int)r[REG_RCX];
}

SIGNAL_FRAME_INLINE uintptr_t signal_frame_begin(const ucontext_t *u)
{
    return (uintptr_t)u - sizeof(void *);
}

SIGNAL_FRAME_INLINE void signal_frame_enter(ucontext_t *u, const void *handler,
                                            const struct signal_given *g, ptrdiff_t by)
{
    enum { TRAP = 0x100, DIRECTION = 0x400, RESUME = 0x10000 };
    greg_t *r = u->uc_mcontext.gregs;
    ucontext_t *copy = (void *)((char *)u + by);
    if (copy->uc_mcontext.fpregs)
        copy->uc_mcontext.fpregs = (void *)((char *)copy->uc_mcontext.fpregs + by);
    r[REG_RIP] = (greg_t)(uintptr_t)handler;
    r[REG_RSP] = (greg_t)(uintptr_t)copy - (greg_t)sizeof(void *);
    r[REG_RDI] = g->number;
    r[REG_RSI] = (greg_t)((uintptr_t)g->info + (uintptr_t)by);
    r[REG_RDX] = (greg_t)(uintptr_t)copy;
    r[REG_RAX] = 0;
    r[REG_EFL] &= ~(TRAP | DIRECTION | RESUME);
    u->uc_mcontext.fpregs = 0;  /* the kernel starts a handler with an empty one */
}

SIGNAL_FRAME_INLINE void signal_frame_follow(ucontext_t *u, const ucontext_t *of)
{
    static const uint8_t changed[] = { REG_RIP, REG_RSP, REG_RDI, REG_RSI, REG_RDX, REG_RAX,
                                       REG_EFL };
    for (unsigned i = 0; i < sizeof changed; i++)
        u->uc_mcontext.gregs[changed[i]] = of->uc_mcontext.gregs[changed[i]];
}

#endif
