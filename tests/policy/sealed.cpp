/* sealed.cpp WHAT - gives up system calls while strands are open: a thread, tasks of TBB, a region
 * of OpenMP. The filter allows what libc and the runtimes use, and kills for any other call. */
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <unistd.h>
#include <vector>

static std::atomic<bool> sealed;
static std::atomic<long> sum;

static void spin(long rounds)
{
    volatile long x = 0;
    for (long i = 0; i < rounds; i++)
        x = x + i;
    sum += x > 0;
}

static void seal()
{
    static const unsigned allowed[] = {
        SYS_write, SYS_exit_group, SYS_exit, SYS_futex, SYS_mmap, SYS_munmap, SYS_mprotect,
        SYS_madvise, SYS_clone3, SYS_clone, SYS_rseq, SYS_set_robust_list, SYS_rt_sigprocmask,
        SYS_brk, SYS_sched_yield, SYS_sched_getaffinity, SYS_newfstatat
    };
    std::vector<sock_filter> f = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                            offsetof(seccomp_data, nr)) };
    for (unsigned number : allowed) {
        f.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        f.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    f.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    sock_fprog p = { (unsigned short)f.size(), f.data() };
    rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
        _exit(9);
    sealed = true;
}

static void *waits(void *)
{
    while (!sealed)
        ;
    spin(30000000);
    return 0;
}

static void tasks()
{
    tbb::task_group g;
    for (int i = 0; i < 100; i++)
        g.run([] { spin(1000); });
    g.wait();
    tbb::parallel_for(0, 10000, [](int) { spin(10); });
}

static void region(bool seals)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        if (seals)
            seal();
#pragma omp barrier
        spin(3000000);
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task
            spin(1000);
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++)
            spin(1000);
    }
}

int main(int, char **argv)
{
    const char *what = argv[1];
    puts("start");              /* libc asks the kernel what standard output is */
    fflush(stdout);
    if (!strcmp(what, "thread")) {
        pthread_t t;
        pthread_create(&t, 0, waits, 0);
        seal();
        pthread_join(t, 0);
    } else if (!strcmp(what, "tasks")) {
        tasks();
        seal();
        tasks();
    } else if (!strcmp(what, "task")) {
        tbb::task_group g;
        g.run([] { seal(); });
        g.wait();
        tasks();
    } else {
        region(false);
        region(true);
        region(false);
    }
    printf("%s %d\n", what, sum > 0);
    return 6;
}
