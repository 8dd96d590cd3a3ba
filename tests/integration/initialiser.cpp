/* initialiser.cpp - a plug-in with tasks in a static initialiser. HOW is what runs them: `team`, or
 * `thread`, one for which the initialiser waits. Each task function is on a page of its own.
 * -DPROGRAM: the program, which has no runtime itself: initialiser OBJECT...; each is opened,
 * called and closed. It prints what each returns: tasks.
 */
#ifdef PROGRAM
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW);
        int (*tasks)(void) = plugin ? (int (*)(void))dlsym(plugin, "tasks") : 0;
        if (!tasks)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        printf(i > 1 ? " %d" : "%d", tasks());
        dlclose(plugin);
    }
    puts("");
    return 0;
}
#else
#include <pthread.h>
#ifndef _OPENMP
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

enum { PAGES = 5, ROUNDS = 20, TASKS = 5 };
static int done;

static void task()
{
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

template <int page> __attribute__((noinline, aligned(8192))) static void spawn()
{
#ifdef _OPENMP
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        task();
    }
#pragma omp taskwait
#else
    tbb::task_group group;
    for (int i = 0; i < TASKS; i++)
        group.run(task);
    group.wait();
#endif
    if (page == PAGES)
        __atomic_store_n(&done, 0, __ATOMIC_RELAXED); /* so that no two functions are the same */
}

static void (*const pages[PAGES])() = { spawn<0>, spawn<1>, spawn<2>, spawn<3>, spawn<4> };

static void *team(void *unused)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < PAGES * ROUNDS; i++)
        pages[i % PAGES]();
#else
    tbb::parallel_for(0, PAGES * ROUNDS, [](int i) { pages[i % PAGES](); });
#endif
    return unused;
}

static __attribute__((unused)) void *thread(void *unused)
{
    pthread_t t;
    pthread_create(&t, 0, team, 0);
    pthread_join(t, 0);
    return unused;
}

static void *initialised = HOW(0);

extern "C" int tasks()
{
    (void)initialised;
    return done;
}
#endif
