/* own_cost_thread.c NAME TASKS STEPS THREADS - TASKS bodies of STEPS multiplications, each in a
 * thread of the program, one thread after the other; prints their CPU time in ns. THREADS is
 * ignored. Without arguments: the names. instructions.sh builds and runs it; own-cost.sh does not.
 */
#include <pthread.h>
#include "own_cost.h"

static void *thread(void *none)
{
    body();
    return none;
}
static void create_join(void)
{
    for (int i = 0; i < tasks; i++) {
        pthread_t t;
        if (pthread_create(&t, 0, thread, 0) || pthread_join(t, 0))
            exit(1);
    }
}

static void start(const struct construct *c, int threads)
{
    (void)threads;
    c->run();
}

int main(int argc, char **argv)
{
    static const struct construct all[] = { { "create_join", create_join, 0 } };
    return own_cost_main(argc, argv, all, sizeof all / sizeof *all, start);
}
