// bound.cpp - an observer binds each thread of oneTBB to the first CPU that it may use, the main
// thread as well: two threads share one CPU.
#include <oneapi/tbb.h>
#include <sched.h>

struct binding : tbb::task_scheduler_observer {
    binding() { observe(true); }
    void on_scheduler_entry(bool) override
    {
        cpu_set_t may, one;
        int cpu = 0;
        sched_getaffinity(0, sizeof may, &may);
        while (!CPU_ISSET(cpu, &may))
            cpu++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
};

int main()
{
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    binding all;
    tbb::parallel_for(tbb::blocked_range<int>(0, 2000, 1), [](const tbb::blocked_range<int> &) {
        for (volatile int i = 0; i < 300000; i++)
            ;
    });
}
