/* Programs that fork beside other threads. ./fork_program handlers: a library's fork handlers run
 * (fork_library.c). stream: another thread is in fflush, which waits for threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void library_call(void);

static int works;

static void *work(void *unused)
{
    __atomic_fetch_add(&works, 1, __ATOMIC_RELAXED);
    return unused;
}

/* The status of a child that makes a thread, joins it, and ends. */
static int child_status(void)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        pthread_t thread;
        if (!pthread_create(&thread, 0, work, 0))
            pthread_join(thread, 0);
        exit(3);
    }
    waitpid(child, &status, 0);
    return status;
}

static int handlers(void)
{
    int good = 0;
    for (int i = 0; i < 30; i++) {
        library_call();
        good += child_status() == 3 << 8;
    }
    printf("%d\n", good);
    return 0;
}

static int writing, forking;

static void wait_for(int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(1000);
}

/* The thread has libc's list of streams locked, which fork wants. */
static ssize_t write_function(void *cookie, const char *text, size_t size)
{
    pthread_t thread;
    (void)cookie, (void)text;
    if (__atomic_exchange_n(&writing, 1, __ATOMIC_RELEASE))
        return size;
    wait_for(&forking);
    usleep(100000);             /* so that fork has come as far as it can; else nobody waits */
    if (!pthread_create(&thread, 0, work, 0))
        pthread_join(thread, 0);
    return size;
}

static void *flush(void *unused)
{
    const cookie_io_functions_t functions = { .write = write_function };
    FILE *stream = fopencookie(0, "w", functions);
    fputs("text", stream);
    fflush(0);
    return unused;
}

static void prepare(void)
{
    __atomic_store_n(&forking, 1, __ATOMIC_RELEASE);
}

static int stream(void)
{
    pthread_t thread;
    pthread_atfork(prepare, 0, 0);
    pthread_create(&thread, 0, flush, 0);
    wait_for(&writing);
    int status = child_status();
    pthread_join(thread, 0);
    printf("%d %d\n", status >> 8, works);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 && !strcmp(argv[1], "stream") ? stream() : handlers();
}
