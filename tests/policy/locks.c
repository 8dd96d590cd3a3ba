/* Programs that meet libprof's locks while they are held. ./locks CASE TABLE COUNT [INDEX]: TABLE
 * is where libprof.so's list of locks (lock.h) lies in it, COUNT how many there are; a lock is held
 * by a word that names its holder. Without libprof there are none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libprof.h"

struct named {
    const char *name;
    uint64_t *word;
    uint64_t level;
};
static struct named *table;
static int count;

static int find(struct dl_phdr_info *info, size_t size, void *offset)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libprof.so"))
        return 0;
    table = (void *)(info->dlpi_addr + *(uintptr_t *)offset);
    return 1;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void hold(uint64_t *word)
{
    uint64_t none = 0, me = pthread_self();     /* glibc: the thread pointer */
    while (!__atomic_compare_exchange_n(word, &none, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        none = 0;
        usleep(100);
    }
}

static void let_go(uint64_t *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void *nothing(void *unused)
{
    return unused;
}

static void parallel(void)
{
    pthread_t thread;
    if (!pthread_create(&thread, 0, nothing, 0))
        pthread_join(thread, 0);
    libprof_region_start("child");
    libprof_cost(3);
    libprof_region_stop("child");
}

/* A child that has not ended after 20 s hangs. */
static int reap(pid_t child)
{
    int status;
    for (int i = 0; i < 20000; i++) {
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1;
        usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return 2;
}

static int handles, child_of_handler;

static int forks(void)
{
    pid_t child = fork();
    if (!child) {
        parallel();
        if (!handles)
            exit(5);
        child_of_handler = 1;   /* goes on with what was interrupted */
        return 0;
    }
    return child < 0 ? 3 : reap(child);
}

/* ---- another thread holds one when this one forks ---- */

static volatile int holding;

static void *holder(void *p)
{
    hold(p);
    holding = 1;
    usleep(20000);              /* so that fork finds it held; that it does not is no
                                 * failure */
    let_go(p);
    return 0;
}

static int fork_while_held(int i)
{
    pthread_t thread;
    holding = 0;
    if (pthread_create(&thread, 0, holder, table[i].word))
        return 4;
    while (!holding)
        usleep(100);
    int bad = forks();
    pthread_join(thread, 0);
    return bad;
}

/* ---- this thread holds one, and its handler forks or ends ---- */

static int failed;

static void forking_handler(int sig)
{
    (void)sig;
    handles = 1;
    failed = forks();
}

static void ending_handler(int sig)
{
    (void)sig;
    _exit(5);
}

static int interrupted(int i, void (*handler)(int))
{
    signal(SIGUSR1, handler);
    if (table)
        hold(table[i].word);
    raise(SIGUSR1);
    if (table)
        let_go(table[i].word);
    if (child_of_handler) {
        parallel();
        exit(5);
    }
    return failed;
}

/* ---- a real-time thread waits for one that cannot run meanwhile ---- */

static volatile int go;
static uint64_t waited, worked;
static int no_policy;

static void pin(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *realtime(void *unused)
{
    struct sched_param p = { .sched_priority = 50 };
    no_policy = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
    go = 1;
    while (go == 1 && !no_policy)
        usleep(200);
    uint64_t from = cpu_ns();
    libprof_region_start("waits");
    libprof_region_stop("waits");
    waited = cpu_ns() - from;
    return unused;
}

static int preempted(int i)
{
    pthread_t thread;
    pin();
    libprof_region_start("first");
    libprof_region_stop("first");
    if (pthread_create(&thread, 0, realtime, 0))
        return 4;
    while (!go)
        usleep(200);
    if (no_policy) {
        puts("no policy");
        pthread_join(thread, 0);
        return 0;
    }
    if (table)
        hold(table[i].word);
    go = 2;
    uint64_t from = cpu_ns();
    while ((worked = cpu_ns() - from) < 100000000)
        ;
    if (table)
        let_go(table[i].word);
    pthread_join(thread, 0);
    /* a waiter that does not sleep has the CPU until the kernel throttles real-time threads, 0.95 s
     * later. CPU clocks of virtual machines contain what the host took, too. */
    return waited < 3 * worked ? 0
                               : (fprintf(stderr, "waiting took %lu of CPU time, the section %lu\n",
                                          waited, worked),
                                  6);
}

/* ---- a storm of hooks on one thread, of forks on another ---- */

static volatile int over;

static void *storm(void *unused)
{
    while (!over) {
        pthread_t thread;
        for (int i = 0; i < (unused ? 1000 : 50); i++) {
            libprof_region_start(i & 1 ? "a" : "b");
            libprof_region_stop(i & 1 ? "a" : "b");
        }
        if (!unused && !pthread_create(&thread, 0, nothing, 0))
            pthread_join(thread, 0);
    }
    return unused;
}

static int storms(void)
{
    pthread_t thread[2];
    int bad = 0;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], 0, storm, i ? thread : 0))
            return 4;
    for (int i = 0; i < 30 && !bad; i++)
        bad = forks();
    over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    return bad;
}

/* ---- a thread that gives back what its id was written to ---- */

struct job {
    pthread_t id;
    int mapped;
    volatile int *done;
};

static void *self_detached(void *p)
{
    struct job *job = p;
    volatile int *done = job->done;
    pthread_detach(pthread_self());
    if (job->mapped)
        munmap(job, 4096);
    else
        free(job);
    __atomic_fetch_add(done, 1, __ATOMIC_RELEASE);
    return 0;
}

static int gone(int mapped)
{
    static volatile int done;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    int made = 0;
    for (int i = 0; i < 1000; i++) {
        struct job *job = mapped ? mmap(0, 4096, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : malloc(sizeof *job);
        job->mapped = mapped;
        job->done = &done;
        made += !pthread_create(&job->id, i & 1 ? &attr : 0, self_detached, job);
        pthread_t joined;       /* an id that came from the freed memory would be this one's or
                                   nobody's */
        if (!(i % 16) && (pthread_create(&joined, 0, nothing, 0) || pthread_join(joined, 0)))
            return 4;
        while (made - done > 64)
            usleep(100);
    }
    while (done < made)
        usleep(1000);
    printf("%d\n", made);
    return made == 1000 ? 0 : 7;
}

int main(int argc, char **argv)
{
    uintptr_t offset = argc > 2 ? strtoul(argv[2], 0, 16) : 0;
    count = argc > 3 ? atoi(argv[3]) : 0;
    int i = argc > 4 ? atoi(argv[4]) : 0;
    if (offset && libprof_active())
        dl_iterate_phdr(find, &offset);
    const char *what = argv[1];
    parallel();
    if (!strcmp(what, "list")) {
        for (int n = 0; table && n < count; n++)
            printf("%s %lu\n", table[n].name, table[n].level);
        return 0;
    }
    if (!strcmp(what, "fork-held"))
        return table ? fork_while_held(i) : 0;
    if (!strcmp(what, "handler-forks"))
        return interrupted(i, forking_handler);
    if (!strcmp(what, "handler-ends"))
        return interrupted(i, ending_handler);
    if (!strcmp(what, "preempted"))
        return preempted(i);
    if (!strcmp(what, "storm"))
        return storms();
    if (!strcmp(what, "gone"))
        return gone(1);
    if (!strcmp(what, "gone-small"))
        return gone(0);
    return 9;
}
