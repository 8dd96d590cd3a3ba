/* sigstack.c - see sigstack.h. Which alternate stack is in force, the kernel knows, and we ask it.
 * So it does no harm if a program sets one by the system call itself, as Go does.
 */
#define _GNU_SOURCE
#include "signals/sigstack.h"
#include "arch/cpu.h"
#include "arch/frame.h"
#include "arch/registers.h"
#include "arch/signal_frame.h"
#include "arch/system_call.h"
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/aside.h"
#include "base/export.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "base/real.h"
#include "libprof_format.h"
#include "signals/fatal.h"
#include "signals/tls.h"
#include "signals/signals.h"
#include "unwind/objects.h"
#include "base/forbid.h"

#define GUARD ((size_t)4096)
#define GUARDED 1000u           /* guards that are mappings, at most */
#define AUTODISARM (1u << 31)   /* SS_AUTODISARM of <linux/signal.h> */

/* Above the stack. */
struct head {
    uint64_t mark;
    struct thread *th;
};
#define MARK 0x6c6962707266a17full

typedef void (*handler_t)(int, siginfo_t *, void *);
_Static_assert(sizeof kernel_closed == 1, "relays");

static bool wanted; /* written by sigstack_setup */
/* Go's runtime is there, and may have taken our stacks for its own. Set once. */
static bool are_adopted;
/* 1 << (number - 1) of each signal whose action the program has set. */
static uint64_t set_so_far;
/* Stacks mapped so far, by all threads. */
static unsigned mapped;

/* ---- relays ---- */

/* The handler of each relay. A thread that sets a handler writes the first free one, once. */
static handler_t handlers[RELAYS];

/* The kernel enters a relay. If several signals come at once, it enters the next relay before the
 * first one has begun (waiting_at). */
relay_enter sigstack_enter __attribute__((visibility("hidden"), used));
SIGNAL_RELAYS(sigstack_enter, kernel_closed);

TLS_BEFORE static bool is_relay(uintptr_t p)
{
    return p - (uintptr_t)signal_relays < RELAYS * RELAY_BYTES;
}

const void *sigstack_relayed(const void *handler)
{
    if (!is_relay((uintptr_t)handler))
        return handler;
    size_t i = ((uintptr_t)handler - (uintptr_t)signal_relays) / RELAY_BYTES;
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
            a->sa_sigaction = (handler_t)(uintptr_t)(signal_relays + i * RELAY_BYTES);
            return;
        }
    }
}

static bool is_in(uintptr_t p, const stack_t *s)
{
    return p - (uintptr_t)s->ss_sp < s->ss_size;
}

/* What the kernel gave a handler, and whose handler it is. */
struct given {
    const void *handler;
    struct signal_given to;
};

/* Did U's signal strike a relay that has not begun? Then *G is what the relay was given. */
TLS_BEFORE static bool waiting_at(const ucontext_t *u, struct given *g)
{
    int relay = is_in(registers_sp(u), &u->uc_stack) ? signal_relay_waiting(u, &g->to) : -1;
    g->handler = relay < 0 ? 0 : (const void *)handlers[relay];
    return relay >= 0;
}

/* Where the kernel would have put the frame of U without us: the frame's end. 0: nowhere else. */
TLS_BEFORE static uintptr_t end_of_frame(const struct thread *th, const ucontext_t *u)
{
    const stack_t *s = &th->program_stack;
    uintptr_t sp = registers_sp(u);
    if (s->ss_size && !is_in(sp, s))
        return (uintptr_t)s->ss_sp + s->ss_size;
    /* a fault of libprof's own code, or of Go's */
    if (is_in(sp, &u->uc_stack) ||
        (!s->ss_size && __atomic_load_n(&are_adopted, __ATOMIC_RELAXED)))
        return 0;
    return sp - RED_ZONE;
}

/* Copies the kernel's frame of U up to END, so that it ends below TO. Returns how far it
 * moved, or 0 if S has no room for it. *FULL: handlers that nest have filled S. The processor needs
 * 64-byte alignment in the frame. */
TLS_BEFORE static ptrdiff_t copy_frame(const ucontext_t *u, uintptr_t end, uintptr_t to,
                                          const stack_t *s, bool *full)
{
    uintptr_t from = signal_frame_begin(u);
    size_t bytes = end - from;
    uintptr_t begin = to - bytes, top = (uintptr_t)s->ss_sp + s->ss_size;
    begin -= (begin - from) & 63;
    *full = to != top && s->ss_size && is_in(to + RED_ZONE, s) &&
            (begin <= (uintptr_t)s->ss_sp || begin > top);
    if (*full || (to == top && to - begin > s->ss_size))
        return 0;
    cpu_copy((void *)begin, (const void *)from, bytes);
    return begin - from;
}

/* FORCED: the return from our handler leads to the end by SIGSEGV. */
enum moved { STAYED, MOVED, FORCED };

/* If the signal struck a relay that has not begun, that relay's handler comes first: it is where
 * the signal strikes then, and nothing is left on our stack. */
TLS_BEFORE static enum moved move(const struct thread *th, const struct given *g)
{
    bool full = false;
    ucontext_t *u = g->to.context;
    uintptr_t sp = registers_sp(u);
    uintptr_t top = (uintptr_t)u->uc_stack.ss_sp + u->uc_stack.ss_size;
    uintptr_t end = is_in(sp, &u->uc_stack) ? sp - RED_ZONE : top;
    struct given first;
    if (waiting_at(u, &first)) {
        enum moved moved = move(th, &first);
        if (moved == FORCED)
            fatal_forced(u);
        if (moved != MOVED)
            return moved;
        signal_frame_follow(u, first.to.context);
    }
    uintptr_t to = end_of_frame(th, u);
    ptrdiff_t by = to ? copy_frame(u, end, to, &th->program_stack, &full) : 0;
    if (full) {
        fatal_forced(u);
        return FORCED;
    }
    if (!by)
        return STAYED;
    signal_frame_enter(u, g->handler, &g->to, by);
    return MOVED;
}

/* All signals are blocked: no other handler may come until the frame is complete. MASK: before
 * that. A fault here ends the process, as it would if the kernel did not find the stack. */
TLS_BEFORE static bool move_blocked(const struct given *g, uint64_t mask)
{
    ucontext_t *u = g->to.context;
    enum moved moved = STAYED;
    size_t bytes = u->uc_stack.ss_size;
    if ((bytes == SIGSTACK_BYTES || bytes == SIGSTACK_MAIN_BYTES) &&
        is_in((uintptr_t)u, &u->uc_stack)) {
        const struct head *head = (const void *)((char *)u->uc_stack.ss_sp + bytes);
        if (head->mark == MARK)
            moved = move(head->th, g);
    }
    if (moved == MOVED)
        u->uc_sigmask.__val[0] = mask;
    else if (moved == STAYED)
        system_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    return moved != STAYED;
}

TLS_BEFORE bool sigstack_move(const void *handler, int number, siginfo_t *info, void *context)
{
    const struct given g = { handler, { number, info, context } };
    const uint64_t all = ~0ull;
    uint64_t mask;
    if (kernel_closed ||
        system_call6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&mask, 8, 0, 0))
        return false;
    return move_blocked(&g, mask);
}

/* The relays come here. FAILED: the signals are not blocked. */
TLS_BEFORE void sigstack_enter(int number, siginfo_t *info, void *context, unsigned relay,
                                  uint64_t mask, int failed)
{
    handler_t handler = handlers[relay];
    const struct given g = { (const void *)handler, { number, info, context } };
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
    const stack_t ours = { .ss_sp = th->signal_stack, .ss_size = th->signal_stack_bytes };
    return !real()->sigaltstack(&ours, 0);
}

static bool is_ours(const struct thread *th, const stack_t *now)
{
    return now->ss_sp == th->signal_stack && !(now->ss_flags & SS_DISABLE);
}

/* Maps a stack for TH. The kernel counts a process's mappings (vm.max_map_count, 65530): a stack
 * and its guard are two, like a thread's own, and each makes a fork slower. With many threads the
 * program's next one would fail at half their natural number. So the guard is no mapping where the
 * kernel can do that. Elsewhere, after some stacks there are no more guards, and the kernel merges
 * the stack with a mapping beside it. */
static void map_stack(struct thread *th)
{
    size_t bytes = th->kind == LPF_THREAD_MAIN ? SIGSTACK_MAIN_BYTES : SIGSTACK_BYTES;
    char *p = memory_map_apart(GUARD + bytes + ASIDE_ABOVE);
    if (!p)
        return;
    if (!memory_guard(p, GUARD) &&
        __atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED) < GUARDED)
        mprotect(p, GUARD, PROT_NONE);
    *(struct head *)(p + GUARD + bytes) = (struct head){ MARK, th };
    th->signal_stack = p + GUARD;
    th->signal_stack_bytes = bytes;
}

/* Not inline, because its stack_t would lie on the thread's stack at its deepest place
 * (policy/depth-begin). */
__attribute__((noinline)) void sigstack_thread_start(struct thread *th)
{
    int saved = errno;
    if (!th->signal_stack)
        map_stack(th);
    if (th->signal_stack)
        aside_stack(th->signal_stack + th->signal_stack_bytes, th->signal_stack_bytes);
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
    aside_stack(0, 0);
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
        if (seen.ss_size &&
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
        bool off = new->ss_flags & SS_DISABLE, kernels = !off && new->ss_flags & AUTODISARM;
        th->program_stack = off || kernels ? (stack_t){ 0 } : *new;
        th->program_stack.ss_flags = 0;
        if (!kernels)
            give(th);           /* not if the thread runs on the new stack */
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
