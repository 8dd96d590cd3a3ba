/* tls.c - see tls.h. Nothing here touches thread-local storage, but tls_setup. */
#define _GNU_SOURCE
#include "signals/tls.h"
#include "arch/system_call.h"
#include <sys/syscall.h>
#include <sys/uio.h>
#include "base/aside.h"
#include "base/forbid.h"

#define MARK 0x6c6962707266f5b1ull

READ_MOSTLY bool tls_quick;
/* Every thread that libc started has this mark, whether we know the thread or not. */
static __thread volatile uint64_t mark __attribute__((tls_model("initial-exec"))) = MARK;
static READ_MOSTLY uintptr_t mark_offset; /* from the thread pointer; written by tls_setup */

/* Valgrind does not know rdfsbase. */
void tls_setup(void)
{
    tls_quick = !in_valgrind && thread_pointer_quick();
    mark_offset = (uintptr_t)&mark - thread_pointer();
}

/* Is there storage of libprof's at BASE? It may also be an emulated program's block, or not
 * mapped. */
TLS_BEFORE static bool is_marked(uintptr_t base)
{
    uint64_t found = 0;
    const struct iovec to = { &found, sizeof found };
    const struct iovec from = { (void *)(base + mark_offset), sizeof found };
    long pid = system_call2(SYS_getpid, 0, 0);
    return system_call6(SYS_process_vm_readv, pid, (long)&to, 1, (long)&from, 1, 0) ==
               sizeof found &&
           found == MARK;
}

TLS_BEFORE bool tls_enter(uintptr_t *before)
{
    uint32_t tid = system_call2(SYS_gettid, 0, 0);
    const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    while (th && !(th->tid == tid && __atomic_load_n(&th->live, __ATOMIC_ACQUIRE)))
        th = th->next;
    *before = tls_now();
    if ((th && th->thread_pointer == *before) || is_marked(*before))
        return true;
    if (th)
        tls_leave(th->thread_pointer);
    return th;
}

TLS_BEFORE void tls_leave(uintptr_t before)
{
    if (tls_now() != before)
        thread_pointer_set(before);
}
