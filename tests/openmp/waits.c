/* waits.c - two threads; one is inside and stays until the other has asked to get in, and for HOLD
 * ms more, on the CPU; ROUNDS times.
 *   waits critical|named|lock|nest|old|fortran|ordered|skipped|turn|doacross prints how long both
 *   took to get in, by their own clock, in ns: the second waits, and what the first takes is short
 * lock, nest: omp_set_lock, omp_set_nest_lock, which a thread takes twice; old: the latter as
 * programs of before OpenMP 3.0 have it in libgomp, of 8 bytes and counted by thread; fortran:
 * omp_set_lock as Fortran calls it; skipped, turn: the second has no ordered block in its
 * iteration, which is over only when that of the first is; of loops with static and with dynamic
 * schedules.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HOLD_NS = 20000000, ROUNDS = 5 };

void omp_init_lock_(omp_lock_t *lock);
void omp_set_lock_(omp_lock_t *lock);
void omp_unset_lock_(omp_lock_t *lock);

#ifdef __clang__
#define old_init(lock)
#define old_set(lock)
#define old_unset(lock)
#else
void old_init(void *lock);
void old_set(void *lock);
void old_unset(void *lock);
__asm__(".symver old_init, omp_init_nest_lock@OMP_1.0");
__asm__(".symver old_set, omp_set_nest_lock@OMP_1.0");
__asm__(".symver old_unset, omp_unset_nest_lock@OMP_1.0");
#endif

static struct {
    int lock[2];
    long behind;
} old = { .behind = 4711 };

static int asking, inside;
static long waited;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* For the first thread: the second is about to ask. After that it can only wait. */
__attribute__((noinline)) static void hold(void)
{
    __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&asking, __ATOMIC_ACQUIRE))
        ;
    for (long end = now() + HOLD_NS; now() < end;)
        ;
}
static long ask(void)
{
    while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
        ;
    __atomic_store_n(&asking, 1, __ATOMIC_RELEASE);
    return now();
}

#define ENTER(...)                                                                              \
    do {                                                                                        \
        long since = first ? now() : ask();                                                     \
        __VA_ARGS__                                                                             \
    } while (0)
#define IN                                                                                      \
    waited += now() - since;                                                                    \
    if (first)                                                                                  \
        hold();

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    omp_lock_t lock, fortran;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    old_init(&old);
    omp_init_lock_(&fortran);
    for (int round = 0; round < ROUNDS; round++) {
        asking = inside = 0;
#pragma omp parallel num_threads(2)
        {
            int first = omp_get_thread_num() == 0;
            if (!strcmp(what, "critical")) {
                ENTER(
_Pragma("omp critical")
                    { IN }
                );
            } else if (!strcmp(what, "named")) {
                ENTER(
_Pragma("omp critical(one)")
                    { IN }
                );
            } else if (!strcmp(what, "lock")) {
                ENTER(omp_set_lock(&lock); IN omp_unset_lock(&lock););
            } else if (!strcmp(what, "nest")) {
                ENTER(omp_set_nest_lock(&nest); omp_set_nest_lock(&nest);
                      IN omp_unset_nest_lock(&nest); omp_unset_nest_lock(&nest););
            } else if (!strcmp(what, "old")) {
                ENTER(old_set(&old); old_set(&old); IN old_unset(&old); old_unset(&old););
            } else if (!strcmp(what, "fortran")) {
                ENTER(omp_set_lock_(&fortran); IN omp_unset_lock_(&fortran););
            } else if (!strcmp(what, "doacross")) {
#pragma omp for ordered(1) schedule(static, 1)
                for (int i = 0; i < 2; i++) {
                    if (first) {
                        hold();
                    } else {
                        long since = ask();
#pragma omp ordered depend(sink : i - 1)
                        waited += now() - since;
                    }
#pragma omp ordered depend(source)
                }
            } else if (!strcmp(what, "skipped") || !strcmp(what, "turn")) {
                long second = 0;
                omp_set_schedule(*what == 's' ? omp_sched_static : omp_sched_dynamic, 1);
#pragma omp for ordered schedule(runtime) nowait
                for (int i = 0; i < 2; i++) {
                    if (i) {
                        second = ask();
                        continue;
                    }
                    long since = now();
#pragma omp ordered
                    {
                        waited += now() - since;
                        hold();
                    }
                }
                if (second)
                    __atomic_fetch_add(&waited, now() - second, __ATOMIC_RELAXED);
            } else if (!strcmp(what, "ordered")) {
#pragma omp for ordered schedule(static, 1)
                for (int i = 0; i < 2; i++) {
                    ENTER(
_Pragma("omp ordered")
                        { IN }
                    );
                }
            }
        }
    }
    printf("%ld\n", waited);
    return old.behind != 4711;
}
