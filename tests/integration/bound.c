/* bound.c HOW - two threads compute for 100 ms of CPU time each, and are then alive and asleep
 * until the program ends. HOW: `free`; `bound`, each binds itself to the first CPU that the
 * process may use; `joined`, the same, but they end, and the main thread joins them; `fork`, the
 * process does the same as `free`, then a child of it as `bound`; `narrow`, the main thread binds
 * itself first, and the others inherit that. The main thread computes before it creates the
 * others, and only waits then. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t done;
static bool bound, joined;

static void burn(void)
{
    struct timespec t;
    long end = 0;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        end = end ? end : t.tv_sec * 1000 + t.tv_nsec / 1000000 + 100;
    } while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
}

static void bind_to_first(void)
{
    cpu_set_t may, one;
    int cpu = 0;
    sched_getaffinity(0, sizeof may, &may);
    while (!CPU_ISSET(cpu, &may))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void *work(void *unused)
{
    if (bound)
        bind_to_first();
    burn();
    if (joined)
        return unused;
    pthread_barrier_wait(&done);
    for (;;)
        pause();
    return unused;
}

static void two_threads(void)
{
    pthread_t t[2];
    burn();
    pthread_barrier_init(&done, 0, 3);
    pthread_create(&t[0], 0, work, 0);
    pthread_create(&t[1], 0, work, 0);
    if (!joined)
        pthread_barrier_wait(&done);
    for (int i = 0; i < 2 && joined; i++)
        pthread_join(t[i], 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "free";
    int status = 0;
    joined = !strcmp(how, "joined");
    bound = joined || !strcmp(how, "bound");
    if (!strcmp(how, "narrow"))
        bind_to_first();
    two_threads();
    if (!strcmp(how, "fork")) {
        if (!fork()) {
            bound = true;
            two_threads();
            return 0;
        }
        wait(&status);
    }
    return status;
}
