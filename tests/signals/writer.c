/* writer.c - preloaded before libprof.so: something happens when libprof's writer opens the file.
 * WRONG=fault: it crashes. hang: it never returns. slow: it makes the file "writing", and sleeps
 * for half a second. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

long syscall(long number, ...)
{
    static long (*original)(long, ...);
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    const char *wrong = getenv("WRONG");
    if (number == SYS_openat && wrong && strstr((const char *)a[1], ".tmp")) {
        if (!strcmp(wrong, "fault"))
            *(volatile int *)32 = 1;
        while (strcmp(wrong, "slow"))
            ;
        creat("writing", 0600);
        nanosleep(&(struct timespec){ 0, 500000000 }, 0);
    }
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "syscall");
    return original(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
