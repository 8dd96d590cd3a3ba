// known.cpp MODE - programs whose answer is known: functions that burn a known CPU time, alone or
// beside others, on the critical path or off it. Prints what a checker needs: NAME NS...
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_group.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <cerrno>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <future>
#include <list>
#include <thread>

static long ns(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static volatile unsigned sink;

// How many rounds take LEFT ns, but 5 ms at most, if ROUNDS took TOOK.
static long next_rounds(long rounds, long took, long left)
{
    return std::max(2000l, static_cast<long>(static_cast<double>(rounds) / std::max(took, 1l) *
                                             std::min(left, 5000000l)));
}

// Burns MS of this thread's CPU time. Reads the clock only where it must: the reading is a system
// call, at the end of which a thread whose turn is over leaves the processor. On a busy machine a
// thread that reads all the time always leaves before the next tick, and then no tick hits it.
#define BURNER(name)                                                                               \
    __attribute__((noinline)) void name(int ms)                                                    \
    {                                                                                              \
        long now = ns(CLOCK_THREAD_CPUTIME_ID), end = now + ms * 1000000l, rounds = 2000;          \
        while (now < end) {                                                                        \
            for (long i = 0; i < rounds; i++)                                                      \
                sink = sink + i;                                                                   \
            long before = now;                                                                     \
            now = ns(CLOCK_THREAD_CPUTIME_ID);                                                     \
            rounds = next_rounds(rounds, now - before, end - now);                                 \
        }                                                                                          \
    }
BURNER(burn_alone)
BURNER(burn_together)
BURNER(burn_first)
BURNER(burn_second)
BURNER(burn_off_path)
BURNER(burn_leaf)
BURNER(burn_fed)

// COUNT tasks, waited for. If it has a name, prints how long that took and how long each task took,
// summed: what the P workers had beyond that they were idle, whatever else the machine had to do.
template <class F> static void phase(const char *name, int count, F f)
{
    tbb::task_group g;
    std::atomic<long> tasks{0};
    long start = ns(CLOCK_MONOTONIC);
    for (int i = 0; i < count; i++)
        g.run([&] {
            long begin = ns(CLOCK_MONOTONIC);
            f();
            tasks += ns(CLOCK_MONOTONIC) - begin;
        });
    g.wait();
    if (name)
        std::printf("%s %ld %ld\n", name, ns(CLOCK_MONOTONIC) - start, tasks.load());
}

// One worker of P works for 600 ms, then all of them for 300 ms each.
static void idleness(int p)
{
    phase("alone", 1, [] { burn_alone(600); });
    phase("together", p, [] { burn_together(300); });
}

// The same for the one, while a thread that is no worker waits for a message.
static void bystander()
{
    std::promise<void> message;
    std::thread waits([&] { message.get_future().wait(); });
    phase("alone", 1, [] { burn_alone(600); });
    message.set_value();
    waits.join();
}

// The critical path is one task: 300 ms in one function, 700 in another; 600 ms of other tasks are
// off it.
static void span()
{
    tbb::task_group g;
    g.run([] {
        burn_first(300);
        burn_second(700);
    });
    for (int i = 0; i < 3; i++)
        g.run([] { burn_off_path(200); });
    g.wait();
}

// The critical path is a chain of items, each of which feeds the next.
static void fed()
{
    std::list<int> one{ 0 };
    tbb::parallel_for_each(one, [](int i, tbb::feeder<int> &items) {
        burn_fed(5);
        if (i < 99)
            items.add(i + 1);
    });
}

// main -> outer -> [task] middle -> [task] inner -> leaf, and the same by a thread and in a full
// arena.
__attribute__((noinline)) void inner() { burn_leaf(20); sink = 1; }
__attribute__((noinline)) void middle()
{
    tbb::task_group g;
    for (int i = 0; i < 4; i++)
        g.run([] { inner(); });
    g.wait();
}
__attribute__((noinline)) void outer()
{
    tbb::task_group g;
    for (int i = 0; i < 4; i++)
        g.run([] { middle(); });
    g.wait();
}
__attribute__((noinline)) void in_arena(tbb::task_arena &a) { a.execute([] { outer(); }); sink = 2;
}

static void paths()
{
    outer();
    tbb::task_arena one(1);
    std::thread t[3];
    for (auto &x : t)
        x = std::thread([&] { in_arena(one); sink = 3; });
    for (auto &x : t)
        x.join();
}

// Tasks that sleep, and the program's own strand. Prints how long they were off the CPU, which on a
// busy machine is longer.
static long off() { return ns(CLOCK_MONOTONIC) - ns(CLOCK_THREAD_CPUTIME_ID); }
__attribute__((noinline)) void nap(int ms)
{
    timespec t = { 0, ms * 1000000l };
    nanosleep(&t, 0);
    sink = 4;
}
__attribute__((noinline)) void sleepers()
{
    tbb::task_group g;
    std::atomic<long> tasks{0};
    for (int i = 0; i < 10; i++)
        g.run([&] {
            long before = off();
            nap(30);
            tasks += off() - before;
        });
    g.wait();
    std::printf("tasks %ld\n", tasks.load());
}
static void blocked(long before)
{
    std::printf("before %ld\n", off() - before);
    sleepers();
    before = off();
    nap(100);
    burn_alone(200);
    std::printf("own %ld\n", off() - before);
}

// Stacks of the program's own: one that ends at an unmapped page, entered by a jump, and a signal
// handler's above the thread's.
extern "C" {
void *left_stack;
void enter_stack(void *top);
__attribute__((noinline, noreturn, used)) void coroutine()
{
    burn_first(150);
    __asm__ volatile("mov left_stack(%rip), %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n"
                     " pop %rbp\n pop %rbx\n ret");
    __builtin_unreachable();
}
}
__asm__(".globl enter_stack\n.type enter_stack, @function\n"
        "enter_stack:\n push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp, left_stack(%rip)\n mov %rdi, %rsp\n jmp coroutine\n"
        ".size enter_stack, . - enter_stack\n");
static const size_t own_stack = 1 << 16;
static char *map_stack()
{
    char *s = (char *)mmap(0, own_stack + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0);
    mprotect(s + own_stack, 4096, PROT_NONE);
    return s;
}
__attribute__((noinline)) void handles(int) { burn_second(150); sink = 6; }
__attribute__((noinline)) void interrupted() { raise(SIGUSR1); sink = 7; }
static void stacks()
{
    tbb::task_group g;
    g.run_and_wait([] { enter_stack(map_stack() + own_stack); });
    char *above = map_stack();
    std::thread t([above] {             // its stack is mapped later: below
        stack_t s = {};
        s.ss_sp = above;
        s.ss_size = own_stack;
        struct sigaction a = {};
        a.sa_handler = handles;
        a.sa_flags = SA_ONSTACK;
        sigaltstack(&s, 0);
        sigaction(SIGUSR1, &a, 0);
        enter_stack(map_stack() + own_stack);
        interrupted();
    });
    t.join();
}

// A program that locks itself in: the kernel refuses timers and CPU clocks from here.
__attribute__((noinline)) void spin(long n)
{
    while (n--)
        sink = sink + 1;
}
static void filtered()
{
    sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    sock_fprog p = { sizeof f / sizeof f[0], f };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* unseen, as a filter that was there before the program: before one of its own recording ends
     * (policy/sandbox) */
#ifdef __x86_64__
    long result = SYS_prctl;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(PR_SET_SECCOMP), "S"(SECCOMP_MODE_FILTER), "d"(&p)
                 : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long call asm("x8") = SYS_prctl, result asm("x0") = PR_SET_SECCOMP;
    register long mode asm("x1") = SECCOMP_MODE_FILTER;
    register sock_fprog *program asm("x2") = &p;
    asm volatile("svc #0" : "+r"(result) : "r"(call), "r"(mode), "r"(program) : "memory");
#endif
    std::thread([] { spin(200000000); }).join();
    tbb::task_group g;
    g.run_and_wait([] { spin(200000000); });
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::printf("used %ld\n", used.ru_utime.tv_sec * 1000000000l + used.ru_utime.tv_usec * 1000l);
}

// A stack that grows to 6 MB, 300 us a time: a walk of all of it takes longer than that.
__attribute__((noinline)) void grow(int levels)
{
    volatile char here[3900];
    here[0] = levels;
    for (int i = 0; i < 200; i++)
        sink = sink + i;
    if (levels)
        grow(levels - 1);
    here[1] = here[0];
}

// A task 20,000 frames deep.
__attribute__((noinline)) void deep(int levels)
{
    volatile char here[64];
    here[0] = levels;
    if (levels)
        deep(levels - 1);
    else
        burn_leaf(200);
    here[1] = here[0];
}

// Spawns 500 frames below their task's entry.
__attribute__((noinline)) void spawns_below(tbb::task_group &g, int levels)
{
    if (levels)
        spawns_below(g, levels - 1);
    else
        for (int i = 0; i < 1000; i++)
            g.run([] { });
    sink = 8;
}

// More threads than worker slots, each in the runtime by itself.
static void crowd()
{
    std::thread t[12];
    for (auto &x : t)
        x = std::thread([] { phase(nullptr, 4, [] { burn_together(5); }); });
    for (auto &x : t)
        x.join();
}

int main(int argc, char **argv)
{
    long start = off();
    int p = argc > 2 ? std::atoi(argv[2]) : 2;
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, p);
    tbb::task_arena arena(p);
    const char *mode = argc > 1 ? argv[1] : "";
    const char *warm = !std::strcmp(mode, "idleness") ||
        !std::strcmp(mode, "bystander") ? "warm" : nullptr;
    arena.execute([warm] {              // the workers exist before anything counts
        phase(warm, 16, [] { timespec t = { 0, 2000000 }; nanosleep(&t, 0); });
    });
    if (!std::strcmp(mode, "idleness"))
        arena.execute([p] { idleness(p); });
    else if (!std::strcmp(mode, "bystander"))
        arena.execute([] { bystander(); });
    else if (!std::strcmp(mode, "crowd"))
        crowd();
    else if (!std::strcmp(mode, "span"))
        span();
    else if (!std::strcmp(mode, "fed"))
        fed();
    else if (!std::strcmp(mode, "blocked"))
        blocked(start);
    else if (!std::strcmp(mode, "paths"))
        paths();
    else if (!std::strcmp(mode, "below")) {
        tbb::task_group g;
        spawns_below(g, 500);
        g.wait();
    } else if (!std::strcmp(mode, "filtered"))
        filtered();
    else if (!std::strcmp(mode, "stacks"))
        stacks();
    else if (!std::strcmp(mode, "grow")) {
        for (int i = 0; i < 200; i++)
            grow(1500);
    } else if (!std::strcmp(mode, "deep")) {
        tbb::task_group g;
        g.run_and_wait([] { deep(20000); });
    } else
        return 2;
}
