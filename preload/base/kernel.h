/* kernel.h - syscall(2), and libprof's own system calls in hooks. A program may give up system
 * calls (seccomp). From then on a system call of libprof's could end the program, so libprof makes
 * none. Hooks of strands that are open then still run. What they ask of the kernel fails.
 */
#ifndef PRELOAD_BASE_KERNEL_H
#define PRELOAD_BASE_KERNEL_H

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436     /* Linux 5.9, the same number everywhere */
#endif

extern bool kernel_closed;      /* set by lifecycle_seal, never cleared */

/* [init] Before anything else of libprof. */
void kernel_setup(void);

/* Called before a call of syscall(2), the program's or libprof's, for SYS_seccomp, SYS_prctl,
 * SYS_exit and SYS_exit_group: its number and arguments. NULL: nobody. Set once, at start. */
extern void (*kernel_before_call)(long number, long a, long b, long c);

/* [any] The function to which libprof's syscall(2) goes on: libc's, or a program's own. NULL: there
 * is none yet. */
const void *kernel_call_by(void);

/* [any] -1, with errno EPERM. */
long kernel_refuses(void);

/* [any] As syscall(2). */
#define kernel_call(...) \
    (__builtin_expect(kernel_closed, 0) ? kernel_refuses() : syscall(__VA_ARGS__))

#endif
