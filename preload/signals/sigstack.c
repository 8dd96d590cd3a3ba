/* sigstack.c - see sigstack.h. Which alternate stack is in force, the kernel knows, and we ask it.
 * So it does no harm if a program sets one by the system call itself, as Go does.
 */
#define _GNU_SOURCE
#include "signals/sigstack.h"
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/aside.h"
#include "base/export.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "base/real.h"
#include "signals/fatal.h"
#include "signals/fsbase.h"
#include "signals/signals.h"
#include "unwind/objects.h"
#include "base/forbid.h"

#define GUARD ((size_t)4096)
#define GUARDED 1000u           /* stacks with a guard, at most */
#define RED_ZONE 128            /* code uses so much below its stack pointer */
#define AUTODISARM (1u << 31)   /* SS_AUTODISARM of <linux/signal.h> */

/* Above SIGSTACK_BYTES. */
struct head {
    uint64_t mark;
    struct thread *th;
};
#define MARK 0x6c6962707266a17full
#define BYTES (GUARD + SIGSTACK_BYTES + ASIDE_ABOVE)

typedef void (*handler_t)(int, siginfo_t *, void *);
_Static_assert(SYS_rt_sigprocmask == 14 && SIG_BLOCK == 0 && sizeof kernel_closed == 1, "relays");

static bool wanted; /* written by sigstack_setup */
/* Go's runtime is there, and may have taken our stacks for its own. Set once. */
static bool are_adopted;
/* 1 << (number - 1) of each signal whose action the program has set. */
static uint64_t set_so_far;
/* Stacks mapped so far, by all threads. */
static unsigned mapped;

/* ---- relays ---- */

#define RELAYS 64
#define RELAY_BYTES 16
/* The handler of each relay. A thread that sets a handler writes the first free one, once. */
static handler_t handlers[RELAYS];

/* The kernel enters one of these. They have begun as soon as all signals are blocked: no handler
 * comes then. If several signals come at once, the kernel enters a relay, and the next relay before
 * the first one's first instruction. So until a relay has begun, its registers and its stack
 * pointer show for whom it runs (waiting_at). After that, the handler's return restores all
 * registers, so a relay need not save any. */
extern const char sigstack_relays[] __attribute__((visibility("hidden")));
extern const char sigstack_wait[] __attribute__((visibility("hidden")));
extern const char sigstack_saved[] __attribute__((visibility("hidden")));
extern const char sigstack_blocked[] __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".globl sigstack_relays, sigstack_wait, sigstack_saved, sigstack_blocked\n"
        ".hidden sigstack_relays, sigstack_wait, sigstack_saved, sigstack_blocked\n"
        ".type sigstack_relays, @function\n"
        ".p2align 4\n"
        "sigstack_relays:\n"
        ".cfi_startproc\n"
        ".set relay, 0\n"
        ".rept 64\n"
        ".p2align 4\n"
        "mov $relay, %ecx\n"
        "jmp sigstack_wait\n"
        ".set relay, relay + 1\n"
        ".endr\n"
        ".p2align 4\n"
        "sigstack_wait:\n"
        "mov %edi, %r12d\n"
        "mov %ecx, %r13d\n"
        "mov %rsi, %r14\n"
        "mov %rdx, %r15\n"
        "sigstack_saved:\n"
        "mov $-1, %eax\n"
        "cmpb $0, kernel_closed(%rip)\n"
        "jne sigstack_blocked\n"
        "movq $-1, -8(%rsp)\n"         /* all signals; the red zone */
        "mov $14, %eax\n"              /* rt_sigprocmask(SIG_BLOCK, all, old mask, 8) */
        "xor %edi, %edi\n"
        "lea -8(%rsp), %rsi\n"
        "lea -16(%rsp), %rdx\n"
        "mov $8, %r10d\n"
        "syscall\n"
        "sigstack_blocked:\n"
        "mov %r12d, %edi\n"
        "mov %r14, %rsi\n"
        "mov %r15, %rdx\n"
        "mov %r13d, %ecx\n"
        "mov -16(%rsp), %r8\n"
        "mov %eax, %r9d\n"
        "jmp sigstack_enter\n"
        ".cfi_endproc\n"
        ".size sigstack_relays, . - sigstack_relays\n"
        ".popsection");

FSBASE_BEFORE static bool is_relay(uintptr_t p)
{
    return p - (uintptr_t)sigstack_relays < RELAYS * RELAY_BYTES;
}

const void *sigstack_relayed(const void *handler)
{
    if (!is_relay((uintptr_t)handler))
        return handler;
    size_t i = ((uintptr_t)handler - (uintptr_t)sigstack_relays) / RELAY_BYTES;
    return (const void *)__atomic_load_n(&handlers[i], __ATOMIC_RELAXED);
}

/* Was the object that holds CODE built by Go? Its program header has a note of the name "Go". */
static bool is_go(const void *code)
{
    struct object o;
    if (!objects_find((uintptr_t)code, &o))
        return false;
    const Elf64_Ehdr *e = (const void *)o.start;
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phoff + e->e_phnum * sizeof(Elf64_Phdr) > 4096)
        return false;           /* the first page is mapped: the loader has read it */
    const Elf64_Phdr *p = (const void *)(o.start + e->e_phoff);
    for (const Elf64_Phdr *end = p + e->e_phnum; p < end; p++)
        if (p->p_type == PT_NOTE) {
            const char *at = (const char *)(o.bias + p->p_vaddr), *stop = at + p->p_memsz;
            while (stop - at >= (ptrdiff_t)sizeof(Elf64_Nhdr)) {
                const Elf64_Nhdr *n = (const void *)at;
                if (n->n_namesz == 4 && !memcmp(n + 1, "Go\0", 4))
                    return true;
                at += sizeof *n + ((n->n_namesz + 3) & ~3u) + ((n->n_descsz + 3) & ~3u);
            }
        }
    return false;
}

void sigstack_relay(int number, struct sigaction *a)
{
    bool caught = a->sa_flags & SA_SIGINFO ||
                  (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
    if (number > 0 && number < NSIG)
        __atomic_fetch_or(&set_so_far, 1ull << (number - 1), __ATOMIC_RELAXED);
    if (!wanted || !caught || !(a->sa_flags & SA_ONSTACK) || is_relay((uintptr_t)a->sa_sigaction))
        return;
    if (is_go((const void *)a->sa_sigaction)) {
        __atomic_store_n(&are_adopted, true, __ATOMIC_RELAXED);
        return;
    }
    for (size_t i = 0; i < RELAYS; i++) {
        handler_t there = 0;
        if (__atomic_compare_exchange_n(&handlers[i], &there, a->sa_sigaction, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            there == a->sa_sigaction) {
            a->sa_sigaction = (handler_t)(uintptr_t)(sigstack_relays + i * RELAY_BYTES);
            return;
        }
    }
}

static bool is_in(uintptr_t p, const stack_t *s)
{
    return p - (uintptr_t)s->ss_sp < s->ss_size;
}

/* What the kernel gave a handler. */
struct given {
    const void *handler;
    int number;
    siginfo_t *info;
    ucontext_t *context;
};

/* Did U's signal strike a relay that has not begun? Then *G is what the relay was given. */
FSBASE_BEFORE static bool waiting_at(const ucontext_t *u, struct given *g)
{
    const greg_t *r = u->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)r[REG_RIP], relays = (uintptr_t)sigstack_relays;
    if (at - relays >= (uintptr_t)(sigstack_blocked - sigstack_relays) ||
        !is_in(r[REG_RSP], &u->uc_stack))
        return false;
    bool saved = at >= (uintptr_t)sigstack_saved;
    size_t relay = at < (uintptr_t)sigstack_wait ? (at - relays) / RELAY_BYTES
                   : saved                       ? (uint32_t)r[REG_R13]
                                                 : (uint32_t)r[REG_RCX];
    g->handler = (const void *)handlers[relay];
    g->number = saved ? (int)r[REG_R12] : (int)r[REG_RDI];
    g->info = (siginfo_t *)(saved ? r[REG_R14] : r[REG_RSI]);
    g->context = (ucontext_t *)(r[REG_RSP] + (greg_t)sizeof(void *));
    return true;
}

/* Where the kernel would have put the frame of U without us: the frame's end. 0: nowhere else. */
FSBASE_BEFORE static uintptr_t end_of_frame(const struct thread *th, const ucontext_t *u)
{
    const stack_t *s = &th->program_stack;
    uintptr_t sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
    if (s->ss_size && (s->ss_flags & AUTODISARM || !is_in(sp, s)))
        return (uintptr_t)s->ss_sp + s->ss_size;
    /* a fault of libprof's own code, or of Go's */
    if (is_in(sp, &u->uc_stack) ||
        (!s->ss_size && __atomic_load_n(&are_adopted, __ATOMIC_RELAXED)))
        return 0;
    return sp - RED_ZONE;
}

/* Copies the kernel's frame from U's begin to END, so that it ends below TO. Returns how far it
 * moved, or 0 if S has no room for it. *FULL: handlers that nest have filled S. The processor needs
 * 64-byte alignment in the frame. */
FSBASE_BEFORE static ptrdiff_t copy_frame(const ucontext_t *u, uintptr_t end, uintptr_t to,
                                          const stack_t *s, bool *full)
{
    uintptr_t from = (uintptr_t)u - sizeof(void *);     /* the address to return to comes first */
    size_t bytes = end - from;
    uintptr_t begin = to - bytes, top = (uintptr_t)s->ss_sp + s->ss_size;
    begin -= (begin - from) & 63;
    *full = to != top && s->ss_size && !(s->ss_flags & AUTODISARM) && is_in(to + RED_ZONE, s) &&
            (begin <= (uintptr_t)s->ss_sp || begin > top);
    if (*full || (to == top && to - begin > s->ss_size))
        return 0;
    void *target = (void *)begin;
    const void *source = (const void *)from;
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(bytes) : : "memory");
    return begin - from;
}

/* FORCED: the return from our handler leads to the end by SIGSEGV. */
enum moved { STAYED, MOVED, FORCED };

/* If the signal struck a relay that has not begun, that relay's handler comes first: it is where
 * the signal strikes then, and nothing is left on our stack. */
FSBASE_BEFORE static enum moved move(const struct thread *th, const struct given *g)
{
    bool full = false;
    ucontext_t *u = g->context;
    greg_t *r = u->uc_mcontext.gregs;
    uintptr_t top = (uintptr_t)u->uc_stack.ss_sp + u->uc_stack.ss_size;
    uintptr_t end = is_in(r[REG_RSP], &u->uc_stack) ? (uintptr_t)r[REG_RSP] - RED_ZONE : top;
    struct given first;
    if (waiting_at(u, &first)) {
        enum moved moved = move(th, &first);
        if (moved == FORCED)
            fatal_forced(u);
        if (moved != MOVED)
            return moved;
        static const uint8_t changed[] = { REG_RIP, REG_RSP, REG_RDI, REG_RSI, REG_RDX, REG_RAX,
                                           REG_EFL };
        for (unsigned i = 0; i < sizeof changed; i++)
            r[changed[i]] = first.context->uc_mcontext.gregs[changed[i]];
    }
    uintptr_t to = end_of_frame(th, u);
    ptrdiff_t by = to ? copy_frame(u, end, to, &th->program_stack, &full) : 0;
    if (full) {
        fatal_forced(u);
        return FORCED;
    }
    if (!by)
        return STAYED;
    ucontext_t *copy = (void *)((char *)u + by);
    if (copy->uc_mcontext.fpregs)
        copy->uc_mcontext.fpregs = (void *)((char *)copy->uc_mcontext.fpregs + by);
    r[REG_RIP] = (greg_t)(uintptr_t)g->handler;
    r[REG_RSP] = (greg_t)(uintptr_t)copy - (greg_t)sizeof(void *);
    r[REG_RDI] = g->number;
    r[REG_RSI] = (greg_t)((uintptr_t)g->info + by);
    r[REG_RDX] = (greg_t)(uintptr_t)copy;
    r[REG_RAX] = 0;
    enum { TRAP = 0x100, DIRECTION = 0x400, RESUME = 0x10000 };
    r[REG_EFL] &= ~(TRAP | DIRECTION | RESUME);
    u->uc_mcontext.fpregs = 0;  /* the kernel starts a handler with an empty one */
    return MOVED;
}

/* All signals are blocked: no other handler may come until the frame is complete. MASK: before
 * that. A fault here ends the process, as it would if the kernel did not find the stack. */
FSBASE_BEFORE static bool move_blocked(const struct given *g, uint64_t mask)
{
    ucontext_t *u = g->context;
    enum moved moved = STAYED;
    if (u->uc_stack.ss_size == SIGSTACK_BYTES && is_in((uintptr_t)u, &u->uc_stack)) {
        const struct head *head =
            (const void *)((char *)u->uc_stack.ss_sp + SIGSTACK_BYTES);
        if (head->mark == MARK)
            moved = move(head->th, g);
    }
    if (moved == MOVED)
        u->uc_sigmask.__val[0] = mask;
    else if (moved == STAYED)
        fsbase_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    return moved != STAYED;
}

FSBASE_BEFORE bool sigstack_move(const void *handler, int number, siginfo_t *info, void *context)
{
    const struct given g = { handler, number, info, context };
    const uint64_t all = ~0ull;
    uint64_t mask;
    if (kernel_closed ||
        fsbase_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&mask, 8, 0, 0))
        return false;
    return move_blocked(&g, mask);
}

/* The relays come here. FAILED: the signals are not blocked. */
void sigstack_enter(int number, siginfo_t *info, void *context, unsigned relay, uint64_t mask,
                    int failed) __attribute__((visibility("hidden"), used));
FSBASE_BEFORE void sigstack_enter(int number, siginfo_t *info, void *context, unsigned relay,
                                  uint64_t mask, int failed)
{
    handler_t handler = handlers[relay];
    const struct given g = { (const void *)handler, number, info, context };
    if (failed || !move_blocked(&g, mask))
        handler(number, info, context);
}

/* Constructors may have set handlers before this. */
void sigstack_setup(void)
{
    wanted = !in_valgrind;      /* valgrind makes frames of its own */
    for (int n = 1; wanted && n < NSIG; n++) {
        struct sigaction a;
        if (!(set_so_far & 1ull << (n - 1)) || real()->sigaction(n, 0, &a))
            continue;
        const void *before = (const void *)a.sa_sigaction;
        sigstack_relay(n, &a);
        if (before != (const void *)a.sa_sigaction)
            real()->sigaction(n, &a, 0);
    }
}

/* ---- stacks ---- */

/* Makes TH's stack, which lies above the guard, the alternate stack. */
static bool give(struct thread *th)
{
    const stack_t ours = { .ss_sp = th->signal_stack, .ss_size = SIGSTACK_BYTES };
    return !real()->sigaltstack(&ours, 0);
}

static bool is_ours(const struct thread *th, const stack_t *now)
{
    return now->ss_sp == th->signal_stack && !(now->ss_flags & SS_DISABLE);
}

/* Maps a stack for TH. The kernel counts a process's mappings (vm.max_map_count, 65530): a stack
 * and its guard are two, like a thread's own. With many threads the program's next one would fail
 * at half their natural number. So after some stacks there are no more guards, and the kernel
 * merges the stack with a mapping beside it. */
static char *map_stack(struct thread *th)
{
    char *p = memory_map(BYTES);
    if (!p)
        return 0;
    if (__atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED) < GUARDED)
        mprotect(p, GUARD, PROT_NONE);
    *(struct head *)(p + GUARD + SIGSTACK_BYTES) = (struct head){ MARK, th };
    return p + GUARD;
}

/* Not inline, because its stack_t would lie on the thread's stack at its deepest place
 * (policy/depth-begin). */
__attribute__((noinline)) void sigstack_thread_start(struct thread *th)
{
    int saved = errno;
    if (!th->signal_stack)
        th->signal_stack = map_stack(th);
    aside_stack(th->signal_stack);
    stack_t now;
    th->program_stack = (stack_t){ 0 };
    if (wanted && th->signal_stack && !kernel_closed && !real()->sigaltstack(0, &now) &&
        now.ss_flags & SS_DISABLE)
        give(th);
    errno = saved;
}

/* The slot's next thread gets the stack. If a thread ends while it runs on the stack (pthread_exit
 * in a handler), the stack is leaked. */
void sigstack_thread_stop(struct thread *th)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t now;
    aside_stack(0);
    if (!th->signal_stack || kernel_closed)
        return;
    int saved = errno;
    if (!real()->sigaltstack(0, &now) && is_ours(th, &now) &&
        real()->sigaltstack(th->program_stack.ss_size ? &th->program_stack : &none, 0) &&
        real()->sigaltstack(&none, 0))
        th->signal_stack = 0;
    errno = saved;
}

/* The program does not see our stack. The kernel reads *NEW and writes *OLD first: it reports an
 * address or a stack that is wrong. */
static int set_stack(struct thread *th, const stack_t *new, stack_t *old)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t seen;
    if (real()->sigaltstack(0, &seen))
        return real()->sigaltstack(new, old);
    if (is_ours(th, &seen)) {
        seen = th->program_stack.ss_size ? th->program_stack : none;
        if (seen.ss_size && !(seen.ss_flags & AUTODISARM) &&
            is_in((uintptr_t)__builtin_frame_address(0), &seen))
            seen.ss_flags |= SS_ONSTACK;
    }
    if (new && seen.ss_flags & SS_ONSTACK) {
        errno = EPERM;
        return -1;
    }
    if (new && real()->sigaltstack(new, 0))
        return -1;
    /* a vfork child has a stack of its own, and our memory */
    if (new && (uint32_t)syscall(SYS_gettid) == th->tid) {
        th->program_stack = new->ss_flags & SS_DISABLE ? (stack_t){ 0 } : *new;
        th->program_stack.ss_flags &= (int)AUTODISARM;
        give(th);               /* not if the thread runs on the new stack */
    }
    if (old && real()->sigaltstack(0, old))
        return -1;
    if (old)
        *old = seen;
    return 0;
}

/* No handler may come while the kernel has the program's stack. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
    struct thread *th = thread_self_;
    if (!wanted || !th || !th->signal_stack || kernel_closed)
        return real()->sigaltstack(new, old);
    const uint64_t all = ~0ull;
    uint64_t mask = 0;
    int saved = errno;
    if (new)
        syscall(SYS_rt_sigprocmask, (long)SIG_BLOCK, &all, &mask, 8L);
    errno = saved;
    int result = set_stack(th, new, old);
    saved = errno;
    if (new)
        syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, 0L, 8L);
    errno = saved;
    return result;
}
