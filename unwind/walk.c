/* walk.c - see walk.h. */
#define _GNU_SOURCE
#include "unwind/walk.h"
#include "arch/frame.h"
#include "arch/registers.h"
#include "arch/system_call.h"
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "unwind/call.h"
#include "unwind/cfi.h"
#include "base/kernel.h"
#include "base/aside.h"
#include "base/forbid.h"

/* Under valgrind: memcheck objects to a system call that reads memory which the program has not
 * written, but not to copies between processes. */
static __attribute__((noinline, cold)) bool can_be_copied(uintptr_t at)
{
    int saved = errno;
    uint64_t word;
    struct iovec local = { &word, sizeof word }, remote = { (void *)at, sizeof word };
    bool copied = kernel_call(SYS_process_vm_readv, (long)getpid(), &local, 1L, &remote, 1L, 0L) ==
                  sizeof word;
    errno = saved;
    return copied;
}

/* Asks the kernel to read a set of signals at AT, for an operation that does not exist. The kernel
 * reads first (EFAULT), then rejects the operation (EINVAL). */
bool walk_mapped(uintptr_t at)
{
    if (at < WALK_PAGE)         /* the kernel does not read a set at NULL, and returns no error */
        return false;
    if (__builtin_expect(in_valgrind, 0))
        return can_be_copied(at);
    return system_call4(SYS_rt_sigprocmask, -1, (long)at, 0, sizeof(uint64_t)) != -EFAULT;
}

/* On the task's own stack all memory from the stack pointer to the limit is mapped. But a
 * coroutine's stack may end anywhere. So a walk tries each page once. */
static inline bool mapped(struct walk_frame *f, uintptr_t at)
{
    /* 0 is no page that was tried. A program may have a small number in its stack pointer. */
    if (((at ^ f->tried) < WALK_PAGE && at >= WALK_PAGE) || f->copy)
        return true;
    if (!walk_mapped(at))
        return false;
    f->tried = at & -WALK_PAGE;
    return true;
}

static inline bool readable(struct walk_frame *f, uintptr_t at, uintptr_t limit)
{
    return at >= f->sp && at < limit && !(at & 7) && mapped(f, at);
}

static inline uintptr_t word(const struct walk_frame *f, uintptr_t at)
{
    return *(const uintptr_t *)(at + f->copy);
}

/* Reads the caller's fp, which F's function saved at AT. False: the caller's fp is not known.
 * If F was interrupted in its function's first or last instructions, AT may be below the stack
 * pointer, though the row names it. In the red zone, which signals do not overwrite, the word is
 * still there. Further below, the word is lost, but then the register holds the caller's fp
 * again. */
static inline bool saved_fp(struct walk_frame *f, uintptr_t at, uintptr_t limit, uintptr_t *fp)
{
    if (__builtin_expect(at < f->sp && f->exact, 0)) {
        if (f->sp - at > RED_ZONE || f->copy)
            return !f->fp_lost;
        if (at & 7 || !mapped(f, at))
            return false;
    } else if (!readable(f, at, limit)) {
        return false;
    }
    *fp = word(f, at);
    return true;
}

/* F is the kernel's signal frame. Its caller is the interrupted frame, whose registers F holds. */
static enum walk_end step_signal(struct walk_frame *f, uintptr_t limit)
{
    uintptr_t at = f->sp + SIGNAL_CONTEXT;
    const ucontext_t *u = (const ucontext_t *)(at + f->copy);
    struct registers_slots slots = registers_slots((const ucontext_t *)at);
    if (!readable(f, slots.fp, limit) || !readable(f, slots.pc, limit))
        return WALK_BROKEN;
    uintptr_t sp = registers_sp(u);
    /* On the stack of the handler, the interrupted frame has a higher address. A lower one is on
     * another stack, to which only a walk without a limit goes. */
    if (sp <= f->sp && limit != WALK_ANYWHERE)
        return WALK_BROKEN;
    *f = (struct walk_frame){ .pc = registers_pc(u),
                              .sp = sp,
                              .fp = registers_fp(u),
                              WALK_LINK(u)
                              .exact = true,
                              .copy = f->copy };
    return f->sp >= limit || !f->pc ? WALK_BROKEN : WALK_LIMIT;
}

/* The return address that is still in its register. False: it is not known. */
static inline bool link_of(const struct walk_frame *f, uintptr_t *back)
{
#if RETURN_IS_PUSHED
    (void)f, (void)back;
    return false;
#else
    *back = f->link;
    return f->exact && f->link;
#endif
}

enum walk_end walk_step(struct walk_frame *f, uintptr_t limit, const uintptr_t **slot)
{
    struct cfi_row row = cfi_row(f->pc - !f->exact);
    uintptr_t cfa;
    switch ((enum cfi_cfa)row.cfa) {
    case CFI_SP: cfa = f->sp + row.cfa_offset; break;
    case CFI_FP:
        if (f->fp_lost)
            return WALK_BROKEN;
        cfa = f->fp + row.cfa_offset;
        break;
    case CFI_FP_DEREF:
        cfa = f->fp + row.cfa_offset;
        if (f->fp_lost || !readable(f, cfa, limit))
            return WALK_BROKEN;
        cfa = word(f, cfa);
        break;
    case CFI_SIGNAL: return step_signal(f, limit);
    case CFI_END: f->pc = 0; return WALK_LIMIT;
    default: return WALK_BROKEN;
    }
    if (cfa >= limit) {
        f->pc = 0;
        return WALK_LIMIT;
    }
    /* The return address lies below the CFA and above sp: callers are further up. */
    uintptr_t at = cfa + (uintptr_t)cfi_return_offset(row), back = 0, fp = f->fp;
    if (!cfi_return_in_register(row)) {
        if (!readable(f, at, limit))
            return WALK_BROKEN;
        back = word(f, at);
    } else if (!link_of(f, &back)) {
        return WALK_BROKEN;
    }
    back = code_address(back);
    /* BACK is neither after a call nor a start that makecontext wrote: F is no frame of a stack. */
    if (__builtin_expect(cfi_row(back - 1).cfa == CFI_NONE, 0) && back &&
        cfi_function(back) != back && !call_before(back))
        return WALK_BROKEN;
    bool lost = f->fp_lost || row.fp_lost;
    if (row.fp_saved) {
        lost = !saved_fp(f, cfa + row.fp_offset, limit, &fp);
        fp = lost ? 0 : fp;
    } else if (row.cfa == CFI_FP_DEREF && !lost) {
        lost = !readable(f, f->fp, limit);
        fp = lost ? 0 : word(f, f->fp);
    }
    if (slot)
        *slot = (const uintptr_t *)at;
    *f = (struct walk_frame){ .pc = back, .sp = cfa, .fp = fp, .fp_lost = lost,
                              .tried = f->tried, .copy = f->copy };
    return WALK_LIMIT;
}

size_t walk(struct walk_frame f, uintptr_t limit, uintptr_t *pc, size_t capacity,
            enum walk_end *end)
{
    size_t n = 0;
    *end = WALK_LIMIT;
    while (f.pc && *end == WALK_LIMIT) {
        if (n == capacity) {
            *end = WALK_FULL;
            break;
        }
        pc[n++] = f.pc;
        *end = walk_step(&f, limit, 0);
    }
    return n;
}
