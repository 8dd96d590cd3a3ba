/* fork_openmp.c - fork while tasks of OpenMP are under way on other threads: some of a taskgroup
 * that is cancelled, and one that waits for the event which it is detached with. The child has
 * none of those threads, and runs tasks of its own. Each process prints what it did.
 *
 *     fork_openmp THREADS    that the child's region asks for: 1 where the runtime does not survive
 *                            a fork inside of a region (libgomp)
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libprof.h"

static int held, gate, discarded, finished;

static void count(int *what)
{
    __atomic_add_fetch(what, 1, __ATOMIC_SEQ_CST);
}

static void until(const int *what, int least)
{
    while (__atomic_load_n(what, __ATOMIC_SEQ_CST) < least)
        usleep(100);
}

/* A taskgroup that a task of it cancels, and a detached task which another one completes. */
static void own_tasks(int threads)
{
    int ran = 0;
    omp_event_handle_t own;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp task detach(own) shared(ran)
        {
            libprof_cost(7);
            count(&ran);
        }
#pragma omp task shared(ran)
        {
            libprof_cost(7);
            count(&ran);
            omp_fulfill_event(own);
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task shared(ran)
            {
                libprof_cost(7);
                count(&ran);
#pragma omp cancel taskgroup
            }
        }
    }
    printf("child ran %d\n", ran);
}

static void fork_now(int threads)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        own_tasks(threads);
        fflush(stdout);
        _exit(5);
    }
    waitpid(pid, &status, 0);
    printf("the child's status %d\n", status);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        {
            libprof_cost(3);
            count(&finished);
        }
#pragma omp taskgroup
        {
            for (int i = 0; i < 2; i++) {
#pragma omp task
                {
                    libprof_cost(3);
                    count(&held);
                    until(&gate, 1);
                    count(&finished);
                }
            }
            until(&held, 2);
#pragma omp task
            {
                libprof_cost(3);
                count(&held);
#pragma omp cancel taskgroup
            }
            until(&held, 3);
            until(&finished, 1);
            for (int i = 0; i < 5; i++) {
#pragma omp task
                {
                    libprof_cost(1000);
                    count(&discarded);
                }
            }
            fork_now(threads);
            count(&gate);
        }
        omp_fulfill_event(event);
    }
    printf("parent: %d finished, %d of the cancelled ran\n", finished, discarded);
    return 4;
}
