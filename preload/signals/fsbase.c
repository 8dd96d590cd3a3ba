/* fsbase.c - see fsbase.h. Nothing here touches thread-local storage, but fsbase_setup. */
#define _GNU_SOURCE
#include "signals/fsbase.h"
#include <elf.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include "base/aside.h"
#include "base/thread_pointer.h"
#include "base/forbid.h"

#define FSGSBASE 2 /* in AT_HWCAP2: the kernel lets programs use the instructions */
#define MARK 0x6c6962707266f5b1ull

READ_MOSTLY bool fsbase_instruction;
/* Every thread that libc started has this mark, whether we know the thread or not. */
static __thread volatile uint64_t mark __attribute__((tls_model("initial-exec"))) = MARK;
static READ_MOSTLY uintptr_t mark_offset; /* from the FS base; written by fsbase_setup */

/* Valgrind does not know rdfsbase. */
void fsbase_setup(void)
{
    fsbase_instruction = !in_valgrind && getauxval(AT_HWCAP2) & FSGSBASE;
    mark_offset = (uintptr_t)&mark - thread_pointer();
}

/* Is there storage of libprof's at BASE? It may also be an emulated program's block, or not
 * mapped. */
FSBASE_BEFORE static bool is_marked(uintptr_t base)
{
    uint64_t found = 0;
    const struct iovec to = { &found, sizeof found };
    const struct iovec from = { (void *)(base + mark_offset), sizeof found };
    long pid = fsbase_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return fsbase_call(SYS_process_vm_readv, pid, (long)&to, 1, (long)&from, 1, 0) ==
               sizeof found &&
           found == MARK;
}

FSBASE_BEFORE bool fsbase_enter(uintptr_t *before)
{
    uint32_t tid = fsbase_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    while (th && !(th->tid == tid && __atomic_load_n(&th->live, __ATOMIC_ACQUIRE)))
        th = th->next;
    *before = fsbase_get();
    if ((th && th->fs_base == *before) || is_marked(*before))
        return true;
    if (th)
        fsbase_leave(th->fs_base);
    return th;
}

FSBASE_BEFORE void fsbase_leave(uintptr_t before)
{
    if (fsbase_get() != before)
        fsbase_call(SYS_arch_prctl, ARCH_SET_FS, (long)before, 0, 0, 0, 0);
}
