/* own_threads.c - see own_threads.h. */
#define _GNU_SOURCE
#include "lifecycle/own_threads.h"
#include "arch/system_call.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/key.h"
#include "base/lookup.h"
#include "base/message.h"
#include "base/real.h"
#include "clock/clock.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/state.h"
#include "lifecycle/write.h"
#include "libprof_format.h"
#include "base/forbid.h"

#define SETXID (1ull << 32)     /* signal 33, libc's: setuid() waits until each thread handles it */

uint32_t announced, sampling_thread, checkpoint_thread;
bool checkpoint_written;

bool own_threads_announced(uint32_t news)
{
    return __atomic_load_n(&announced, __ATOMIC_SEQ_CST) & news;
}

bool own_threads_announce(uint32_t news)
{
    if ((__atomic_fetch_or(&announced, news, __ATOMIC_SEQ_CST) & news) == news)
        return false;
    syscall(SYS_futex, &announced, FUTEX_WAKE_PRIVATE, INT32_MAX, 0L, 0L, 0);
    return true;
}

void own_threads_wait(uint32_t *thread, uint64_t ns)
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
    return __atomic_load_n(&sampling_thread, __ATOMIC_RELAXED) ||
           __atomic_load_n(&checkpoint_thread, __ATOMIC_RELAXED);
}

#define DISMISS_NS 1000000000ull /* the threads need some 100 us and a CPU */

bool lifecycle_dismiss(bool had, enum dismissal why)
{
    if (!(had || lifecycle_has_threads()) ||
        __atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == BOOT || getpid() != process_pid)
        return false;
    int saved = errno;
    bool first = own_threads_announce(DISMISSED);
    own_threads_wait(&sampling_thread, DISMISS_NS);
    own_threads_wait(&checkpoint_thread, DISMISS_NS);
    if (first)
        message(MESSAGE_SHORTAGE,
                "%s: no checkpoints, and nothing more of where strands are blocked",
                why == ALONE ? "libprof's threads end, because the program calls unshare or setns, "
                               "which need a process without threads"
                             : "no threads are left for libprof (ulimit -u, -v, -d, -l; pids.max), "
                               "the program needs them");
    errno = saved;
    return true;
}

/* main_key's destructor. Only the main thread has a value, so this runs when that thread leaves: by
 * pthread_exit, thrd_exit or cancellation. */
static pthread_key_t main_key;
/* False: libprof has no threads. They would not learn that the main thread left, and would keep the
 * process alive for ever. */
static bool have_main_key;

static void main_leaves(void *unused)
{
    (void)unused;
    /* The last thread runs the program's exit handlers, and the sampling thread has none of the
     * program's descriptors. So it must not be the last. It ends after its current sample. */
    if (syscall(SYS_gettid) != getpid())
        return;
    if (own_threads_announce(MAIN_GONE))
        own_threads_wait(&sampling_thread, UINT64_MAX);
    lifecycle_thread_leaves(false);
}

/* libc's word with the main thread's tid, which the kernel clears when the thread has left, however
 * it did. NULL: unknown. The kernel also wakes one thread that waits on the word, as pthread_join
 * does. So libprof's threads must not wait on it. */
static const uint32_t *main_word;
/* From the main thread's descriptor to the word. */
static ptrdiff_t word_offset;
static pthread_t first_main;
/* A thread of the program made the system call exit itself. libc still counts it, so libc does not
 * end the process with the last thread, but lets the kernel do it. */
static bool left_silently;

static bool main_is_gone(void)
{
    const uint32_t *word = __atomic_load_n(&main_word, __ATOMIC_RELAXED);
    return word && !__atomic_load_n(word, __ATOMIC_RELAXED);
}

/* main_leaves sets MAIN_GONE before the kernel clears the word. */
static void look_for_main(void)
{
    if (main_is_gone() && !own_threads_announced(MAIN_GONE)) {
        __atomic_store_n(&left_silently, true, __ATOMIC_RELAXED);
        if (own_threads_announce(MAIN_GONE))
            lifecycle_thread_counts(-1);
    }
}

/* ---- the program's threads ---- */

static uint32_t program_threads; /* that have not left, as far as libprof has seen */
/* This thread has. In a child of fork, the thread that forked may leave as a thread and as the main
 * thread. */
static __thread bool left;

void lifecycle_thread_counts(int change)
{
    __atomic_fetch_add(&program_threads, change, __ATOMIC_SEQ_CST);
}

/* The last thread ends libprof's. If libc will run no exit handler, it writes the profile. */
void lifecycle_thread_leaves(bool silently)
{
    if (left || !state_is_recording())
        return;
    left = true;
    int saved = errno;
    if (silently) {
        __atomic_store_n(&left_silently, true, __ATOMIC_RELAXED);
        if (syscall(SYS_gettid) == getpid())
            own_threads_announce(MAIN_GONE);
    } else {
        look_for_main();
    }
    if (!__atomic_sub_fetch(&program_threads, 1, __ATOMIC_SEQ_CST)) {
        own_threads_announce(MAIN_GONE | LAST_GONE);
        own_threads_wait(&sampling_thread, UINT64_MAX);
        own_threads_wait(&checkpoint_thread, UINT64_MAX);
        if (__atomic_load_n(&left_silently, __ATOMIC_RELAXED))
            write_ahead(LPF_END_RUNNING);
    }
    errno = saved;
}

void own_threads_main_is_here(void)
{
    program_threads = 1;
    left_silently = false;
    if (have_main_key)          /* no memory: base/key.h */
        have_main_key = !pthread_setspecific(main_key, (void *)1);
    /* the descriptor of a thread that forked goes with its stack, that of the first stays */
    main_word = word_offset && pthread_equal(pthread_self(), first_main)
                    ? (const void *)((const char *)first_main + word_offset)
                    : 0;
}

/* A number of /proc/self/stat; 0: unknown. */
static uint64_t stat_field(int which)
{
    char text[1200];
    int fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    /* the name, field 2, may contain ')' and spaces */
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < which; field++)
        at = strchr(at + 1, ' ');
    uint64_t value = 0;
    for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0');
    return value;
}

unsigned own_threads_in_process(void)
{
    return stat_field(20);
}

unsigned own_threads_count(void)
{
    return (__atomic_load_n(&sampling_thread, __ATOMIC_SEQ_CST) != 0) +
           (__atomic_load_n(&checkpoint_thread, __ATOMIC_SEQ_CST) != 0);
}

void own_threads_leave(void)
{
    if (!__atomic_load_n(&left_silently, __ATOMIC_RELAXED) || own_threads_in_process() > 2)
        return;
    system_call6(SYS_exit, (long)(stat_field(52) >> 8), 0, 0, 0, 0, 0);
}

/* So often libprof's threads look whether the main thread has left without a word. */
#define MAIN_LOOK_NS 250000000ull

/* libc's own signals cannot be blocked, and they interrupt the wait. Without the loop, a program
 * that calls seteuid(2) for every request would get a checkpoint each time. */
void own_threads_sleep_until(uint64_t at)
{
    for (bool over = false; !over && !own_threads_announced(MAIN_GONE | DISMISSED);
         look_for_main()) {
        uint64_t look = own_threads_from_now(MAIN_LOOK_NS), until = look < at ? look : at;
        struct timespec deadline = { until / 1000000000, until % 1000000000 };
        bool news = !syscall(SYS_futex, &announced, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, 0L,
                             FUTEX_BITSET_MATCH_ANY);
        over = news || (errno != EINTR && (errno != ETIMEDOUT || until == at));
    }
}

uint64_t own_threads_from_now(uint64_t ns)
{
    uint64_t at;
    return __builtin_add_overflow(clock_read_ns(CLOCK_MONOTONIC), ns, &at) ? UINT64_MAX : at;
}

/* libprof's threads use 16 KB of their stacks, including libc's part. */
#define STACK_BYTES (32u << 10)

static int add_tls(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)closure += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

/* libc places a thread's thread-local variables on the thread's stack. In some programs they take
 * megabytes. Where libc does not report their size, the result is an upper bound. */
static size_t stack_taken(const pthread_attr_t *attr)
{
    size_t bytes = 0;
    if (real()->__pthread_get_minstack)
        return real()->__pthread_get_minstack(attr);
    lookup_objects(add_tls, &bytes);
    return bytes;
}

static bool create_thread(void *(*start)(void *))
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, (STACK_BYTES + stack_taken(&attr) + 4095) & -4096ul);
    uint64_t mask = state_mask_signals(~SETXID);      /* inherited by the thread */
    int error = real()->pthread_create(&thread, &attr, start, 0);
    state_restore_signals(mask);
    pthread_attr_destroy(&attr);
    return !error;
}

bool own_threads_start(uint32_t *thread, uint32_t unless, void *(*start)(void *))
{
    __atomic_store_n(thread, STARTING, __ATOMIC_SEQ_CST);
    if (have_main_key && !own_threads_announced(unless) && create_thread(start))
        return true;
    __atomic_store_n(thread, 0, __ATOMIC_SEQ_CST);
    return false;
}

void own_threads_setup(void)
{
    const uint32_t *word = 0;
    first_main = pthread_self();
    if (!system_call6(SYS_prctl, PR_GET_TID_ADDRESS, (long)&word, 0, 0, 0, 0) && word &&
        *word == (uint32_t)process_pid)
        word_offset = (const char *)word - (const char *)first_main;
    have_main_key = key_make(&main_key, main_leaves);
    own_threads_main_is_here();
}
