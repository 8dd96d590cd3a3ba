/* signal_frame.h - see arch/signal_frame.h. The siginfo comes first, and the ucontext follows, with
 * records of other state in its end. One record may name more of it behind the ucontext. Above all
 * is a frame record (the caller's x29 and x30), which the handler's x29 leads to. */
#ifndef ARCH_AARCH64_SIGNAL_FRAME_H
#define ARCH_AARCH64_SIGNAL_FRAME_H

#include <asm/sigcontext.h>
#include "arch/registers.h"
#include <sys/syscall.h>

#define HANDLER_ENTRY __attribute__((no_stack_protector))
#define HANDLER_BEGIN() ((void)0)

#define RELAY_BYTES 16
_Static_assert(SYS_rt_sigprocmask == 135 && SYS_rt_sigreturn == 139 && SIG_BLOCK == 0,
               "SIGNAL_RELAYS");
/* signal_return is what a handler returns to. Like the kernel's, it has no unwind table:
 * code_is_sigreturn of frame.h. */
#define SIGNAL_RELAYS(enter, closed)                                                        \
    __asm__(".pushsection .text\n"                                                          \
            ".globl signal_relays, signal_relay_wait, signal_relay_saved, signal_relay_begun\n" \
            ".globl signal_return\n"                                                        \
            ".hidden signal_relays, signal_relay_wait, signal_relay_saved, signal_relay_begun\n" \
            ".hidden signal_return\n"                                                       \
            ".type signal_relays, %function\n"                                              \
            ".p2align 4\n"                                                                  \
            "signal_relays:\n"                                                              \
            ".set relay, 0\n"                                                               \
            ".rept 64\n"                                                                    \
            ".p2align 4\n"                                                                  \
            "hint #34\n"                   /* bti c */                                      \
            "mov w3, #relay\n"                                                              \
            "b signal_relay_wait\n"                                                         \
            ".set relay, relay + 1\n"                                                       \
            ".endr\n"                                                                       \
            ".p2align 4\n"                                                                  \
            "signal_relay_wait:\n"                                                          \
            "mov w19, w0\n"                                                                 \
            "mov w20, w3\n"                                                                 \
            "mov x21, x1\n"                                                                 \
            "mov x22, x2\n"                                                                 \
            "mov x23, sp\n"                                                                 \
            "signal_relay_saved:\n"                                                         \
            "sub sp, sp, #32\n"            /* there is no red zone */                       \
            "mov x0, #-1\n"                                                                 \
            "adrp x9, " #closed "\n"                                                        \
            "ldrb w9, [x9, :lo12:" #closed "]\n"                                            \
            "cbnz w9, signal_relay_begun\n"                                                 \
            "mov x9, #-1\n"                /* all signals */                                \
            "str x9, [sp]\n"                                                                \
            "mov x0, #0\n"                 /* rt_sigprocmask(SIG_BLOCK, all, old mask, 8) */\
            "mov x1, sp\n"                                                                  \
            "add x2, sp, #16\n"                                                             \
            "mov x3, #8\n"                                                                  \
            "mov x8, #135\n"                                                                \
            "svc #0\n"                                                                      \
            "signal_relay_begun:\n"                                                         \
            "mov w5, w0\n"                                                                  \
            "ldr x4, [sp, #16]\n"                                                           \
            "mov sp, x23\n"                                                                 \
            "mov w0, w19\n"                                                                 \
            "mov x1, x21\n"                                                                 \
            "mov x2, x22\n"                                                                 \
            "mov w3, w20\n"                                                                 \
            "b " #enter "\n"                                                                \
            ".size signal_relays, . - signal_relays\n"                                      \
            "nop\n"                                                                         \
            ".type signal_return, %function\n"                                              \
            "signal_return:\n"                                                              \
            "mov x8, #139\n"                                                                \
            "svc #0\n"                                                                      \
            ".size signal_return, . - signal_return\n"                                      \
            ".popsection")

extern const char signal_relays[] __attribute__((visibility("hidden")));
extern const char signal_relay_wait[] __attribute__((visibility("hidden")));
extern const char signal_relay_saved[] __attribute__((visibility("hidden")));
extern const char signal_relay_begun[] __attribute__((visibility("hidden")));
extern const char signal_return[] __attribute__((visibility("hidden")));

#define SIGNAL_FRAME_INLINE static inline __attribute__((no_stack_protector))

SIGNAL_FRAME_INLINE int signal_relay_waiting(const ucontext_t *u, struct signal_given *g)
{
    const unsigned long long *r = u->uc_mcontext.regs;
    uintptr_t at = u->uc_mcontext.pc, first = (uintptr_t)signal_relays;
    if (at - first >= (uintptr_t)(signal_relay_begun - signal_relays))
        return -1;
    bool saved = at >= (uintptr_t)signal_relay_saved;
    g->number = (int)(saved ? r[19] : r[0]);
    g->info = (siginfo_t *)(saved ? r[21] : r[1]);
    g->context = (ucontext_t *)((saved ? r[23] : u->uc_mcontext.sp) + SIGNAL_CONTEXT);
    return at < (uintptr_t)signal_relay_wait ? (int)((at - first) / RELAY_BYTES)
           : saved                           ? (int)r[20]
                                             : (int)r[3];
}

SIGNAL_FRAME_INLINE uintptr_t signal_frame_begin(const ucontext_t *u)
{
    return (uintptr_t)u - SIGNAL_CONTEXT;
}

/* The record that names state behind U. NULL: there is none. */
SIGNAL_FRAME_INLINE struct extra_context *signal_frame_extra(ucontext_t *u)
{
    char *at = (char *)u->uc_mcontext.__reserved, *end = at + sizeof u->uc_mcontext.__reserved;
    for (;;) {
        struct _aarch64_ctx *head = (void *)at;
        if (end - at < (ptrdiff_t)sizeof *head || !head->magic || head->size < sizeof *head)
            return 0;
        if (head->magic == EXTRA_MAGIC)
            return (void *)head;
        at += head->size;
    }
}

SIGNAL_FRAME_INLINE void signal_frame_enter(ucontext_t *u, const void *handler,
                                            const struct signal_given *g, ptrdiff_t by)
{
    unsigned long long *r = u->uc_mcontext.regs;
    ucontext_t *copy = (void *)((char *)u + by);
    struct extra_context *extra = signal_frame_extra(copy);
    uintptr_t end = (uintptr_t)(copy + 1);
    if (extra) {
        extra->datap += (uintptr_t)by;
        end = extra->datap + extra->size;
    }
    r[0] = (unsigned long long)g->number;
    r[1] = (uintptr_t)g->info + (uintptr_t)by;
    r[2] = (uintptr_t)copy;
    r[29] = (end + 15) & -16ul;
    r[30] = (uintptr_t)signal_return;
    u->uc_mcontext.sp = signal_frame_begin(copy);
    u->uc_mcontext.pc = (uintptr_t)handler;
}

SIGNAL_FRAME_INLINE void signal_frame_follow(ucontext_t *u, const ucontext_t *of)
{
    static const uint8_t changed[] = { 0, 1, 2, 29, 30 };
    for (unsigned i = 0; i < sizeof changed; i++)
        u->uc_mcontext.regs[changed[i]] = of->uc_mcontext.regs[changed[i]];
    u->uc_mcontext.sp = of->uc_mcontext.sp;
    u->uc_mcontext.pc = of->uc_mcontext.pc;
}

#endif
