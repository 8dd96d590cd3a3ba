// storm_openmp.cpp - what races in a program on OpenMP, all at once: threads come, begin regions
// and go, with dependences, threadprivate, events that a foreign thread fulfils, cancellation,
// nested regions, plug-ins that come and go, tasks that fork. It ends with "done", or with a line
// that names what was wrong. OMP_CANCELLATION=true is set by the script.
//   storm_openmp ROUNDS PLUGIN SEED come|stay
// SEED chooses which thread does what. stay: the threads stay until the program ends. For libomp
// 14, which dies of threads that end, without libprof, too: when a thread has ended that began
// regions with explicit tasks, other threads still free such tasks to its lists (an assertion at
// kmp_alloc.cpp:2169, SIGBUS or SIGSEGV, in 20 rounds). Threads whose regions have no such tasks
// may end. Detached tasks, cancellation, nested regions and dlclose do no harm. While the table of
// threads grows, a thread of libomp 14 may find another entry than its own (an assertion at
// kmp_tasking.cpp:2895, without libprof, too). So `stay` begins with more threads than the storm
// has.
#include "storm.hpp"
#include <atomic>
#include <omp.h>
#include <pthread.h>
// The thread's number in its region.
static int per;
#pragma omp threadprivate(per)
static void depends()
{
    long at[8] = { 0 }, sum = 0;
#pragma omp parallel num_threads(3) shared(at, sum)
    {
        per = omp_get_thread_num();
#pragma omp single
        {
            for (int i = 0; i < 64; i++) {
                long *me = &at[i % 8], *next = &at[(i + 1) % 8];
#pragma omp task depend(inout : *me) depend(in : *next) firstprivate(me)
                ++*me;
            }
#pragma omp taskwait
#pragma omp taskgroup
            for (int i = 0; i < 30; i++) {
#pragma omp task shared(sum)
                {
#pragma omp atomic
                    sum += 1;
#pragma omp task shared(sum)
#pragma omp atomic
                    sum += 1;
                }
            }
#pragma omp taskloop grainsize(1) shared(sum)
            for (int i = 0; i < 20; i++)
#pragma omp atomic
                sum += 1;
        }
        must(per == omp_get_thread_num(), "threadprivate");
    }
    long all = 0;
    for (long v : at)
        all += v;
    must(all == 64 && sum == 80, "depend");
}
static void detaches()
{
    int done = 0;
    omp_event_handle_t ev[16];
    std::atomic<int> given{ 0 };
#pragma omp parallel num_threads(3) shared(ev, given, done)
#pragma omp single
    {
        for (int i = 0; i < 16; i++) {
            omp_event_handle_t e;
#pragma omp task detach(e) firstprivate(i) shared(ev, given)
            {
                ev[i] = e;
                given++;
            }
        }
        pthread_t t;
        struct a {
            omp_event_handle_t *e;
            std::atomic<int> *g;
        } arg{ ev, &given };
        // A foreign thread fulfils the events as soon as all tasks have run.
        pthread_create(
            &t, nullptr,
            [](void *p) -> void * {
                a *x = (a *)p;
                while (*x->g < 16)
                    sched_yield();
                for (int i = 0; i < 16; i++)
                    omp_fulfill_event(x->e[i]);
                return nullptr;
            },
            &arg);
#pragma omp taskwait
        pthread_join(t, nullptr);
        done = 1;
    }
    must(done && given == 16, "detach");
}
static void cancels()
{
    std::atomic<int> ran{ 0 };
#pragma omp parallel num_threads(3)
    {
#pragma omp single
#pragma omp taskgroup
        for (int i = 0; i < 40; i++) {
#pragma omp task firstprivate(i) shared(ran)
            {
                ran++;
                if (i == 9) {
#pragma omp cancel taskgroup
                }
            }
        }
#pragma omp for
        for (int i = 0; i < 100; i++) {
            if (i == 50) {
#pragma omp cancel for
            }
        }
    }
    must(ran >= 1 && ran <= 40, "cancel");
}
static void nested()
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    {
#pragma omp parallel num_threads(2) reduction(+ : n)
        {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < 20; i++)
                n++;
        }
    }
    must(n == 40, "nested");
}
static void forked()
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
        fork_child(i);
    }
}
struct job {
    unsigned seed;
    int rounds;
    bool stays;         // does not end, not even after its rounds: others are still at theirs
};
static std::atomic<int> over;
static void *run(void *p)
{
    static void (*const fs[])() = { depends, detaches, cancels, nested, plugin };
    job j = *(job *)p;
    omp_set_max_active_levels(2);
    for (int r = 0; r < j.rounds; r++)
        fs[rand_r(&j.seed) % 5]();
    over++;
    while (j.stays)
        pause();
    return nullptr;
}
int main(int argc, char **argv)
{
    enum { THREADS = 10 };
    if (argc < 5)
        return 2;
    bool stay = argv[4][0] == 's';
    int n = std::atoi(argv[1]), seed = std::atoi(argv[3]), rounds = stay ? n : 1;
    plugin_file = argv[2];
    if (stay) {
#pragma omp parallel num_threads(12 * THREADS)
        per = omp_get_thread_num();
    }
    omp_set_max_active_levels(2);
    for (int r = 0; r < n;) {
        pthread_t t[THREADS];
        job j[THREADS];
        for (int k = 0; k < THREADS; k++) {
            j[k] = { (unsigned)(seed * n + r) * THREADS + k, rounds, stay };
            must(!pthread_create(&t[k], nullptr, run, &j[k]), "create");
        }
        for (int end = r + rounds; r < end; r++) {
            if (r % 5 == 0)
                forked();
            depends();
        }
        for (int k = 0; k < THREADS && !stay; k++)
            pthread_join(t[k], nullptr);
        while (stay && over < THREADS)
            usleep(1000);
    }
    std::puts("done");
}
