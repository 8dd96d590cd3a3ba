/* openmp.c - a team, a loop, tasks with and without dependences, a taskloop, a critical section:
 * 10 ms, the same output in every run. */
#include <signal.h>
#include <stdio.h>

static void strike(int number) {}

static long fib(int n)
{
    if (n < 10)
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    struct sigaction action = { .sa_handler = strike, .sa_flags = SA_RESTART };
    sigaction(SIGUSR1, &action, 0);
    long result = 0, sum = 0, chain = 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        result = fib(16);
#pragma omp for reduction(+ : sum) schedule(dynamic, 10)
        for (int i = 0; i < 500; i++)
            sum += i;
#pragma omp critical
        chain += 0;
#pragma omp single
        {
            for (int i = 0; i < 10; i++)
#pragma omp task depend(inout : chain) shared(chain)
                chain = 2 * chain + 1;
        }
    }
    printf("fib %ld, sum %ld, chain %ld\n", result, sum, chain);
    return 6;
}
