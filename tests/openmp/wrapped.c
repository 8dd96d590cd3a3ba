/* wrapped.c - a program that takes locks; with -DWRAPPER a library to preload that counts the calls
 * of omp_set_lock, as tools do, and prints their number at the end.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>

#ifdef WRAPPER
#include <dlfcn.h>

static long calls;

void omp_set_lock(omp_lock_t *lock)
{
    static void (*real)(omp_lock_t *);
    if (!real)
        *(void **)&real = dlvsym(RTLD_NEXT, "omp_set_lock", "OMP_3.0");
    calls++;
    real(lock);
}

__attribute__((destructor)) static void print(void)
{
    printf("%ld\n", calls);
}
#else
int main(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    return 0;
}
#endif
