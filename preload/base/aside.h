/* aside.h - calls on a stack of libprof's, the ASIDE STACK.
 *
 * A hook runs on the program's stack. That may be a coroutine's, or one of PTHREAD_STACK_MIN, and
 * nearly full. A hook's frequent work needs a few hundred bytes there. Its rare work needs
 * kilobytes: it learns a path, looks up a name, starts a thread. This work runs on the aside stack,
 * which libprof maps for each thread (signals/sigstack.c).
 *
 * Meanwhile the thread's signals wait, for three reasons. A handler of the program's may need more
 * stack than there is, or may leave by longjmp. A sample must not be taken there. And where the
 * aside stack is also the alternate signal stack, a handler would start at its top and overwrite
 * it. Two kinds of signals do not wait. A blocked fault would end the process, and the program's
 * malloc may rely on faults. And while libc's signal for setuid waits, so does another thread,
 * which may hold the loader's lock.
 *
 * The rare work calls libraries whose functions are cancellation points: libunwind opens files. A
 * hook must not be one, so meanwhile the thread cannot be cancelled.
 */
#ifndef PRELOAD_BASE_ASIDE_H
#define PRELOAD_BASE_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [init] Sets in_valgrind if ENVIRONMENT shows that valgrind runs the program. */
void aside_setup(char *const *environment);
extern bool in_valgrind;

/* The calling thread's. One structure, because each thread pays for the gaps between thread-local
 * variables with its stack. */
extern __thread struct aside {
    char *top;                  /* of the aside stack; NULL: there is none */
    uint32_t bytes;             /* that the kernel uses of it, below TOP */
    bool used;                  /* a call runs there */
    /* libunwind runs for libprof. It changes the thread's mask, and sets it again. Its call may
     * come to libprof's own sigprocmask: no RTLD_DEEPBIND keeps the two apart under a sanitizer, or
     * if the program is linked with libunwind itself. Such a call is not the program's. Only
     * unwind/function_at.c and its own thread write this. */
    bool in_library;
} aside_here __attribute__((tls_model("initial-exec")));

/* [any] Calls F(ARGUMENT) on the stack that ends at TOP, 16-byte aligned. */
void aside_call(void *top, void (*f)(void *), void *argument);

/* [hook] Sets the calling thread's aside stack: BYTES below TOP, which is 16-byte aligned. A call
 * may use ASIDE_BYTES. NULL: none. Above them, ASIDE_ABOVE bytes complete the last page
 * (signals/sigstack.c). */
#define ASIDE_ABOVE ((size_t)64)
#define ASIDE_BYTES (((size_t)40 << 10) - ASIDE_ABOVE)
void aside_stack(char *top, size_t bytes);
/* [any] Calls F(ARGUMENT) on the aside stack. Calls it on the current stack if the thread has no
 * aside stack, is on it already, or has left it by longjmp from a fault's handler. F calls no code
 * of the program's, except what libc calls on its behalf. Does nothing after kernel_closed. */
void aside_run(void (*f)(void *), void *argument);

#endif
