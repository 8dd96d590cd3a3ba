// spinning.c - two sections: one makes frames, the other waits for each in a loop on the CPU and
// does a fifth as much. What one section does is one thread's, though both have as much work. With
// -DPAUSE, it pauses while it waits.
#include <stdatomic.h>
#include <stdio.h>

#ifndef PAUSE
#define PAUSES
#elif defined __aarch64__
#define PAUSES __asm__ volatile("yield")
#else
#define PAUSES __asm__ volatile("pause")
#endif

enum { FRAMES = 600 };
static atomic_int ready;
static double frame[FRAMES], sum;

__attribute__((noinline)) static double render(int i)
{
    double x = i + 1;
    for (int k = 0; k < 150000; k++)
        x = x / (x + k + 1) + 1;
    return x;
}

__attribute__((noinline)) static double encode(double x)
{
    for (int k = 0; k < 30000; k++)
        x = x / (x + k + 1) + 1;
    return x;
}

__attribute__((noinline)) static void wait_for(int i)
{
    while (atomic_load_explicit(&ready, memory_order_acquire) <= i)
        PAUSES;
}

int main(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int i = 0; i < FRAMES; i++) {
            frame[i] = render(i);
            atomic_store_explicit(&ready, i + 1, memory_order_release);
        }
#pragma omp section
        for (int i = 0; i < FRAMES; i++) {
            wait_for(i);
            sum += encode(frame[i]);
        }
    }
    printf("%g\n", sum);
}
