/* test_clock.c - the clocks keep their contract. Assertions are ratios with wide margins, and those
 * of real time have more than one try (tries.h): the machine may be slow, shared and virtual.
 * Criterion runs each test in a process of its own.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "clock/clock.h"
#include "clock/source.h"
#include "arch/thread_pointer.h"
#include "pages.h"
#include "tries.h"

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

#define MS 1000000ull

static int setup(const char *name)
{
    const char *why = "";
    return clock_setup(name, &why);
}

static double unit(void)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    return (double)num / den;
}

static uint64_t cpu(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static bool have_rseq(void)
{
    return clock_armed_value > 1;
}

static volatile uint64_t *rseq_word(void)
{
    return (volatile uint64_t *)((char *)thread_pointer() + __rseq_offset + 8);
}

/* ---- tsc ---- */

/* Burns CPU time with a reading now and then. Compares the clock with the kernel's figure. */
struct burner {
    pthread_t thread;
    uint64_t until_ns;          /* CPU time to burn */
    unsigned spin;
    uint64_t clock, cpu, readings, backwards, own;
};

static void *burn(void *arg)
{
    struct burner *b = arg;
    struct clock_thread c;
    clock_thread_start(&c);
    uint64_t c0 = cpu(), v0 = clock_now(&c), v = v0, c1;
    do {
        for (int i = 0; i < 500; i++) {
            for (volatile unsigned s = 0; s < b->spin; s++)
                ;
            uint64_t now = clock_now(&c);
            b->backwards += now < v;
            v = now;
            b->readings++;
        }
    } while ((c1 = cpu()) - c0 < b->until_ns);
    v = clock_now(&c);
    b->clock = v - v0;
    b->cpu = c1 - c0;
    b->own = c.reanchors;
    clock_thread_stop(&c);
    return 0;
}

static void burn_all(struct burner *b, int n, uint64_t ns, unsigned spin)
{
    for (int i = 0; i < n; i++) {
        b[i] = (struct burner){ .until_ns = ns, .spin = spin };
        cr_assert_eq(pthread_create(&b[i].thread, 0, burn, &b[i]), 0);
    }
    for (int i = 0; i < n; i++)
        pthread_join(b[i].thread, 0);
}

/* Two CPUs, four threads: every thread is preempted all the time. */
static void crowd(void)
{
    cpu_set_t all, two;
    int n = 0;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&two);
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &two);
            n++;
        }
    sched_setaffinity(0, sizeof two, &two);
}

Test(clock, monotone_under_preemption)
{
    struct burner b[4];
    cr_assert_eq(setup("tsc"), 0);
    crowd();
    burn_all(b, 4, 300 * MS, 5);
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(b[i].backwards, 0, "thread %d: %lu of %lu readings went back", i,
                     (unsigned long)b[i].backwards, (unsigned long)b[i].readings);
        cr_expect(b[i].clock > 0);
    }
}

/* Each slow reading leaves the time that it takes out of the clock. That is added to the tolerance:
 * 1 us, or more where a system call takes long (2.7 us in some virtual machines). */
static bool agrees(void)
{
    enum { CALLS = 1000 };
    struct burner b[4];
    uint64_t before = cpu();
    for (int i = 0; i < CALLS; i++)
        cpu();
    double reading = 1.5 * (cpu() - before) / CALLS;
    if (reading < 1000)
        reading = 1000;
    burn_all(b, 4, 200 * MS, 50);
    for (int i = 0; i < 4; i++) {
        double ns = b[i].clock * unit(), off = ns - b[i].cpu;
        double allowed = b[i].cpu * 1e-3 + 50000 + b[i].own * reading;
        NEEDS(off < allowed && off > -allowed, "thread %d: clock %.0f ns, CPU time %lu ns", i,
              ns, (unsigned long)b[i].cpu);
    }
    return true;
}

Test(clock, agrees_with_cpu_time)
{
    cr_assert_eq(setup("tsc"), 0);
    crowd();
    one_try_of_many(agrees);
}

static bool sleep_is_free(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    uint64_t v0 = clock_now(&c), w0 = cpu_counter();
    usleep(20000);
    uint64_t v = clock_now(&c), w = cpu_counter();
    clock_thread_stop(&c);
    NEEDS((w - w0) * unit() >= 19 * MS, "slept %.0f ns", (w - w0) * unit());
    NEEDS((v - v0) * unit() < 1.0 * MS, "it cost %.0f ns", (v - v0) * unit());
    NEEDS(c.reanchors > 0, "no anchor was taken");
    return true;
}

Test(clock, sleeping_costs_nothing)
{
    cr_assert_eq(setup("tsc"), 0);
    one_try_of_many(sleep_is_free);
}

/* A nap too short for the gap rule is seen where rseq is. */
Test(clock, one_reading_finds_a_switch)
{
    struct clock_thread c;
    cr_assert_eq(setup("tsc"), 0);
    if (!have_rseq() || !strstr(clock_detail(), "rseq + "))
        cr_skip_test("no rseq that sees blocking calls");
    clock_gap = UINT64_MAX;
    clock_thread_start(&c);
    clock_now(&c);
    uint64_t before = c.reanchors;
    struct timespec nap = { 0, 1000 };
    nanosleep(&nap, 0);
    clock_now(&c);
    cr_expect_gt(c.reanchors, before);
    cr_expect_eq(*c.armed, clock_armed_value);
    clock_thread_stop(&c);
    cr_expect_eq(*rseq_word(), 0);
}

/* A reading that was refused only for its gap serves as the reading. */
Test(clock, refused_reading_serves)
{
    struct clock_thread c;
    cr_assert_eq(setup("tsc"), 0);
    clock_thread_start(&c);
    uint64_t word = clock_armed_value, now, gap = clock_ns_to_ticks(500);
    c.armed = &word;                    /* a switch between the readings would be another case */
    clock_short_gap = gap;
    clock_quick_gap = UINT64_MAX;
    now = clock_now(&c);
    uint64_t last = c.last, offset = c.offset;
    while (cpu_counter() - last < gap)
        ;
    cr_expect(!clock_now_short(&c, &now));
    cr_expect_eq(c.last, last, "a refused reading has no effect");
    while (cpu_counter() - c.tried < gap)
        ;
    bool slow = false;
    now = clock_now_again(&c, &slow);
    cr_expect(!slow);
    cr_expect_eq(c.last, c.tried);
    cr_expect_eq(now, c.tried - offset);
    word = ~word;                       /* the thread was switched */
    clock_quick_gap = 0;
    clock_now_again(&c, &slow);
    cr_expect(slow);
}

static bool gaps_are_free(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    uint64_t word = clock_armed_value;
    c.armed = &word;                    /* as on a machine without rseq: always "armed" */
    uint64_t v0 = clock_now(&c);
    for (int i = 0; i < 10; i++) {
        usleep(3000);
        clock_now(&c);
    }
    double ns = (clock_now(&c) - v0) * unit();
    NEEDS(ns < 3.0 * MS, "ten naps cost %.0f ns", ns);
    NEEDS(c.reanchors >= 10, "%lu anchors for ten naps", (unsigned long)c.reanchors);
    return true;
}

Test(clock, gap_rule_alone)
{
    cr_assert_eq(setup("tsc"), 0);
    one_try_of_many(gaps_are_free);
}

/* Nothing but slow readings: nearly all of the CPU time is libprof's, and must not be in the
 * clock. */
static bool own_time_is_free(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    uint64_t c0 = cpu(), v0 = clock_now(&c);
    while (cpu() - c0 < 50 * MS)
        for (int i = 0; i < 1000; i++)
            clock_now(&c);
    uint64_t used = cpu() - c0;
    usleep(100000);                     /* a debt would be paid out here, where the TSC allows it */
    double ns = (clock_now(&c) - v0) * unit();
    clock_thread_stop(&c);
    NEEDS(ns < used * 0.4, "%.0f of %lu", ns, (unsigned long)used);
    return true;
}

Test(clock, own_time_is_not_charged)
{
    cr_assert_eq(setup("tsc"), 0);
    if (!clock_gap)
        cr_skip_test("TSC not trusted: the clock is the CPU time itself");
    clock_gap = clock_quick_gap = 1;
    one_try_of_many(own_time_is_free);
}

/* What a machine whose TSC stops or changes its rate gets. */
static bool counts_cpu_time(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    uint64_t c0 = cpu(), v0 = clock_now(&c), v = v0;
    while (cpu() - c0 < 20 * MS) {
        uint64_t now = clock_now(&c);
        cr_assert(now >= v);
        v = now;
    }
    usleep(20000);
    v = clock_now(&c);
    uint64_t used = cpu() - c0;
    cr_expect_leq(v - v0, used);
    NEEDS(v - v0 > used * 0.9, "%lu of %lu", (unsigned long)(v - v0), (unsigned long)used);
    return true;
}

Test(clock, untrusted_tsc_counts_cpu_time)
{
    cr_assert_eq(setup("tsc"), 0);
    void tsc_setup(void);
    clock_gap = clock_quick_gap = 0;
    tsc_setup();
    cr_expect(strstr(clock_detail(), "not invariant") != 0);
    cr_expect_eq(unit(), 1.0);
    one_try_of_many(counts_cpu_time);
}

static struct clock_thread *handler_clock;
static volatile uint64_t handler_readings, handler_backwards;

static void on_timer(int sig)
{
    (void)sig;
    uint64_t a = clock_now(handler_clock), b = clock_now(handler_clock);
    handler_backwards += b < a;
    handler_readings++;
}

static bool handlers_read(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    handler_readings = 0;
    handler_clock = &c;
    struct sigaction sa = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
    sigaction(SIGALRM, &sa, 0);
    struct itimerval every = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &every, 0);
    uint64_t c0 = cpu(), v0 = clock_now(&c), v = v0, worst = 0;
    uint64_t t0 = cpu_counter();
    errno = 77;
    while (cpu() - c0 < 300 * MS) {
        for (volatile int s = 0; s < 20; s++)
            ;
        uint64_t now = clock_now(&c);
        if (now < v && v - now > worst)
            worst = v - now;
        v = now;
    }
    cr_expect_eq(errno, 77);
    setitimer(ITIMER_REAL, &off, 0);
    uint64_t elapsed = cpu_counter() - t0;
    cr_expect_eq(handler_backwards, 0);
    cr_expect(v - v0 <= elapsed + 2000 && v > v0);
    /* One that interrupts a slow reading (too short a time to hit by a timer) changes nothing. */
    struct clock_thread copy = c;
    c.busy = copy.busy = 1;
    c.busy_value = copy.busy_value = 12345;
    cr_expect_eq(tsc_now_slow(&c, cpu_counter() + clock_gap), 12345);
    cr_expect_eq(memcmp(&c, &copy, sizeof c), 0);
    clock_thread_stop(&c);
    NEEDS(handler_readings > 10, "%lu handlers", (unsigned long)handler_readings);
    NEEDS(worst * unit() < 20000.0, "a handler threw the clock back by %.0f ns", worst * unit());
    return true;
}

/* Handlers read the clock that they interrupted; it stays right and errno survives. */
Test(clock, signal_handlers)
{
    cr_assert_eq(setup("tsc"), 0);
    clock_gap = 2000;                   /* slow readings all the time, so that they are interrupted,
                                           too */
    one_try_of_many(handlers_read);
}

/* ---- other users of rseq ---- */

__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".long 0x53053053\n"
        "foreign_abort: ud2\n"
        ".popsection\n");
extern char foreign_abort[];

static struct {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32))) foreign;

Test(clock, foreign_descriptor_is_respected)
{
    struct clock_thread c;
    cr_assert_eq(setup("tsc"), 0);
    if (!have_rseq())
        cr_skip_test("no rseq");
    clock_thread_start(&c);
    foreign.abort_ip = (uint64_t)(uintptr_t)foreign_abort;
    uint64_t theirs = (uint64_t)(uintptr_t)&foreign;
    /* A switch may clear the word at any time, after which arming it is right: try until none
     * came. */
    int respected = 0, overwritten = 0;
    uint64_t v = clock_now(&c), v0 = v;
    for (int i = 0; i < 1000; i++) {
        uint64_t reanchors = c.reanchors;
        *rseq_word() = theirs;
        for (int k = 0; k < 3; k++) {
            uint64_t now = clock_now(&c);
            cr_assert(now >= v);
            v = now;
        }
        uint64_t word = *rseq_word();
        respected += word == theirs && c.reanchors == reanchors;
        overwritten += word == clock_armed_value;
        *rseq_word() = 0;
    }
    cr_expect_gt(respected, 900);
    cr_expect_lt(overwritten, 100);
    /* across a gap, over a live foreign descriptor: right, and still not ours to take */
    *rseq_word() = theirs;
    clock_gap = clock_quick_gap = 1;
    uint64_t a = clock_now(&c);
    cr_expect(a >= v && *rseq_word() != clock_armed_value);
    cr_expect_lt((a - v0) * unit(), 100.0 * MS);
    *rseq_word() = 0;
    clock_now(&c);
    clock_thread_stop(&c);
}

Test(clock, stop_leaves_a_foreign_descriptor)
{
    struct clock_thread c;
    cr_assert_eq(setup("tsc"), 0);
    if (!have_rseq())
        cr_skip_test("no rseq");
    foreign.abort_ip = (uint64_t)(uintptr_t)foreign_abort;
    int kept = 0;
    for (int i = 0; i < 100; i++) {
        clock_thread_start(&c);
        *rseq_word() = (uint64_t)(uintptr_t)&foreign;
        clock_thread_stop(&c);
        kept += *rseq_word() == (uint64_t)(uintptr_t)&foreign;
        *rseq_word() = 0;
    }
    cr_expect_gt(kept, 80);
}

/* ---- fork ---- */

static int child_goes_on(const char *clock, int (*more)(void))
{
    struct clock_thread c;
    if (setup(clock))
        return 100;
    clock_thread_start(&c);
    for (int i = 0; i < 4; i++)         /* more than the child will count by itself */
        more();
    uint64_t v = clock_now(&c);
    pid_t pid = fork();
    if (!pid) {
        clock_thread_forked(&c);
        uint64_t a = clock_now(&c);
        if (a < v || (a - v) * unit() > 50.0 * MS)
            _exit(1);
        more();
        uint64_t b = clock_now(&c);
        usleep(10000);
        uint64_t d = clock_now(&c);
        _exit(b <= a ? 2 : d < b ? 3 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    cr_expect(clock_now(&c) >= v);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

static int spin_10ms(void)
{
    for (uint64_t c0 = cpu(); cpu() - c0 < 10 * MS;)
        ;
    return 0;
}

Test(clock, fork_child_goes_on)
{
    cr_expect_eq(child_goes_on("tsc", spin_10ms), 0);
}

/* ---- virtual, wall ---- */

Test(clock, virtual_adds_exactly)
{
    struct clock_thread c;
    cr_assert_eq(setup("virtual"), 0);
    cr_expect_str_eq(clock_name(), "virtual");
    clock_thread_start(&c);
    uint64_t v = clock_now(&c), sum = 0;
    for (uint64_t i = 1; i <= 1000; i++) {
        c.virtual_now += i * i;
        sum += i * i;
        cr_assert_eq(clock_now(&c) - v, sum);
    }
    clock_thread_stop(&c);
}

Test(clock, wall_counts_sleep)
{
    struct clock_thread c;
    cr_assert_eq(setup("wall"), 0);
    clock_thread_start(&c);
    uint64_t v = clock_now(&c);
    usleep(20000);
    cr_expect_geq((clock_now(&c) - v) * unit(), 19.9 * MS);
    clock_thread_stop(&c);
}

/* ---- the rate ---- */

static bool rate_is_right(void)
{
    uint64_t t = cpu_counter(), n = clock_read_ns(CLOCK_MONOTONIC_RAW);
    usleep(50000);
    t = cpu_counter() - t;
    n = clock_read_ns(CLOCK_MONOTONIC_RAW) - n;
    double ns = t * unit();
    NEEDS(ns > n * 0.99 && ns < n * 1.01, "%.0f ns for %.0f", ns, (double)n);
    return true;
}

Test(clock, rate)
{
    cr_assert_eq(setup("tsc"), 0);
    one_try_of_many(rate_is_right);
    struct clock_rate rate = clock_rate();      /* from now on, others convert by it, too */
    double back = clock_ns(rate, clock_ns_to_ticks(1000000000));
    cr_expect(back > 0.999e9 && back < 1.001e9);
}

/* ---- counters ---- */

static void need(const char *event)
{
    const char *why = "";
    if (clock_setup(event, &why))
        cr_skip_test("%s: %s", event, why);
}

Test(clock, page_faults)
{
#ifdef __SANITIZE_THREAD__
    enum { N = 500, MOST = 4 * N };     /* its shadow memory faults, too */
#else
    enum { N = 500, MOST = 2 * N };
#endif
    struct clock_thread c;
    need("page-faults");
    cr_expect_eq(clock_kind, CLOCK_COUNTER);
    cr_expect_str_eq(clock_name(), "page-faults");
    uint64_t num, den;
    clock_unit(&num, &den);
    cr_expect_eq(num, 0);
    clock_thread_start(&c);
    char *p = mmap(0, N * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, N * 4096, MADV_NOHUGEPAGE);
    errno = 77;
    uint64_t v0 = clock_now(&c);
    for (int i = 0; i < N; i++)
        ((volatile char *)p)[i * 4096] = 1;
    uint64_t v = clock_now(&c);
    cr_expect_eq(errno, 77);
    cr_expect(v - v0 >= N && v - v0 < MOST, "%lu faults for %d fresh pages",
              (unsigned long)(v - v0), N);
    clock_thread_stop(&c);
}

static bool counts_time(void)
{
    struct clock_thread c = { 0 };
    clock_thread_start(&c);
    uint64_t c0 = cpu(), v = clock_now(&c);
    while (cpu() - c0 < 20 * MS)
        ;
    usleep(20000);
    v = clock_now(&c) - v;
    uint64_t used = cpu() - c0;
    clock_thread_stop(&c);
    NEEDS(v > used * 0.8 && v < used * 1.2, "%lu for %lu", (unsigned long)v, (unsigned long)used);
    return true;
}

Test(clock, counter_of_time)
{
    need("task-clock");
    cr_expect_eq(unit(), 1.0);
    one_try_of_many(counts_time);
}

Test(clock, counter_after_fork)
{
    need("page-faults");
    cr_expect_eq(child_goes_on("page-faults", touch_pages), 0);
}

/* The program closes all descriptors and gets our number for a socket: its data are its own. */
Test(clock, closed_descriptors)
{
    struct clock_thread c;
    need("page-faults");
    clock_thread_start(&c);
    touch_pages();
    uint64_t v = clock_now(&c);
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    cr_assert_gt(c.counter_fd, 63, "a low number was taken from the program");
    cr_assert_eq(dup2(pair[1], c.counter_fd), c.counter_fd);
    cr_assert_eq(write(pair[0], "0123456789abcdef", 16), 16);
    cr_expect_eq(clock_now(&c), v);
    int fd = c.counter_fd;
    clock_thread_stop(&c);
    char data[16];
    cr_expect_eq(read(fd, data, sizeof data), 16,
                 "libprof ate the program's data or closed its socket");
}

static void falls_back(const char *name)
{
    const char *why = 0;
    int r = clock_setup(name, &why);
    cr_expect_lt(r, 0, "%s", name);
    cr_assert_not_null(why);
    cr_expect(strlen(why) > 10 && !strchr(why, '\n'), "%s: %s", name, why);
    cr_expect_eq(clock_kind, CLOCK_TSC);
    cr_expect_str_eq(clock_name(), "tsc");
    struct clock_thread c;
    clock_thread_start(&c);
    uint64_t v = clock_now(&c);
    spin_10ms();
    cr_expect_gt((clock_now(&c) - v) * unit(), 5.0 * MS);
    clock_thread_stop(&c);
}

Test(clock, bad_names_fall_back)
{
    falls_back("no-such-event");
    falls_back("");
    falls_back("an-event-name-that-is-longer-than-any-event-name-could-reasonably-be-at-all");
}

Test(clock, instructions_or_a_reason)
{
    const char *why = 0;
    if (clock_setup("instructions", &why)) {
        falls_back("instructions");
        falls_back("cycles");
        return;
    }
    struct clock_thread c;
    clock_thread_start(&c);
    uint64_t v = clock_now(&c);
    for (volatile int i = 0; i < 1000000; i++)
        ;
    v = clock_now(&c) - v;
    cr_expect(v > 2000000 && v < 20000000, "%lu", (unsigned long)v);
    clock_thread_stop(&c);
}
