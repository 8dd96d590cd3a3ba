/* lifecycle.c - see lifecycle.h. Everything that starts, forks or ends the process passes here.
 *
 * A process in which nothing parallel happened leaves no file and says nothing (so that
 * LD_PRELOAD can stand over a whole script), unless `prof run` asked for one.
 *
 * Checkpoints are written by a thread of our own, with all signals blocked, so that SIGKILL loses
 * the last interval only. It is started by the first event, never in a process without tasks.
 *
 * Rules of this file:
 * - who writes blocks all signals first (also the two that glibc keeps for itself: a cancellation
 *   must not unwind us), so that a handler never finds its own thread inside the writer;
 * - who finds another thread writing the last profile waits for it before it ends the process, or
 *   the file would be lost; every such wait is bounded, a hung disk must not hang an exit;
 * - the original function is called in any case, with errno as the program left it.
 */
#define _GNU_SOURCE
#include "process/lifecycle.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>
#include "model/block.h"
#include "sampling/blocked.h"
#include "engine/burden.h"
#include "base/config.h"
#include "engine/engine.h"
#include "output/snapshot.h"
#include "process/thread.h"
#include "clock/events.h"
#include "signals/fatal.h"
#include "libprof_format.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/real.h"
#include "unwind/runtime.h"
#include "model/thread.h"
#include "sampling/sampler.h"
#include "signals/signals.h"
#include "signals/sigstack.h"
#include "hooks/site.h"
#include "extras/dagrec.h"
#include "extras/whatif.h"
#include "output/writer.h"
#include "unwind/cct.h"
#include "unwind/cfi.h"
#include "unwind/walk.h"
#include "unwind/path.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))
#define WAIT_NS 10000000000ull  /* for another writer, before an exit goes on without */
#define CHECKPOINT_FIRST_NS 500000000ull
#define LOCK_TURN_NS 10000000ull        /* the checkpoint thread listens meanwhile */
#define SETXID (1ull << 32)     /* signal 33, libc's: setuid() and its like wait until every thread has handled it */

extern char **environ;

/* Of this process; forward only, but for a forked child, which starts at RUNNING. */
enum state {
    BOOT,                       /* not recording: start-up, or PROF_DISABLE, or no memory */
    RUNNING,
    ENDING,                     /* the last profile is being written, by thread `ending_tid` */
    FINAL,
};
static uint32_t state;
static pid_t ending_tid;
static pid_t my_pid;            /* a vfork child shares our memory but not our pid: it must not write */
/* One writer at a time: checkpoint, exec or final; held during file output, also across fork so
 * that a child never inherits half a write. All others nest in it. */
LOCK_DEFINE(write_lock, LOCK_WRITER);
/* What a thread that forks keeps until both sides go on; the child has a copy. */
static __thread struct {
    bool blocked, locked;       /* its signals; all locks */
    uint64_t mask;
    struct thread *thread;      /* its state, taken off it while it holds the locks */
} forking __attribute__((tls_model("initial-exec")));
READ_MOSTLY uint32_t lifecycle_checkpoints_started;

static uint64_t mask_signals(uint64_t mask)
{
    uint64_t old = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, 8L);
    return old;
}

static uint64_t block_signals(void)
{
    return mask_signals(~0ull);
}

static void restore_signals(uint64_t old)
{
    mask_signals(old);
}

static void nap(void)
{
    struct timespec t = { 0, 100000 };
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0L, &t, 0L);
}

static bool lock_writer(void)
{
    return lock_take_within(&write_lock, WAIT_NS);
}

static void unlock_writer(void)
{
    lock_release(&write_lock);
}

/* ---- burden ---- */

/* Cilkview's 15,000 instructions, at 3 instructions a ns: what a steal costs until one was seen. In
 * units of another event (page faults) nothing is known of it. */
#define BURDEN_INSTRUCTIONS 15000
#define BURDEN_NS 5000

static uint64_t burden_in_units(uint64_t ns)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    if (num)
        return (uint64_t)((__uint128_t)ns * den / num);
    return strstr(clock_name(), "instructions") ? ns * (BURDEN_INSTRUCTIONS / BURDEN_NS) : 0;
}

static void setup_burden(void)
{
    const char *b = config.burden;
    uint64_t n = 0;
    if (!strcmp(b, "auto")) {
        /* a virtual clock has no steals to measure: no burden unless one is asked for */
        if (clock_kind == CLOCK_VIRTUAL)
            burden_setup(0, 0);
        else
            burden_setup(burden_in_units(BURDEN_NS), 1);
        return;
    }
    if (!strcmp(b, "cilkview")) {
        burden_setup(burden_in_units(BURDEN_NS), 0);
        return;
    }
    for (const char *p = b; *p; p++) {
        if (*p < '0' || *p > '9' || n > 1000000000000ull) {
            message(MESSAGE_WARNING, "PROF_BURDEN=%s is not auto, cilkview or a whole number: using auto", b);
            burden_setup(burden_in_units(BURDEN_NS), 1);
            return;
        }
        n = n * 10 + (*p - '0');
    }
    uint64_t num, den;
    clock_unit(&num, &den);
    burden_setup(num ? burden_in_units(n) : n, 0);
}

/* ---- writing ---- */

static bool anything_happened(const struct snapshot *s)
{
    return s->tasks || s->spawns || s->syncs || engine_regions;
}

/* Runtimes that an agent exists for: loaded, they should have been heard of. */
static int find_runtime(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    const char *name = info->dlpi_name ? info->dlpi_name : "", *base = strrchr(name, '/');
    *(bool *)closure = !strncmp(base ? base + 1 : name, "libtbb.so", 9);
    return *(bool *)closure;
}

static void explain_silence(void)
{
    bool loaded = false;
    /* a thread that the child of fork does not have may have been inside dl_iterate_phdr: its lock is held for ever there */
    if (lock_generation)
        return;
    dl_iterate_phdr(find_runtime, &loaded);
    if (!loaded)
        return;
    message_release();
    message(MESSAGE_WARNING, "libtbb is loaded but no task was seen: nothing parallel ran, or the "
            "calls are out of reach (RTLD_DEEPBIND, TBB linked statically)");
}

struct writing {
    bool final;
    uint32_t end, status;
    int error;                  /* what came of it */
};

static void write_here(void *argument)
{
    struct writing *w = argument;
    bool final = w->final;
    uint32_t end = w->end, status = w->status;
    struct snapshot s;
    writer_begin();
    if (engine_snapshot(&s, final)) {
        w->error = -ENOMEM;
        return;
    }
    bool happened = anything_happened(&s);
    if (!happened && end == LPF_END_EXIT)
        explain_silence();
    if (happened || writer_wanted()) {
        message_release();
        w->error = writer_write(&s, end, status);
    }
    engine_snapshot_free(&s);
}

/* A program may end on a stack that has no room for the writer: Rust calls abort() in a handler for stack overflows, whose
 * alternate stack has 8 KB. So the writer has its own. Set by start(), used under write_lock; 0: no memory. */
#define WRITE_STACK_BYTES ((size_t)256 << 10)
static char *write_stack;

/* write_lock is held, signals are blocked. */
static int write_silently(bool final, uint32_t end, uint32_t status)
{
    struct writing w = { final, end, status, 0 };
    if (write_stack)
        sigstack_call(write_stack + WRITE_STACK_BYTES, write_here, &w);
    else
        write_here(&w);
    return w.error;
}

static void write_profile(bool final, uint32_t end, uint32_t status)
{
    writer_report(write_silently(final, end, status));
}

/* The process is about to end on this thread while another one writes the last profile. */
static void wait_for_final(void)
{
    pid_t me = syscall(SYS_gettid);
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == ENDING) {
        /* ourselves: abort() from a handler of a fault inside the writer */
        if (__atomic_load_n(&ending_tid, __ATOMIC_RELAXED) == me ||
            clock_read_ns(CLOCK_MONOTONIC) - start > WAIT_NS)
            return;
        nap();
    }
}

void lifecycle_end(uint32_t end, uint32_t status)
{
    uint32_t running = RUNNING;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == BOOT || getpid() != my_pid)
        return;
    int saved = errno;
    uint64_t mask = block_signals();
    if (__atomic_compare_exchange_n(&state, &running, ENDING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&ending_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
        if (lock_writer()) {
            memory_all();
            if (engine_recording)       /* an agent may have stopped it for good */
                write_profile(true, end, status);
            engine_recording = false;
            unlock_writer();
        }
        __atomic_store_n(&state, FINAL, __ATOMIC_RELEASE);
    } else {
        wait_for_final();
    }
    restore_signals(mask);
    errno = saved;
}

/* A signal is about to end the process; should it not, recording goes on. In its handler, signals blocked. */
static void write_at_signal(uint32_t number)
{
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == ENDING)
        wait_for_final();
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != RUNNING || !lock_writer())
        return;
    memory_all();
    if (state == RUNNING && engine_recording)
        write_profile(true, LPF_END_SIGNAL, number);
    unlock_writer();
}

/* What our threads are told, and sleep on. Bits are set by whoever has the news, and stay. */
enum {
    MAIN_GONE = 1,  /* the main thread: the process ends with its last, which must not be ours */
    DISMISSED = 2,  /* they end, and none starts again; nor in a child of fork: it lacks the same */
    ORDER = 4,      /* the looking one: look at `order`; it takes this back */
};
static uint32_t told;

/* The thread that looks: 0: there is none; STARTING; its number. Who starts it sets this before
 * reading `told`, and the other way round. */
#define STARTING UINT32_MAX
static uint32_t looker;
static uint32_t checkpointer;   /* the checkpoint thread, likewise */
static bool checkpoint_written; /* it writes; it alone says so */

static bool is_told(uint32_t news)
{
    return __atomic_load_n(&told, __ATOMIC_SEQ_CST) & news;
}

/* False: they were told before. */
static bool tell(uint32_t news)
{
    if (__atomic_fetch_or(&told, news, __ATOMIC_SEQ_CST) & news)
        return false;
    syscall(SYS_futex, &told, FUTEX_WAKE_PRIVATE, INT32_MAX, 0L, 0L, 0);
    return true;
}

/* Until a thread of ours has gone, which it has for the kernel's limits, too, when its number is
 * free; NS at most, not counting a checkpoint that it is writing. */
static void wait_for(uint32_t *thread, uint64_t ns)
{
    const struct timespec pause = { 0, 500000 };
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC), since = start;
    for (uint32_t tid; (tid = __atomic_load_n(thread, __ATOMIC_SEQ_CST));) {
        if (tid != STARTING && syscall(SYS_tgkill, (long)getpid(), (long)tid, 0L) < 0) {
            __atomic_compare_exchange_n(thread, &tid, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            return;
        }
        uint64_t now = clock_read_ns(CLOCK_MONOTONIC);
        if (__atomic_load_n(&checkpoint_written, __ATOMIC_RELAXED) && now - start < WAIT_NS)
            since = now;
        if (now - since > ns)
            return;
        syscall(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &pause, 0L);
    }
}

bool lifecycle_has_threads(void)
{
    return __atomic_load_n(&looker, __ATOMIC_RELAXED) ||
           __atomic_load_n(&checkpointer, __ATOMIC_RELAXED);
}

#define DISMISS_NS 1000000000ull /* they need some 100 us and a CPU */

bool lifecycle_dismiss(bool had)
{
    if (!(had || lifecycle_has_threads()) ||
        __atomic_load_n(&state, __ATOMIC_ACQUIRE) == BOOT || getpid() != my_pid)
        return false;
    int saved = errno;
    bool first = tell(DISMISSED);
    wait_for(&looker, DISMISS_NS);
    wait_for(&checkpointer, DISMISS_NS);
    if (first)
        message(MESSAGE_SHORTAGE,
                "no threads are left for libprof (ulimit -u, -v, -d; pids.max), the program needs them: "
                "no checkpoints, and nothing more of where strands are blocked");
    errno = saved;
    return true;
}

/* Destructor of main_key, whose value the main thread alone has: it leaves by pthread_exit, thrd_exit or cancellation. */
static pthread_key_t main_key;
static bool have_main_key;      /* false: nobody would tell our threads that it has gone, and they would keep the process for ever */

static void main_leaves(void *unused)
{
    (void)unused;
    /* The looking one has no descriptors, and must not be the one that runs the program's exit
     * handlers. It is there for a look more, at most. */
    if (syscall(SYS_gettid) == getpid() && tell(MAIN_GONE))
        wait_for(&looker, UINT64_MAX);
}

static void main_is_here(void)
{
    if (have_main_key)          /* one of the first 32 keys: no memory */
        have_main_key = !pthread_setspecific(main_key, (void *)1);
}

/* Threads of the process, the dead main thread included; 0: unknown. */
static unsigned thread_count(void)
{
    char text[512];
    int fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    const char *at = strrchr(text, ')');        /* the name may hold anything; num_threads is field 20 */
    for (int field = 2; at && field < 20; field++)
        at = strchr(at + 1, ' ');
    unsigned count = 0;
    for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        count = count * 10 + (*at - '0');
    return count;
}

/* Until AT, of CLOCK_MONOTONIC, or until there is news. libc's own signals, which nobody can block, interrupt the wait:
 * a program that calls seteuid(2) for every request would have a checkpoint each time. */
static void wait_until(uint64_t at)
{
    struct timespec deadline = { at / 1000000000, at % 1000000000 };
    while (!is_told(MAIN_GONE | DISMISSED) &&
           syscall(SYS_futex, &told, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, 0L, FUTEX_BITSET_MATCH_ANY) < 0 && errno == EINTR)
        ;
}

/* The end of a wait of NS from now. */
static uint64_t after(uint64_t ns)
{
    uint64_t at;
    return __builtin_add_overflow(clock_read_ns(CLOCK_MONOTONIC), ns, &at) ? UINT64_MAX : at;
}

/* Checkpoints are files, and a program that closes all descriptors that it does not know (a daemon) might open one of its own under the number
 * that is being written to. So the thread that looks writes them, in its own table; the checkpoint thread, which has the lock, orders it and
 * waits. Not with counters, which are descriptors of the program's table. */
enum { NO_ORDER, ORDERED, CARRIED_OUT_NOW };
static uint32_t order;          /* the checkpoint thread: ORDERED, or back; the looking one: the rest */
static int order_error;         /* what came of it; before NO_ORDER */
static bool takes_orders;       /* written by the looking thread */

/* Looks take a fiftieth of a CPU at most, unless that would be less than one a second. */
#define LOOK_SHARE 50
#define LOOK_REST_MOST_NS 1000000000ull

/* On the looking thread. */
static bool carry_out(void)
{
    uint32_t ordered = ORDERED;
    if (!__atomic_compare_exchange_n(&order, &ordered, CARRIED_OUT_NOW, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    __atomic_fetch_and(&told, ~(uint32_t)ORDER, __ATOMIC_SEQ_CST);
    order_error = write_silently(false, LPF_END_RUNNING, 0);
    __atomic_store_n(&order, NO_ORDER, __ATOMIC_RELEASE);
    syscall(SYS_futex, &order, FUTEX_WAKE_PRIVATE, INT32_MAX, 0L, 0L, 0);
    return true;
}

/* On the checkpoint thread, which has the writer's lock. False: nobody is there to write it. */
static bool let_write(void)
{
    const struct timespec patience = { 0, 50000000 };
    if (*config.events || clock_kind == CLOCK_COUNTER || !__atomic_load_n(&takes_orders, __ATOMIC_SEQ_CST))
        return false;
    __atomic_store_n(&order, ORDERED, __ATOMIC_RELEASE);
    tell(ORDER);
    for (uint32_t now; (now = __atomic_load_n(&order, __ATOMIC_ACQUIRE)) != NO_ORDER;) {
        uint32_t ordered = ORDERED;
        if (!__atomic_load_n(&takes_orders, __ATOMIC_SEQ_CST) &&
            __atomic_compare_exchange_n(&order, &ordered, NO_ORDER, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            __atomic_fetch_and(&told, ~(uint32_t)ORDER, __ATOMIC_SEQ_CST);
            return false;
        }
        syscall(SYS_futex, &order, FUTEX_WAIT_PRIVATE, now, &patience, 0L, 0);
    }
    writer_report(order_error);
    return true;
}

/* A thread of its own, all signals blocked by its creator: looks at what is blocked. It opens files all the time, in a table of descriptors
 * of its own: in the program's, it would take numbers that the program counts on (close(0), then open), and who closes all that he
 * does not know, and opens others, would have them read and closed in place of ours. */
static void *look_main(void *unused)
{
    (void)unused;
    __atomic_store_n(&looker, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    prctl(PR_SET_NAME, "libprof");
    if (syscall(SYS_close_range, 0L, (long)UINT32_MAX, (long)CLOSE_RANGE_UNSHARE))
        return 0;               /* before Linux 5.9 */
    __atomic_store_n(&takes_orders, true, __ATOMIC_SEQ_CST);
    for (uint64_t counted = 0; !is_told(MAIN_GONE | DISMISSED);) {
        if (carry_out())
            counted = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);  /* the writer has counted its own */
        uint64_t next = engine_recording ? blocked_look() : 1000000000u;
        uint64_t cpu = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        uint64_t spent = cpu - counted, rest = spent < LOOK_REST_MOST_NS / LOOK_SHARE ? spent * LOOK_SHARE : LOOK_REST_MOST_NS;
        if (next < rest)
            next = rest;        /* thousands of threads: seen less often, for as long */
        writer_add_cpu(spent);
        counted = cpu;
        wait_until(after(next));
    }
    __atomic_store_n(&takes_orders, false, __ATOMIC_SEQ_CST);
    return 0;
}

/* What a short run would lose is short, too: until PROF_CHECKPOINT seconds are, a run doubles between two checkpoints. */
static uint64_t checkpoint_pause(uint64_t run)
{
    const uint64_t most = config.checkpoint * 1000000000ull;
    uint64_t pause = run < CHECKPOINT_FIRST_NS ? CHECKPOINT_FIRST_NS : run;
    return pause < most ? pause : most;
}

/* Who dismisses this thread may hold it: a handler of fork that creates threads. */
static bool lock_for_checkpoint(void)
{
    while (!is_told(MAIN_GONE | DISMISSED))
        if (lock_take_within(&write_lock, LOCK_TURN_NS))
            return true;
    return false;
}

/* Another, with the program's descriptors: PROF_EVENTS and messages are there. It orders checkpoints. */
static void *checkpoint_main(void *unused)
{
    (void)unused;
    __atomic_store_n(&checkpointer, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    prctl(PR_SET_NAME, "libprof");
    struct timespec poll = { 0, 10000000 };
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    for (;;) {
        if (is_told(DISMISSED))
            return 0;
        if (!is_told(MAIN_GONE)) {
            wait_until(after(checkpoint_pause(clock_read_ns(CLOCK_MONOTONIC) - start)));
        } else {
            syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0L, &poll, 0L);
            if (thread_count() <= 2)    /* libc ends the process with its last thread */
                return 0;
            continue;
        }
        if (!lock_for_checkpoint())
            continue;
        bool running = __atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING && engine_recording;
        if (running) {
            __atomic_store_n(&checkpoint_written, true, __ATOMIC_RELAXED);
            if (!let_write())
                write_profile(false, LPF_END_RUNNING, 0);
            __atomic_store_n(&checkpoint_written, false, __ATOMIC_RELAXED);
            fatal_arm();        /* what has become the default since, unseen: by system(3), by a signal that a debugger kept */
        }
        unlock_writer();
        if (!running)
            return 0;
    }
}

/* What our threads use of their stacks is 16 KB with all that libc puts there. */
#define STACK_BYTES (64u << 10)

static int add_tls(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)closure += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

/* libc takes a thread's copies of the thread-local variables, which in some programs are megabytes, from the stack that is asked for.
 * Who cannot be told how much that is finds a bound. */
static size_t stack_taken(const pthread_attr_t *attr)
{
    size_t bytes = 0;
    if (real()->__pthread_get_minstack)
        return real()->__pthread_get_minstack(attr);
    dl_iterate_phdr(add_tls, &bytes);
    return bytes;
}

static bool create_thread(void *(*start)(void *))
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, (STACK_BYTES + stack_taken(&attr) + 4095) & -4096ul);
    uint64_t mask = mask_signals(~SETXID);      /* inherited by the thread */
    int error = real()->pthread_create(&thread, &attr, start, 0);
    restore_signals(mask);
    pthread_attr_destroy(&attr);
    return !error;
}

/* Not where our threads were told UNLESS before. */
static bool start_thread(uint32_t *thread, uint32_t unless, void *(*start)(void *))
{
    __atomic_store_n(thread, STARTING, __ATOMIC_SEQ_CST);
    if (have_main_key && !is_told(unless) && create_thread(start))
        return true;
    __atomic_store_n(thread, 0, __ATOMIC_SEQ_CST);
    return false;
}

/* glibc's pthread_create calls the program's calloc for the thread's TLS vector: the one place where
 * we do, at a moment when the program itself calls into a runtime. */
void lifecycle_start_checkpoints_slow(void)
{
    if (__atomic_exchange_n(&lifecycle_checkpoints_started, 1, __ATOMIC_ACQ_REL))
        return;
    message_release();
    fatal_arm();
    int saved = errno;
    if (blocked_wanted())
        start_thread(&looker, MAIN_GONE | DISMISSED, look_main);
    if (config.checkpoint > 0 && !start_thread(&checkpointer, DISMISSED, checkpoint_main) && !is_told(DISMISSED))
        message(MESSAGE_SHORTAGE, "no thread for checkpoints: a killed process leaves no profile");
    errno = saved;
}

/* ---- start, fork, exit ---- */

static bool recording_here(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) != BOOT && getpid() == my_pid;
}

/* All locks are held while the child is made: it finds every table whole. A handler of the program's that interrupted a section and
 * forks would wait for itself: there nothing is held, and the child is not recorded. Nor is it where a lock was not to be had. */
static void before_fork(void)
{
    forking.locked = forking.blocked = false;
    if (!recording_here())
        return;
    forking.mask = block_signals();
    forking.blocked = true;
    forking.locked = lock_all_take(WAIT_NS);
    if (!forking.locked)
        return;
    /* Other handlers of fork, which run with the locks held, may create threads: they are not seen. */
    forking.thread = thread_self_;
    thread_self_ = 0;
    engine_forking_pid = getpid();
    engine_forking = syscall(SYS_gettid);
}

static void unlock_all(void)
{
    engine_forking = 0;
    thread_self_ = forking.thread;
    lock_all_release();
}

static void after_fork_parent(void)
{
    if (forking.locked)
        unlock_all();
    if (forking.blocked)
        restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

static void record_child(void)
{
    my_pid = getpid();
    state = RUNNING;
    lifecycle_checkpoints_started = 0;
    looker = checkpointer = 0;
    order = NO_ORDER;
    takes_orders = false;
    told &= DISMISSED;
    main_is_here();             /* who forked is the child's main thread */
    signals_forked();
    fatal_forked();
    engine_forked();
    events_forked();
    writer_forked();
}

/* Nothing of it is recorded. The hook that its thread may be inside of goes on, and so do later ones, on tables that nobody will read. */
static void pass_child(void)
{
    state = BOOT;
    engine_recording = false;
    engine_forking = 0;         /* another thread of the parent's may have been forking */
    lifecycle_checkpoints_started = 1;
}

static void after_fork_child(void)
{
    lock_forked();
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == BOOT)
        return;
    if (forking.locked)
        unlock_all();
    if (forking.locked && engine_recording)
        record_child();
    else
        pass_child();           /* or the parent had written its last */
    if (forking.blocked)
        restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

/* exit()'s handlers run last to first; ours is registered before the loader's own (_dl_fini), so that
 * it runs after everything of the program: atexit functions, destructors of its libraries. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    lifecycle_end(LPF_END_EXIT, status & 255);
}

static _Unwind_Reason_Code stop_unwinding(struct _Unwind_Context *frame, void *unused)
{
    (void)frame, (void)unused;
    return _URC_NORMAL_STOP;
}

/* Exceptions pass through our frames, whose personality is libgcc_s's. Where the program brought an unwinder of its
 * own (-static-libgcc), that personality would find libgcc_s's table of register sizes empty, and abort:
 * it is filled by the first unwinding. */
static void prepare_exceptions(void)
{
    _Unwind_Backtrace(stop_unwinding, 0);
}

/* 101: before the agents (110) and before the program's own constructors. */
__attribute__((constructor(101))) static void start(void)
{
    message_setup();
    message_hold();
    config_setup(environ);
    if (config.disable)
        return;
    if (writer_wanted())
        message_release();
    my_pid = getpid();
    real();
    prepare_exceptions();
    writer_setup();
    const char *why = "";
    if (clock_setup(config.clock, &why) < 0)
        message(MESSAGE_WARNING, "PROF_CLOCK=%s: %s; using tsc", config.clock, why);
    if (config.contexts < 16 || config.contexts > 1000000) {
        message(MESSAGE_WARNING, "PROF_CONTEXTS=%d is not between 16 and 1000000: using 16384", config.contexts);
        config.contexts = 16384;
    }
    if (config.nodes < 1024 || config.nodes > 10000000) {
        message(MESSAGE_WARNING, "PROF_NODES=%d is not between 1024 and 10000000: using 262144", config.nodes);
        config.nodes = 262144;
    }
    walk_setup(environ);
    if (!cfi_setup())
        message(MESSAGE_DEBUG, "this libc has no _dl_find_object (glibc 2.35): call paths are spawn sites alone");
    uint64_t ours = memory_setup();
    setup_burden();
    write_stack = memory_map(WRITE_STACK_BYTES);
    events_setup(config.events);
    sampler_setup(config.sample);
    if (config.signals)
        fatal_setup(write_at_signal);
    if (config.signals || sampler_period_ns() || sampler_period_events())
        sigstack_setup();
    bool memory = !cct_setup(config.nodes) && !context_setup(config.contexts);
    if (memory)
        blocked_setup();
    if (memory)
        whatif_setup(config.whatif, config.delay, config.whatif_code);
    dagrec_setup(config.dag);
    writer_recording();
    if (!memory || engine_setup()) {
        if (ours == UINT64_MAX)
            message(MESSAGE_SHORTAGE, "no memory for the engine: not profiling");
        else
            message(MESSAGE_SHORTAGE, "no memory for the engine in a quarter of the address space, %lu MB (ulimit -v, PROF_NODES, PROF_CONTEXTS): "
                    "not profiling", (unsigned long)(ours >> 20));
        message_release();
        return;
    }
    /* our wrappers stand between the dispatcher and a task: for the site finder they belong to it */
    runtime_register_module_of((uintptr_t)lifecycle_end, "libprof");
    __atomic_store_n(&state, RUNNING, __ATOMIC_RELEASE);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    on_exit(at_exit, 0);
    have_main_key = !pthread_key_create(&main_key, main_leaves);
    main_is_here();
    if (writer_wanted())
        fatal_arm();
    message(MESSAGE_DEBUG, "recording; clock %s (%s)", clock_name(), clock_detail());
}

EXPORT void _exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->_exit(status);
}

EXPORT void _Exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->_exit(status);
}

EXPORT void quick_exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->quick_exit(status);
}

EXPORT void abort(void)
{
    lifecycle_end(LPF_END_SIGNAL, SIGABRT);
    real()->abort();
}

/* The program may be over with the next call: its profile is complete. If it is not, recording goes on and the file
 * is written again at the end. */
static void write_ahead(uint32_t end)
{
    int saved = errno;
    uint64_t mask = block_signals();
    if (lock_writer()) {
        if (state == RUNNING && engine_recording)
            write_profile(true, end, 0);
        unlock_writer();
    }
    if (end == LPF_END_EXEC)
        sampler_before_exec(thread_self_);
    restore_signals(mask);
    errno = saved;
}

/* The program gives up system calls: one of ours might end it, and be it the return from a sample's handler. What was seen so far is
 * its profile; from here on we do nothing, and have no threads. Those that run keep what they have: hooks find engine_recording false. */
void lifecycle_seal(void)
{
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != RUNNING || getpid() != my_pid)
        return;
    int saved = errno;
    uint64_t mask = block_signals();
    if (lock_writer()) {
        if (state == RUNNING) {
            if (engine_recording)
                write_profile(true, LPF_END_RUNNING, 0);
            engine_recording = false;
            bool threads = __atomic_exchange_n(&lifecycle_checkpoints_started, 1, __ATOMIC_ACQ_REL);
            __atomic_store_n(&state, BOOT, __ATOMIC_RELEASE);
            tell(DISMISSED);
            unlock_writer();
            sampler_stop();
            if (threads) {
                wait_for(&looker, UINT64_MAX);
                wait_for(&checkpointer, UINT64_MAX);
            }
        } else {
            unlock_writer();
        }
    }
    restore_signals(mask);
    errno = saved;
}

static void before_exec(void)
{
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == my_pid)
        write_ahead(LPF_END_EXEC);
}

/* Our threads count towards what a user, or a container, may have of threads and processes. A call
 * that was refused one is made once more without them; a failing fork has run the program's
 * handlers of fork, which come in pairs. */
#define RETRY(type, failed, call)                                                               \
    int saved = errno;                                                                          \
    bool had = lifecycle_has_threads();                                                         \
    type result = call;                                                                         \
    if (result == (failed) && (errno == EAGAIN || errno == ENOMEM) && lifecycle_dismiss(had)) { \
        errno = saved;                                                                          \
        result = call;                                                                          \
    }                                                                                           \
    return result;

/* The parent leaves inside libc, by an _exit that nobody sees. */
EXPORT int daemon(int stay, int keep)
{
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == my_pid)
        write_ahead(LPF_END_QUICK);
    RETRY(int, -1, real()->daemon(stay, keep))
}

EXPORT pid_t fork(void)
{
    RETRY(pid_t, -1, real()->fork())
}

static int exec_failed(int result)
{
    if (recording_here() && thread_self_) {
        int saved = errno;
        sampler_thread_start(thread_self_);
        errno = saved;
    }
    return result;
}

EXPORT int execve(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->execve(file, argv, envp));
}

EXPORT int execv(const char *file, char *const argv[])
{
    before_exec();
    return exec_failed(real()->execve(file, argv, environ));
}

EXPORT int execvp(const char *file, char *const argv[])
{
    before_exec();
    return exec_failed(real()->execvpe(file, argv, environ));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->execvpe(file, argv, envp));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->fexecve(fd, argv, envp));
}

EXPORT int execveat(int fd, const char *file, char *const argv[], char *const envp[], int flags)
{
    before_exec();
    return exec_failed(real()->execveat(fd, file, argv, envp, flags));
}

/* execl and its family take their arguments one by one; exec needs them as an array. The stack
 * holds it, as in libc. */
#define COLLECT(first)                                              \
    int n = 1;                                                      \
    va_list ap;                                                     \
    va_start(ap, first);                                            \
    while (va_arg(ap, char *))                                      \
        n++;                                                        \
    va_end(ap);                                                     \
    char *argv[n + 1];                                              \
    va_start(ap, first);                                            \
    argv[0] = (char *)first;                                        \
    for (int i = 1; i <= n; i++)                                    \
        argv[i] = va_arg(ap, char *);

EXPORT int execl(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    va_end(ap);
    return execv(file, argv);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    va_end(ap);
    return execvp(file, argv);
}

EXPORT int execle(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    char *const *envp = va_arg(ap, char *const *);
    va_end(ap);
    return execve(file, argv, envp);
}
