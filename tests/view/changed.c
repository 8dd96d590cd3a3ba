/* changed.c MS... - five functions that take so many ms each, one after the other, each in a task
 * of its own: a second run with other numbers costs more in some of them and less in others. */
#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* A function's name, so that nobody folds five equal ones into one. */
static volatile char what;

#define PART(name, letter)                                     \
    static __attribute__((noinline)) void name(double ms)      \
    {                                                          \
        for (double end = now_ms() + ms; now_ms() < end;)      \
            for (int i = 0; i < 1000000; i++)                   \
                what = letter;                                 \
    }

PART(read_input, 'r')
PART(sort_rows, 's')
PART(merge_rows, 'm')
PART(check_sums, 'c')
PART(write_output, 'w')

int main(int argc, char **argv)
{
    static void (*const parts[])(double) = { read_input, sort_rows, merge_rows, check_sums,
                                             write_output };
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 5 && i + 1 < argc; i++) {
        double ms = atof(argv[i + 1]);
#pragma omp task firstprivate(i, ms)
        parts[i](ms);
#pragma omp taskwait
    }
}
