/* sigstack.c - see sigstack.h. Which alternate stack is in force, the kernel knows, and we ask it.
 * So it does no harm if a program sets one by the system call itself, as Go does. What a thread
 * remembers of its program's stack (program_stack) only tells which calls of munmap and the like
 * concern it, and what sigaltstack() returns of a stack that the kernel does not have.
 */
#define _GNU_SOURCE
#include "signals/sigstack.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/aside.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/real.h"
#include "signals/signals.h"
#include "unwind/objects.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))
#define GUARD ((size_t)4096)
#define BYTES (GUARD + SIGSTACK_BYTES)
#define GUARDED 1000u           /* stacks with a guard, at most */

static bool wanted; /* written by sigstack_setup */
/* The next ones; written by sigstack_start. */
static int (*unmap)(void *, size_t);
static int (*protect)(void *, size_t, int);
static void *(*remap)(void *, size_t, size_t, int, ...);
static size_t least_bytes;      /* the kernel's frame needs so many; written by sigstack_start */
/* The program's handlers use alternate stacks; set once, by whoever sets the first such handler. */
bool sigstack_are_programs;
/* Stacks mapped so far, by all threads. */
static unsigned mapped;
/* Go's runtime is there. It may have taken our stacks for its own, so they stay. */
static bool are_adopted;

/* A malloc of the program's may call munmap while libprof looks up a name. So munmap itself must
 * not look up anything. */
void sigstack_start(void)
{
    *(void **)&unmap = lookup(RTLD_NEXT, "munmap");
    *(void **)&protect = lookup(RTLD_NEXT, "mprotect");
    *(void **)&remap = lookup(RTLD_NEXT, "mremap");
    least_bytes = getauxval(AT_MINSIGSTKSZ);
}

void sigstack_setup(void)
{
    wanted = true;
}

/* Makes TH's stack, which lies above the guard, the alternate stack. */
static void give(struct thread *th)
{
    const stack_t ours = { .ss_sp = th->signal_stack, .ss_size = SIGSTACK_BYTES };
    th->lent_stack = !real()->sigaltstack(&ours, 0);
}

/* If TH's stack is the alternate stack, disables it. False: a handler runs on it. */
static bool take_back(struct thread *th)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t now;
    bool gone = real()->sigaltstack(0, &now) || now.ss_sp != th->signal_stack ||
                !real()->sigaltstack(&none, 0);
    if (gone)
        th->lent_stack = false;
    return gone;
}

void sigstack_give_back(struct thread *th)
{
    int saved = errno;
    if (th->signal_stack && !kernel_closed)
        take_back(th);
    errno = saved;
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

void sigstack_programs(const void *handler)
{
    struct thread *th = thread_self_;
    if (__atomic_load_n(&are_adopted, __ATOMIC_RELAXED))
        return;
    if (is_go(handler)) {
        __atomic_store_n(&are_adopted, true, __ATOMIC_RELAXED);
        __atomic_store_n(&sigstack_are_programs, false, __ATOMIC_RELAXED);
        return;
    }
    if (!__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
        __atomic_store_n(&sigstack_are_programs, true, __ATOMIC_RELAXED);
    if (th)
        sigstack_give_back(th);
}

/* Disables the alternate stack, on which this function runs. The kernel refuses that to code whose
 * stack pointer is there. So the stack pointer is SP meanwhile. Nothing uses that stack: the system
 * call does not, and all signals are blocked. */
static bool disable_from(uintptr_t sp)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    long result = SYS_sigaltstack;
    register uintptr_t other __asm__("r12") = sp;
    __asm__ volatile("xchg %%rsp, %%r12\n\t"
                     "syscall\n\t"
                     "xchg %%rsp, %%r12"
                     : "+a"(result), "+r"(other)
                     : "D"(&none), "S"(0l)
                     : "rcx", "r11", "memory");
    return !result;
}

/* The return from a handler sets the alternate stack of its context, so that must change, too.
 * Linux 6.12 refuses this to a handler on the alternate stack, so it does not suffice. If the
 * sample has interrupted code on the stack, a later one tries again. */
void sigstack_sampled(struct thread *th, void *context)
{
    ucontext_t *u = context;
    stack_t now;
    uintptr_t sp = u->uc_mcontext.gregs[REG_RSP];
    if (!th->lent_stack || in_valgrind || kernel_closed ||
        __atomic_load_n(&are_adopted, __ATOMIC_RELAXED) ||
        sp - (uintptr_t)th->signal_stack <= SIGSTACK_BYTES)
        return;
    int saved = errno;
    if (real()->sigaltstack(0, &now))
        now.ss_sp = 0;
    errno = saved;
    if (now.ss_sp == th->signal_stack && !disable_from(sp))
        return;
    if (u->uc_stack.ss_sp == th->signal_stack)
        u->uc_stack = (stack_t){ .ss_flags = SS_DISABLE };
    /* pairs with signals_before */
    __atomic_store_n(&th->lent_stack, false, __ATOMIC_RELEASE);
}

/* Maps a stack. The kernel counts a process's mappings (vm.max_map_count, 65530): a stack and its
 * guard are two, like a thread's own. With many threads the program's next one would fail at half
 * their natural number. So after some stacks there are no more guards, and the kernel merges the
 * stack with a mapping beside it. */
static char *map_stack(void)
{
    char *p = memory_map(BYTES);
    if (!p)
        return 0;
    if (__atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED) < GUARDED)
        mprotect(p, GUARD, PROT_NONE);
    return p + GUARD;
}

/* Not inline, because its stack_t would lie on the thread's stack at its deepest place
 * (policy/depth-begin). */
__attribute__((noinline)) void sigstack_thread_start(struct thread *th)
{
    int saved = errno;
    if (!th->signal_stack)
        th->signal_stack = map_stack();
    aside_stack(th->signal_stack);
    stack_t now;
    th->lent_stack = th->asked_stack = false;
    th->program_stack = (stack_t){ 0 };
    th->hidden_stack = HIDDEN_NOT;
    if (wanted && th->signal_stack && !kernel_closed && !real()->sigaltstack(0, &now)) {
        if (!(now.ss_flags & SS_DISABLE))
            th->program_stack = now;
        else if (!__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
            give(th);
    }
    errno = saved;
}

/* The slot's next thread gets the stack. If a thread ends while it runs on the stack (pthread_exit
 * in a handler), the stack is leaked. */
void sigstack_thread_stop(struct thread *th)
{
    aside_stack(0);
    if (!th->signal_stack || kernel_closed)
        return;
    int saved = errno;
    if (!take_back(th))
        th->signal_stack = 0;
    errno = saved;
}

bool sigstack_is_programs(const struct thread *th)
{
    int saved = errno;
    stack_t now;
    bool is = wanted && !kernel_closed && !real()->sigaltstack(0, &now) &&
              !(now.ss_flags & SS_DISABLE) && now.ss_sp != th->signal_stack;
    errno = saved;
    return is;
}

/* The kernel gets ours, or none, in place of TH's stack of the program's. */
static void hide(struct thread *th, enum hidden why)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    th->hidden_stack = why;
    if (__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
        real()->sigaltstack(&none, 0);
    else
        give(th);
}

/* The program takes away BYTES at P. If its alternate stack has some of them, no signal can run
 * there any more, and the kernel must not try. Ours replaces it, as if the program had disabled it.
 * A stack may have a page without access at its end, so a protected one lacks its top. */
static void stack_leaves(struct thread *th, const char *p, size_t bytes, enum hidden why)
{
    const char *stack = th->program_stack.ss_sp, *top = stack + th->program_stack.ss_size;
    const char *needed = top - (why == HIDDEN_PROTECTED ? least_bytes : th->program_stack.ss_size);
    if ((uintptr_t)p & 4095 || top <= p || p + bytes <= needed)
        return;
    int saved = errno;
    stack_t now;
    if (th->hidden_stack)
        th->hidden_stack = why;
    else if (!kernel_closed && !real()->sigaltstack(0, &now) && now.ss_sp == stack &&
             !(now.ss_flags & (SS_DISABLE | SS_ONSTACK)))
        hide(th, why);
    errno = saved;
}

/* BYTES at P can be written again. */
static void stack_returns(struct thread *th, const char *p, size_t bytes)
{
    const char *stack = th->program_stack.ss_sp, *top = stack + th->program_stack.ss_size;
    int saved = errno;
    if (th->hidden_stack == HIDDEN_PROTECTED && p < top && top <= p + bytes && !kernel_closed &&
        !real()->sigaltstack(&th->program_stack, 0))
        th->hidden_stack = th->lent_stack = 0;
    errno = saved;
}

EXPORT int munmap(void *p, size_t bytes)
{
    struct thread *th = thread_self_;
    if (__builtin_expect(th && th->program_stack.ss_size, 0))
        stack_leaves(th, p, bytes, HIDDEN_UNMAPPED);
    return unmap ? unmap(p, bytes) : (int)syscall(SYS_munmap, p, bytes);
}

EXPORT int mprotect(void *p, size_t bytes, int protection)
{
    struct thread *th = thread_self_;
    bool has_stack = __builtin_expect(th && th->program_stack.ss_size, 0);
    if (has_stack && !(protection & PROT_WRITE))
        stack_leaves(th, p, bytes, HIDDEN_PROTECTED);
    int result = protect ? protect(p, bytes, protection)
                         : (int)syscall(SYS_mprotect, p, bytes, (long)protection);
    if (has_stack && !result && protection & PROT_WRITE)
        stack_returns(th, p, bytes);
    return result;
}

EXPORT void *mremap(void *p, size_t bytes, size_t to_bytes, int flags, ...)
{
    struct thread *th = thread_self_;
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : 0;
    va_end(more);
    if (__builtin_expect(th && th->program_stack.ss_size, 0) &&
        (to_bytes < bytes || flags & MREMAP_MAYMOVE))
        stack_leaves(th, p, bytes, HIDDEN_UNMAPPED);
    return remap ? remap(p, bytes, to_bytes, flags, to)
                 : (void *)syscall(SYS_mremap, p, bytes, to_bytes, (long)flags, to);
}

/* The program does not see our stack. Where ours is in force, the program sees none, or the one
 * that the kernel does not have any more. When it disables its own, ours comes back. The kernel
 * reads *NEW and writes *OLD first: it reports an address that is wrong. */
static int set_stack(struct thread *th, const stack_t *new, stack_t *old)
{
    stack_t before;
    if (real()->sigaltstack(new, &before))
        return -1;
    const stack_t none = { .ss_flags = SS_DISABLE };
    bool disable = new && new->ss_flags & SS_DISABLE;
    if (old && real()->sigaltstack(0, old))
        return -1;
    int saved = errno;
    bool was_ours = before.ss_sp == th->signal_stack && !(before.ss_flags & SS_DISABLE);
    if (new)
        th->lent_stack = false;
    if (disable && !__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
        give(th);
    if (old && (was_ours || before.ss_flags & SS_DISABLE))
        *old = th->hidden_stack ? th->program_stack : none;
    else if (old)
        *old = before;
    if (new) {
        th->program_stack = disable ? (stack_t){ 0 } : *new;
        th->hidden_stack = HIDDEN_NOT;
        if (!disable && new->ss_size < least_bytes)
            hide(th, HIDDEN_SMALL);
    }
    errno = saved;
    return 0;
}

/* The kernel takes a stack of 2048 bytes also where its frame needs more. So no sample may come
 * before such a stack is hidden. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
    struct thread *th = thread_self_;
    if (!wanted || !th || !th->signal_stack)
        return real()->sigaltstack(new, old);
    const uint64_t samples = 1ull << (SIGNALS_OURS - 1);
    uint64_t mask = 0;
    int saved = errno;
    if (new)
        kernel_call(SYS_rt_sigprocmask, (long)SIG_BLOCK, &samples, &mask, 8L);
    errno = saved;
    int result = set_stack(th, new, old);
    saved = errno;
    if (new)
        kernel_call(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, 0L, 8L);
    errno = saved;
    return result;
}
