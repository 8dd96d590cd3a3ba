/* footprint.c - what a program's address space holds, in KB: "base N" before it made threads,
 * "grown N" by what it did. "mappings N": how many mappings it has then. The check compares a run
 * with libprof to one without.
 *   live N        N threads with stacks of 64 KB, all alive at once
 *   short N       N threads, one after another, after 1000 others
 *   locked N      live, all memory locked first; status 1: that fails
 *   tls SECONDS   a thread with TLS_BYTES of thread-local memory sleeps
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef TLS_BYTES
#define TLS_BYTES 16
#endif
static __thread char tls[TLS_BYTES];
static pthread_barrier_t made, measured;
static pthread_attr_t small;

static long status(const char *key)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            kb = atol(line + strlen(key));
    if (f)
        fclose(f);
    return kb;
}

static long mappings(void)
{
    long lines = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    for (int c; f && (c = getc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

static void *wait_there(void *arg)
{
    pthread_barrier_wait(&made);
    pthread_barrier_wait(&measured);
    return arg;
}

static void *nothing(void *arg)
{
    return arg;
}

static void *sleep_with_tls(void *arg)
{
    memset(tls, 1, sizeof tls);
    sleep((long)arg);
    return arg;
}

static void make(pthread_t *t, void *(*start)(void *), long arg)
{
    int error = pthread_create(t, &small, start, (void *)arg);
    if (error) {
        fprintf(stderr, "pthread_create: %s\n", strerror(error));
        exit(2);
    }
}

static void live(int n)
{
    pthread_t *t = calloc(n, sizeof *t);
    pthread_barrier_init(&made, 0, n + 1);
    pthread_barrier_init(&measured, 0, n + 1);
    long before = status("VmSize:");
    for (int i = 0; i < n; i++)
        make(&t[i], wait_there, 0);
    pthread_barrier_wait(&made);
    printf("base %ld grown %ld locked %ld mappings %ld\n", before, status("VmSize:") - before,
           status("VmLck:"), mappings());
    pthread_barrier_wait(&measured);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    free(t);
}

static void one_after_another(int n)
{
    pthread_t t;
    long before = 0;
    for (int i = -1000; i < n; i++) {
        if (!i)
            before = status("VmSize:");
        make(&t, nothing, 0);
        pthread_join(t, 0);
    }
    printf("base %ld grown %ld\n", before, status("VmSize:") - before);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, (64 << 10) + 2 * sizeof tls);
    if (!strcmp(what, "locked") && mlockall(MCL_CURRENT | MCL_FUTURE)) {
        perror("mlockall");
        return 1;
    }
    if (!strcmp(what, "live") || !strcmp(what, "locked")) {
        live(n);
    } else if (!strcmp(what, "short")) {
        one_after_another(n);
    } else if (!strcmp(what, "tls")) {
        pthread_t t;
        make(&t, sleep_with_tls, n);
        pthread_join(t, 0);
    }
    return 0;
}
