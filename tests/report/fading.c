/* fading.c FILE RUNS - a thread works beside main. FILE has a byte for each run: i if SIGCHLD is
 * ignored, else d. From run RUNS on, the program ends with status 0 so that libprof writes no
 * profile. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libprof.h"

__attribute__((noinline)) void heavy(void)
{
    libprof_cost(1000);
}

static void *body(void *unused)
{
    heavy();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct stat st;
    struct sigaction old;
    sigaction(SIGCHLD, 0, &old);
    int fd = open(argc > 2 ? argv[1] : "", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, old.sa_handler == SIG_IGN ? "i" : "d", 1) != 1 || fstat(fd, &st))
        return 2;
    pthread_create(&thread, 0, body, 0);
    libprof_cost(10);
    pthread_join(thread, 0);
    if (st.st_size >= atoi(argv[2])) {
#ifdef __x86_64__
        __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0));
#else
        register long number __asm__("x8") = SYS_exit_group, status __asm__("x0") = 0;
        __asm__ volatile("svc 0" : : "r"(number), "r"(status));
#endif
    }
    return 0;
}
