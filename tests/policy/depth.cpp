/* depth.cpp - how much of its stack a thread uses in calls that libprof interposes.
 *   depth of CALL           "first N later N": bytes, in the first call of the process, which goes
 *                           deepest, and the most in others, on another thread
 *   depth of begin          bytes of a thread's stack that a thread uses which does nothing
 *   depth left BYTES CALL   CALL on a thread that has BYTES of its stack left
 *   depth used BYTES        the thread has PTHREAD_STACK_MIN, has used BYTES of it, and creates a
 *                           thread
 * A page without access is below each of these stacks. Start it with LD_BIND_NOW: the loader's
 * binding of a function at its first call needs 3 KB. -DNO_TBB: without the calls of oneTBB.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <alloca.h>
#include <pthread.h>
#ifndef NO_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libprof.h"

#define PAINT ((char)0xa5)
#define PAINTED ((size_t)48 << 10)
#define RED_ZONE ((size_t)128)
#define STACK ((size_t)256 << 10)

/* ---- the calls ---- */

static volatile int sink;

static void *nothing(void *p)
{
    return p;
}

static void thread()
{
    pthread_t t;
    if (!pthread_create(&t, nullptr, nothing, nullptr))
        pthread_join(t, nullptr);
}

static void detached()
{
    pthread_t t;
    if (!pthread_create(&t, nullptr, nothing, nullptr))
        pthread_detach(t);
}

#ifndef NO_TBB
static void group()
{
    tbb::task_group g;
    g.run([] {});
    g.wait();
}

static void loop()
{
    tbb::parallel_for(0, 8, [](int i) { sink = i; });
}

static void enqueue()
{
    tbb::task_arena(1).enqueue([] {});
}
#endif

static void region()
{
#pragma omp parallel num_threads(2)
    sink = 1;
}

static void task()
{
#pragma omp task
    sink = 1;
#pragma omp taskwait
}

static void tasks()
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
        sink = i;
    }
}

static void annotated()
{
    libprof_region_start("region");
    libprof_region_stop("region");
}

static void fork_once()
{
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    waitpid(pid, nullptr, 0);
}

static void exec_nothing()
{
    execl("/nowhere", "nowhere", nullptr);
}

static void leave()
{
    _exit(7);
}

static const struct { const char *name; void (*call)(); } calls[] = {
    { "thread", thread }, { "detached", detached },
#ifndef NO_TBB
    { "group", group }, { "loop", loop }, { "enqueue", enqueue },
#endif
    { "region", region }, { "task", task }, { "tasks", tasks }, { "annotated", annotated },
    { "fork", fork_once }, { "exec", exec_nothing }, { "_exit", leave },
};

/* ---- how deep they go ---- */

/* What is below this frame is painted, and read afterwards. */
static __attribute__((noinline)) size_t measure(void (*call)())
{
    const char *sp;
    asm volatile("mov %%rsp, %0" : "=r"(sp));
    const char *low = sp - PAINTED, *p = low;
    for (volatile char *at = (char *)low; at < sp - RED_ZONE; at++)
        *at = PAINT;
    call();
    while (p < sp && *p == PAINT)
        p++;
    return sp - p;
}

static size_t later;

static void *measure_again(void *p)
{
    for (int i = 0; i < 20; i++) {
        size_t used = measure((void (*)())p);
        later = used > later ? used : later;
    }
    return nullptr;
}

/* A stack with a page without access below. */
static char *new_stack(size_t bytes)
{
    char *p = (char *)mmap(nullptr, 4096 + bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p, 4096, PROT_NONE);
    return p + 4096;
}

static void run_on(char *stack, size_t bytes, void *(*routine)(void *), void *argument)
{
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, bytes);
    if (pthread_create(&t, &attr, routine, argument))
        exit(2);
    pthread_join(t, nullptr);
}

static size_t begin()
{
    char *stack = new_stack(STACK);
    size_t n = 0;
    memset(stack, PAINT, STACK);
    run_on(stack, STACK, nothing, nullptr);
    while (n < STACK && stack[n] == PAINT)
        n++;
    return STACK - n;
}

/* ---- little is left ---- */

static struct {
    char *stack;
    size_t left, used;
    void (*call)();
} tight;

static __attribute__((noinline)) void call_below(size_t bytes)
{
    char *room = (char *)alloca(bytes);
    asm volatile("" : : "r"(room) : "memory");
    tight.call();
    asm volatile("" : : "r"(room) : "memory");
}

static void *with_little_left(void *unused)
{
    char *here = (char *)__builtin_frame_address(0);
    call_below(tight.used ? tight.used : here - tight.stack - tight.left);
    return unused;
}

static void (*call_named(const char *name))()
{
    for (auto &c : calls)
        if (!strcmp(name, c.name))
            return c.call;
    exit(2);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    if (!strcmp(what, "of") && !strcmp(argv[2], "begin")) {
        size_t first = begin();
        printf("first %zu later %zu\n", first, begin());
    } else if (!strcmp(what, "of")) {
        void (*call)() = call_named(argv[2]);
        size_t first = measure(call);
        run_on(new_stack(STACK), STACK, measure_again, (void *)call);
        printf("first %zu later %zu\n", first, later);
    } else if (!strcmp(what, "left") && argc > 3) {
#ifndef NO_TBB
        group();                /* libtbb's start, and libgomp's, need more */
#endif
        region();
        tight = { new_stack(STACK), (size_t)atol(argv[2]), 0, call_named(argv[3]) };
        run_on(tight.stack, STACK, with_little_left, nullptr);
        puts("lives");
    } else if (!strcmp(what, "used")) {
        tight = { nullptr, 0, (size_t)atol(argv[2]), thread };
        run_on(new_stack(PTHREAD_STACK_MIN), PTHREAD_STACK_MIN, with_little_left, nullptr);
        puts("lives");
    }
    return 0;
}
