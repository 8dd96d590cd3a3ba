/* site_tasks.c - a loop with chunks of one iteration, in a thread of the program's. The thread's
 * task is no chunk, and the loop has 200.
 *   work = 3 + 5 + 200 * 7 + 11 + 13 = 1432
 *   span = 3 + 5 + 7 + 11 + 13 = 39 */
#include <pthread.h>
#include "libprof.h"

static void *loop(void *unused)
{
    libprof_cost(5);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 200; i++)
        libprof_cost(7);
    libprof_cost(11);
    return unused;
}

int main(void)
{
    pthread_t thread;
    libprof_cost(3);
    if (pthread_create(&thread, 0, loop, 0) || pthread_join(thread, 0))
        return 1;
    libprof_cost(13);
}
