/* brief.c - ten rounds of eight threads, each of which computes for 8 ms and ends: too briefly for
 * more than a few samples. Prints the ns for which they were ready and had no processor, by the
 * kernel's count at the end of each.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void *brief(void *delay)
{
    static _Thread_local volatile long sink;
    for (double end = cpu_ms() + 8; cpu_ms() < end;)
        for (int i = 0; i < 10000; i++)
            sink += i;
    unsigned long long ran;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (!f || fscanf(f, "%llu %llu", &ran, (unsigned long long *)delay) != 2)
        exit(77);
    fclose(f);
    return 0;
}

int main(void)
{
    unsigned long long sum = 0;
    for (int round = 0; round < 10; round++) {
        pthread_t threads[8];
        unsigned long long delays[8] = { 0 };
        for (int i = 0; i < 8; i++)
            if (pthread_create(&threads[i], 0, brief, &delays[i]))
                return 1;
        for (int i = 0; i < 8; i++) {
            pthread_join(threads[i], 0);
            sum += delays[i];
        }
    }
    printf("%llu\n", sum);
}
