/* off_cpu.c - see off_cpu.h. The sampling thread writes all state here, but for the last hit of a
 * thread that ends. Other threads read `hits`, and may stop the sampling thread's walks. */
#define _GNU_SOURCE
#include "sampling/off_cpu.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/config.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/program.h"
#include "sampling/cpus.h"
#include "sampling/hits.h"
#include "sampling/ready.h"
#include "sampling/switches.h"
#include "libprof_format.h"
#include "base/memory.h"
#include "dag/run.h"
#include "dag/task.h"
#include "dag/thread.h"
#include "sampling/sample_source.h"
#include "sampling/sampler.h"
#include "sampling/thread_facts.h"
#include "sampling/timed_samples.h"
#include "sampling/timeline.h"
#include "unwind/call.h"
#include "unwind/call_tree.h"
#include "unwind/cfi.h"
#include "unwind/objects.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "unwind/trace.h"
#include "base/forbid.h"

/* A task's stack is copied whole if it has at most STACK_MAX bytes. Of a larger stack, and of a
 * stack that is not the task's, the inner CUT_BYTES are copied, and the path is cut. */
#define STACK_MAX (1u << 20)
#define CUT_BYTES (64u << 10)
#define CUT_FRAMES 64u
#define FRAME_MAX 65536u        /* bytes of a frame that is searched */
/* After RESTS_AFTER_NS in which samples find nothing new, samples come only every REST_NS. */
#define RESTS_AFTER_NS 1000000000u
#define REST_NS 100000000u
#define RAN_PART 50u            /* a thread that was off the CPU for less of a tick has run */
/* A short run needs dense samples. A longer one has enough of them at twice the distance, from
 * here on, and at four times the distance from four times here on. */
#define DENSE_NS 4000000000u
/* To ask for the counts of a thread's switches takes some 7 us. Less run delay than this waits for
 * more. */
#define SPLIT_LEAST 100000u
/* A thread that owes so much wake-up latency, and was in no wait at any tick, is in none at later
 * ones either. */
#define NEVER_FOUND_NS 100000000u
/* To ask for a thread's run delay takes some 4 us. Of threads that end, only one that lacks more ns
 * than this is asked. */
#define DELAY_LEAST 1000000u

/* The hits of all threads, by node and kind of wait: HIT. Written under hits_lock. weight: ticks of
 * OFF_CPU_NS for which strands were off the CPU there. shares and shared: as in sampler.c, but in
 * ns, and shares times 2^8. */
static SELDOM struct hits hits;
LOCK_DEFINE(hits_lock, LOCK_LEAF);      /* base/memory.c's lock nests in it */
#define KIND_BITS 4u
#define HIT(node, kind) ((node) << KIND_BITS | (kind))
_Static_assert(LPF_WAIT_KINDS <= 1u << KIND_BITS, "a kind has more bits");
_Static_assert((uint64_t)CCT_FIRST << CCT_PIECES << KIND_BITS < UINT32_MAX, "a node has more bits");
static uint64_t hits_lost;      /* samples for which there was no memory */
static bool wanted;             /* written by off_cpu_setup */
static struct trace trace;
static char *stack;             /* the copy of a stack; grows as stacks need it */
static size_t stack_bytes;
static uint64_t sampled_at;         /* CLOCK_MONOTONIC at the last sample; 0: there was none */
/* ns up to sampled_at that no tick stands for yet. Below 0: ticks were counted ahead. */
static int64_t uncounted;
static uint64_t changed_at, first_at;   /* when something changed last; the first sample; or 0 */
static int memory;              /* /proc/self/mem, plus 1; the sampling thread opens it once */
static uint64_t delayed_before; /* ns that the main thread had when libprof started */
/* The main thread alone, in ns: its time off the CPU when libprof started, and how long it slept or
 * waited until the sampling thread started. By off_cpu_setup, off_cpu_start and off_cpu_forked. */
static uint64_t off_before, waited_alone;
static bool started;            /* off_cpu_start has set waited_alone */

/* The sampling thread sets `walking`, then reads `objects_unloading`. A thread that unloads counts
 * itself there, then reads `walking`. So at least one of the two sees the other. */
static uint32_t walking;        /* set by the sampling thread; a thread that unloads sleeps on it */

static void walk_end(void)
{
    __atomic_store_n(&walking, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&objects_unloading, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &walking, (long)FUTEX_WAKE_PRIVATE, (long)INT32_MAX, 0L, 0L, 0L);
}

static bool walk_begin(void)
{
    __atomic_store_n(&walking, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&objects_unloading, __ATOMIC_SEQ_CST))
        return true;
    walk_end();
    return false;
}

void off_cpu_unload_wait(void)
{
    while (__atomic_load_n(&walking, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &walking, (long)FUTEX_WAIT_PRIVATE, 1L, 0L, 0L, 0L);
}

static uint64_t strand_since(const struct thread *th)
{
    return __atomic_load_n(&th->strand_tsc, __ATOMIC_RELAXED);
}

/* A difference of two results is thread TID's time off the CPU between them. */
static uint64_t off_cpu(uint32_t tid)
{
    return clock_read_ns(CLOCK_MONOTONIC) - thread_facts_cpu(tid);
}

/* The ns that the main thread, TID, has slept or waited since libprof started. FOR_CPU: the
 * part of its time off the CPU in which it waited for a CPU. */
static uint64_t waited_since_start(uint32_t tid, uint64_t for_cpu)
{
    uint64_t off = off_cpu(tid) - off_before;
    return (int64_t)off > 0 && off > for_cpu ? off - for_cpu : 0;
}

void off_cpu_setup(void)
{
    if (!sample_source_period_ns() || !strcmp(config.clock, "virtual"))
        return;
    wanted = trace_new(&trace);
    delayed_before = wanted ? thread_facts_run_delay(process_pid) : 0;
    off_before = off_cpu(process_pid);
}

void off_cpu_start(void)
{
    struct thread *th = engine_main;
    if (!th || !__atomic_load_n(&th->live, __ATOMIC_RELAXED))
        return;
    /* where the first event is a region's, the main thread is between strands already */
    bool inside = __atomic_load_n(&th->cur, __ATOMIC_RELAXED);
    uint64_t delay = thread_facts_run_delay(th->tid);
    uint64_t alone = delay > delayed_before ? delay - delayed_before : 0;
    waited_alone = waited_since_start(th->tid, alone);
    __atomic_store_n(&started, delay != 0, __ATOMIC_RELEASE);
    th->watch = (struct thread_watch){ .cpu = thread_facts_cpu(th->tid), .delay = delay,
                                       .tid = inside ? th->tid : 0, .of = th->tid,
                                       .delayed = alone, .strand_tsc = strand_since(th) };
    th->watch.read = thread_facts_switches(th->tid);
    switches_add(&th->watch.inside, alone, &th->watch.read);
}

bool off_cpu_wanted(void)
{
    return wanted;
}

/* Makes room for a copy of BYTES. */
static bool stack_room(size_t bytes)
{
    size_t size = stack_bytes ? stack_bytes : CUT_BYTES;
    while (size < bytes)
        size *= 2;
    if (size == stack_bytes)
        return true;
    memory_unmap(stack, stack_bytes);
    stack = memory_map(size);
    stack_bytes = stack ? size : 0;
    return stack;
}

/* The last two words of TEXT, in hexadecimal. */
static bool last_two(const char *text, uintptr_t word[2])
{
    const char *at = text + strlen(text);
    for (int i = 1; i >= 0; i--) {
        while (at > text && at[-1] != ' ')
            at--;
        if (at == text || strncmp(at, "0x", 2))
            return false;
        word[i] = 0;
        for (const char *c = at + 2; *c && *c != ' ' && *c != '\n'; c++)
            word[i] = word[i] << 4 | (*c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10);
        at--;
    }
    return true;
}

/* The number at the start of TEXT, which last_two has read. */
static long first_number(const char *text)
{
    long n = 0;
    if (*text == '-')
        return -1;
    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (*text - '0');
    return n;
}

/* Where TH is blocked, and in what kind of wait. The file contains "NUMBER ARGUMENTS SP PC", or "-1
 * SP PC" outside of system calls, or "running". */
static bool blocked_at(struct thread *th, struct walk_frame *f, uint32_t *kind)
{
    char text[256];
    uintptr_t word[2];
    thread_files_read(&th->files, th->tid, THREAD_FILE_SYSCALL, text, sizeof text);
    if (!last_two(text, word) || !word[1])
        return false;
    *f = (struct walk_frame){ .pc = word[1], .sp = word[0], .exact = true, .fp_lost = true };
    *kind = wait_kind_of(first_number(text));
    return true;
}

/* Its descriptor; -1: it cannot be read. */
static int memory_file(void)
{
    if (!memory)
        memory = syscall(SYS_openat, (long)AT_FDCWD, "/proc/self/mem",
                         (long)(O_RDONLY | O_CLOEXEC), 0L) + 1;
    return memory - 1;
}

/* Reads up to BYTES from MEM, which is /proc/self/mem, because the memory may not be mapped.
 * Returns the number of bytes. A plain read: a call that a filter forbids may be fatal. */
static size_t copy_some(int mem, void *to, uintptr_t from, size_t bytes)
{
    long n = syscall(SYS_pread64, (long)mem, to, bytes, from);
    return n > 0 ? (size_t)n : 0;
}

static bool copy(int mem, void *to, uintptr_t from, size_t bytes)
{
    return copy_some(mem, to, from, bytes) == bytes;
}

/* After so many callers in a row, each after a call, fp counts as right. */
#define FRAMES_TRIED 64u

enum trust { REFUSED, ENDS_IN_CODE, WHOLE };

/* Tests a candidate for fp. F is the first frame that has set fp, with the candidate.
 *   WHOLE          the callers lead up to LIMIT
 *   ENDS_IN_CODE   they lead to code without rows, or without a caller
 *   REFUSED        they lead to a word that is no return address
 * The first caller must have called F's function, which starts at START. */
static enum trust try_frame(struct walk_frame f, uintptr_t start, uintptr_t limit)
{
    for (unsigned i = 0; i < FRAMES_TRIED; i++) {
        uintptr_t sp = f.sp;
        if (walk_step(&f, limit, 0) != WALK_LIMIT)
            return i && cfi_row(f.pc - !f.exact).cfa == CFI_NONE ? ENDS_IN_CODE : REFUSED;
        if (!f.pc)              /* LIMIT, the outermost frame, or a word that is 0 */
            return !i ? REFUSED : f.sp == sp ? WHOLE : ENDS_IN_CODE;
        if (!i && (!call_enters(f.pc, start) || cfi_function(f.pc - 1) == start))
            return REFUSED;
        unsigned how = f.exact ? CFI_SIGNAL : cfi_row(f.pc - 1).cfa;
        /* the kernel and makecontext write return addresses that are not after a call */
        if (how != CFI_SIGNAL && how != CFI_END && !call_before(f.pc))
            return i && cfi_function(f.pc) == f.pc ? ENDS_IN_CODE : REFUSED;
    }
    return WHOLE;
}

/* Finds fp at F, which the kernel does not report. The frame that needs fp is the first one that
 * has set it. So fp points to the word where that frame has saved its caller's fp, below the
 * return address. Older words on the stack may have the same form. So a candidate must lead to
 * LIMIT. If no candidate does, one that leads to code without rows will do. Else fp stays
 * unknown. */
static void find_fp(struct walk_frame *f, uintptr_t limit)
{
    struct walk_frame at = *f;
    enum walk_end end = WALK_LIMIT;
    while (at.pc && at.fp_lost && end == WALK_LIMIT)
        end = walk_step(&at, limit, 0);
    uintptr_t start = end == WALK_BROKEN && at.fp_lost ? cfi_function(at.pc - !at.exact) : 0;
    if (!start || cfi_row(at.pc - !at.exact).cfa != CFI_FP)
        return;
    /* AT is the hook's frame that holds LIMIT: the task has no frames beyond. */
    if (runtime_owns(at.pc)) {
        f->fp = limit;
        f->fp_lost = false;
        return;
    }
    for (uintptr_t to = (at.sp + 15) & -16ul; to + 16 <= limit && to - at.sp < FRAME_MAX;
         to += 16) {
        at.fp = to;
        at.fp_lost = false;
        enum trust trust = try_frame(at, start, limit);
        if (trust == WHOLE || (trust == ENDS_IN_CODE && f->fp_lost)) {
            f->fp = to;
            f->fp_lost = false;
        }
        if (trust == WHOLE)
            return;
    }
}

/* A strand of TASK that is blocked at F. Its stack up to END was copied to `stack`. WHOLE: END is
 * the task's entry. */
struct standstill {
    struct walk_frame f;
    uint32_t kind;
    struct task task;
    uintptr_t entry, end;
    bool whole;
};

/* Fills in S. False: TH's strand is not blocked, or has run since CPU was read. Until the last test
 * the data in S may belong to another strand. */
static bool stand_still(struct thread *th, uint64_t cpu, int mem, struct standstill *s)
{
    const struct task *t = __atomic_load_n(&th->cur, __ATOMIC_ACQUIRE);
    if (!t || !blocked_at(th, &s->f, &s->kind) ||
        !copy(mem, &s->task, (uintptr_t)t, sizeof s->task))
        return false;
    s->entry = s->task.entry;
    if (s->task.flags & TASK_ENTRY_AT && !copy(mem, &s->entry, s->entry, sizeof s->entry))
        return false;
    uintptr_t from = s->f.sp & -8ul;
    /* an entry need not be aligned: a walk may read the whole word */
    bool fits = from < s->entry && s->entry - from <= STACK_MAX &&
                stack_room(s->entry - from + sizeof(uintptr_t));
    if (!fits && !stack_room(CUT_BYTES))
        return false;
    s->end = from + copy_some(mem, stack, from, fits ? s->entry - from : CUT_BYTES);
    s->whole = fits && s->end == s->entry;
    s->f.copy = (intptr_t)stack - (intptr_t)from;
    return thread_facts_cpu(th->tid) == cpu && __atomic_load_n(&th->cur, __ATOMIC_RELAXED) == t;
}

/* The node of F and its callers below END, on a coroutine's stack or on one that is too deep. */
static uint32_t cut_node(struct walk_frame f, uintptr_t end, uint32_t node)
{
    uintptr_t pc[CUT_FRAMES];
    enum walk_end why;
    size_t n = walk(f, end, pc, CUT_FRAMES, &why);
    node = cct_child(node, LPF_NODE_CUT, 0, 0);
    while (n > 1)
        node = cct_child(node, LPF_NODE_FRAME, place_of(pc[--n]), 0);
    return cct_child(node, LPF_NODE_LEAF, place_of(runtime_leaf(f.pc)), 0);
}

/* Does libprof itself wait at S, in a hook or at the program's end? It does so by syscall(2); what
 * it waits for on the program's behalf is another function of libc's. */
static bool waits_for_libprof(const struct standstill *s)
{
    struct walk_frame f = s->f;
    return cfi_function(f.pc) == (uintptr_t)kernel_call_by() &&
           walk_step(&f, s->end, 0) == WALK_LIMIT &&
           f.pc - runtime_self.lo < runtime_self.hi - runtime_self.lo;
}

/* Sets W->node, kind and path to where TH's strand is blocked. False: it is not, or it has run
 * since W->cpu was read, or it waits for libprof. */
static bool node_of(struct thread *th, struct thread_watch *w)
{
    struct standstill s;
    bool cut;
    int mem = memory_file();
    if (mem < 0 || !stand_still(th, w->cpu, mem, &s) || waits_for_libprof(&s))
        return false;
    const struct logical_path *path = task_path(&s.task);
    find_fp(&s.f, s.end);
    trace.stack.known = 0;      /* a comparison would read the stack itself, not the copy */
    w->node = s.whole ? trace_node(&trace, s.f, s.entry, path, &cut, 0)
                      : cut_node(s.f, s.end, path->node);
    w->kind = s.kind;
    w->path = path;
    return true;
}

/* The path above TH's strand. NULL: it runs none, or another one by now. */
static const struct logical_path *path_of(const struct thread *th)
{
    struct task copied;
    const struct task *t = __atomic_load_n(&th->cur, __ATOMIC_ACQUIRE);
    int mem = memory_file();
    return t && mem >= 0 && copy(mem, &copied, (uintptr_t)t, sizeof copied) &&
                   __atomic_load_n(&th->cur, __ATOMIC_RELAXED) == t
               ? task_path(&copied)
               : 0;
}

/* TH kept its slot for NS while other slots may have idled. Charges TH's share of their idleness to
 * H. WORKING threads share it. */
static void share(const struct thread *th, struct hit *h, uint64_t ns, uint32_t working)
{
    uint32_t slots = __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED);
    if ((th->kind == LPF_THREAD_WORKER || (slots && th->kind == LPF_THREAD_MAIN)) && working &&
        working <= slots) {
        h->shares += (ns << 8) / working;
        h->shared += ns;
    }
}

/* So many names are read in one tick. A reading takes much longer than the rest of a visit, and
 * what a thread slept since the last tick is lost if it ends before its turn. */
#define NAMES 8u
static unsigned names_left;
static uint64_t once;           /* ns of the last off_cpu_sample that come once a thread */

/* Keeps the name of thread L->tid, which may get another one later. It is read at visit 1, 8, 64,
 * 512, ..., or at the first one after that in which fewer than NAMES have been read. */
static void note_name(struct timelines *l)
{
    char text[64];
    if (++l->visits < l->name_at || !names_left)
        return;
    names_left--;
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    l->name_at = l->visits < UINT32_MAX / 8 ? 8 * l->visits : UINT32_MAX;
    thread_facts_file(l->tid, "comm", text, sizeof l->name);
    size_t n = strcspn(text, "\n");
    memcpy(l->name, text, n);
    memset(l->name + n, 0, sizeof l->name - n);
    once += clock_read_ns(CLOCK_MONOTONIC) - start;
}

/* Notes N off-CPU samples of KIND in L's timeline. */
static void note(struct timelines *l, enum timeline_off_kind kind, uint64_t at, uint64_t ticks,
                 uint64_t n)
{
    uint64_t start = l->off_cpu ? 0 : clock_read_ns(CLOCK_MONOTONIC);
    timeline_spread(l, true, kind, at, ticks, n);
    if (start)                  /* it made the timeline */
        once += clock_read_ns(CLOCK_MONOTONIC) - start;
}

uint64_t off_cpu_once(void)
{
    return once;
}

/* L's thread is TID, whose CPU time is CPU at NS. Returns how long it ran since the last visit, in
 * ns; UINT64_MAX: not known. */
static uint64_t visit(struct timelines *l, uint32_t tid, uint64_t cpu, uint64_t ns)
{
    uint64_t ran = l->tid == tid && cpu >= l->cpu ? cpu - l->cpu : UINT64_MAX;
    if (l->tid != tid) {
        l->tid = tid;
        l->visits = l->name_at = 0;
        l->asleep = 0;
    }
    l->cpu = cpu;
    l->seen = ns;
    note_name(l);
    return ran;
}

/* About so many threads that run no strand are visited in one tick. */
#define VISITS 16u

/* TH runs no strand. Since the last visit it slept while it ran none, and was off the CPU. NS is
 * now; NOW: the same in ticks since the run began. */
static void asleep_sample(const struct thread *th, uint64_t ns, uint64_t now)
{
    struct timelines *l = sampler_timelines(th);
    if (!l)
        return;
    uint64_t since = ns - l->seen, ran = visit(l, th->tid, thread_facts_cpu(th->tid), ns);
    uint64_t ticks = clock_ns_to_ticks(since);
    uint64_t idle = now + engine_start_tsc - __atomic_load_n(&th->idle_since, __ATOMIC_RELAXED);
    if (ran >= since || (int64_t)idle <= 0)
        return;
    uint64_t off = since - ran;
    if (idle < ticks && idle < clock_ns_to_ticks(off)) {
        off = off * idle / clock_ns_to_ticks(off);
        ticks = idle;
    }
    l->asleep += off;
    note(l, TIMELINE_ASLEEP, now, ticks, l->asleep / OFF_CPU_NS);
    l->asleep %= OFF_CPU_NS;
}

/* One off-CPU sample of all threads. */
struct round {
    uint64_t now, since;        /* CLOCK_MONOTONIC, and the ns since the round before this one */
    uint64_t at;                /* now, in ticks since the run began */
    uint64_t ticks;             /* of OFF_CPU_NS for which a blocked strand counts */
    uint32_t working;           /* threads that count as working */
};

/* Of so many threads that seem to stand where they did, one tick asks the kernel again: a thread
 * that was woken and has no CPU yet has not run, either. */
#define STOOD 8u
static unsigned stood_left, stood_turn;

/* Is TH, which has not run since the last tick, blocked as it was? The one of N of them. */
static bool still_blocked(struct thread *th, unsigned n)
{
    struct walk_frame f;
    uint32_t kind;
    bool turn = stood_left && n >= stood_turn;
    if (!turn)
        return true;
    stood_left--;
    return blocked_at(th, &f, &kind);
}

/* TH was off the CPU for TICKS in a wait of KIND at NODE, while WORKING threads counted as working.
 * False: there is no memory. */
static bool count(const struct thread *th, uint32_t node, uint32_t kind, uint64_t ticks,
                  uint32_t working)
{
    lock_take(&hits_lock);
    struct hit *h = hits_at(&hits, HIT(node, kind));
    if (h) {
        h->weight += ticks;
        share(th, h, ticks * OFF_CPU_NS, working);
    } else {
        __atomic_store_n(&hits_lost, hits_lost + 1, __ATOMIC_RELAXED);
    }
    lock_release(&hits_lock);
    return h;
}

/* The same for TICKS of K, in TH's timeline, too. */
static void charge(struct thread *th, uint32_t node, uint32_t kind, uint64_t ticks,
                   const struct round *k)
{
    struct timelines *l = sampler_timelines(th);
    if (!count(th, node, kind, ticks, k->working))
        return;
    th->watch.charged += ticks * OFF_CPU_NS;
    if (!l || kind == LPF_WAIT_CPU)
        return;
    note(l, TIMELINE_BLOCKED, k->at, clock_ns_to_ticks(k->since), ticks);
    timed_note(node, true, k->at, clock_ns_to_ticks(k->since), ticks);
}

/* Reads TH's run delay, and how it left its CPU before that. KNOWN: it has run strands alone since
 * the last reading. */
static void read_delay(struct thread *th, struct thread_watch *w, bool known)
{
    uint64_t delay = w->delay;
    w->delay = thread_files_run_delay(&th->files, th->tid);
    if (!known) {
        w->read = thread_files_switches(&th->files, th->tid);
        return;
    }
    uint64_t more = w->delay > delay ? w->delay - delay : 0;
    w->delayed += more;
    w->unsplit += more;
    if (w->unsplit < SPLIT_LEAST)
        return;
    struct switches read = thread_files_switches(&th->files, th->tid),
                    since = switches_since(&read, &w->read),
                    /* without any, it has waited since before the last reading */
                    cause = since.voluntary || since.involuntary ? since : w->latest;
    uint64_t preempted = switches_preempted(w->unsplit, &cause);
    w->inside.voluntary += since.voluntary;
    w->inside.involuntary += since.involuntary;
    w->inside.preempted += preempted;
    w->inside.wakeup += w->unsplit - preempted;
    w->owed_cpu += preempted;
    w->owed_wakeup += w->unsplit - preempted;
    w->read = read;
    w->latest = cause;
    w->unsplit = 0;
}

/* Charges the time for which TH's strands were ready: after a wait, to the place of the last one;
 * else where the last sample hit the strand on the CPU. One tick in OFF_CPU_NS of it finds the
 * place, as other samples do. A place may not be known yet: then a later tick charges. */
static void charge_ready(struct thread *th, struct thread_watch *w, const struct round *k)
{
    uint64_t woken = w->owed_wakeup / OFF_CPU_NS, preempted = w->owed_cpu / OFF_CPU_NS;
    const struct logical_path *path = woken || preempted ? path_of(th) : 0;
    uint32_t node;
    if (!path)
        return;
    bool waited = w->path == path, ran = sampler_last(th, path, &node),
         never = w->owed_wakeup >= NEVER_FOUND_NS;
    if (woken && (waited || (ran && (w->path || never)))) {
        charge(th, waited ? w->node : node, w->path ? w->kind : LPF_WAIT_OTHER, woken, k);
        w->owed_wakeup %= OFF_CPU_NS;
    }
    if (preempted)
        cpus_waited(th);
    if (preempted && (waited || ran)) {
        charge(th, ran ? node : w->node, LPF_WAIT_CPU, preempted, k);
        w->owed_cpu %= OFF_CPU_NS;
    }
}

/* TH runs a strand. *N counts those that stand where they did. False: as before, it is blocked
 * there. */
static bool strand_sample(struct thread *th, const struct round *k, unsigned *n)
{
    struct thread_watch *w = &th->watch;
    struct timelines *l = sampler_timelines(th);
    if (w->of != th->tid)
        *w = (struct thread_watch){ .of = th->tid };
    uint64_t cpu = thread_facts_cpu(th->tid), ran = cpu - w->cpu;
    bool known = w->tid == th->tid, stood = known && !ran && w->blocked;
    if (stood)
        stood = still_blocked(th, (*n)++);
    w->cpu = cpu;
    w->tid = th->tid;
    w->blocked = stood;
    w->strand_tsc = strand_since(th);
    if (!stood && (!known || ran + k->since / RAN_PART < k->since)) {
        w->blocked = walk_begin() && node_of(th, w);
        if (walking)
            walk_end();
        read_delay(th, w, known);
    }
    if (l)
        visit(l, th->tid, cpu, k->now);
    if (w->blocked)
        charge(th, w->node, w->kind, k->ticks, k);
    charge_ready(th, w, k);
    return !stood;
}

/* The ns until the next sample. */
static uint64_t next_sample(uint64_t now)
{
    uint64_t run = now - first_at;
    if (now - changed_at >= RESTS_AFTER_NS)
        return REST_NS;
    return run < DENSE_NS ? OFF_CPU_NS : run < 4ull * DENSE_NS ? 2 * OFF_CPU_NS : 4 * OFF_CPU_NS;
}

uint64_t off_cpu_sample(void)
{
    struct round k = { .now = clock_read_ns(CLOCK_MONOTONIC), .working = sampler_working() };
    bool changed = false;
    k.since = sampled_at ? k.now - sampled_at : 0;
    k.ticks = (uint64_t)(uncounted + (int64_t)k.since + OFF_CPU_NS / 2) / OFF_CPU_NS;
    if (!sampled_at)
        first_at = changed_at = k.now;
    sampled_at = k.now;
    uncounted += k.since - k.ticks * OFF_CPU_NS;
    k.at = clock_ticks() - engine_start_tsc;
    ready_sample(k.at);
    /* with 160 such threads, each is visited in one tick of eleven */
    static uint32_t stride = 1, turn;
    uint32_t outside = 0;
    turn++;
    unsigned stood = 0;
    names_left = NAMES;
    stood_left = STOOD;
    once = 0;
    for (struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next) {
        bool live = __atomic_load_n(&th->live, __ATOMIC_RELAXED);
        if (live)
            cpus_visit(th);
        if (live && __atomic_load_n(&th->cur, __ATOMIC_RELAXED)) {
            changed |= strand_sample(th, &k, &stood);
            continue;
        }
        th->watch.tid = 0;
        if (live && (turn + outside++) % stride == 0)
            asleep_sample(th, k.now, k.at);
    }
    stride = 1 + outside / VISITS;
    stood_turn = stood_turn + STOOD < stood ? stood_turn + STOOD : 0;
    changed_at = changed ? k.now : changed_at;
    return next_sample(k.now);
}

/* The switches of the calling thread so far. Its frame is not to be part of the caller's: a thread
 * that ends may have little stack left. */
static __attribute__((noinline)) struct switches own_switches(void)
{
    struct rusage r = { .ru_nvcsw = 0 };
    syscall(SYS_getrusage, (long)RUSAGE_THREAD, &r);
    return (struct switches){ .voluntary = r.ru_nvcsw, .involuntary = r.ru_nivcsw };
}

/* Adds what samples found in TH's strands, and the rest of ALL its switches and of its run DELAY.
 * The rest was in strands, too, if TH is a thread of the program's: its routine is one. */
static void add_switches(struct thread_switches *to, const struct thread *th,
                         const struct switches *all, uint64_t delay, bool strands_alone)
{
    static const struct thread_watch none;
    const struct thread_watch *w = th->watch.of == th->tid ? &th->watch : &none;
    uint64_t found = w->inside.wakeup + w->inside.preempted;
    struct switches rest = switches_since(all, &w->inside);
    switches_sum(&to->inside, &w->inside);
    switches_add(strands_alone ? &to->inside : &to->between, delay > found ? delay - found : 0,
                 &rest);
}

/* A sample that took long is followed by none for long, and many threads may end meanwhile. So a
 * thread that it found in a wait charges to that what it was off the CPU since, but no more than
 * its samples lack of OFF, its time off the CPU that was no waiting for one. */
static void charge_last_wait(const struct thread *th, uint64_t cpu, uint64_t off)
{
    const struct thread_watch *w = &th->watch;
    int64_t missing = off - w->charged,
            since = clock_read_ns(CLOCK_MONOTONIC) -
                    __atomic_load_n(&sampled_at, __ATOMIC_RELAXED) - (cpu - w->cpu),
            late = since < missing ? since : missing;
    if (w->tid == th->tid && w->blocked && late >= OFF_CPU_NS)
        count(th, w->node, w->kind, late / OFF_CPU_NS, sampler_working());
}

void off_cpu_thread_ends(struct thread *th)
{
    if (!wanted)
        return;
    bool user = th->kind == LPF_THREAD_USER;
    struct switches all = own_switches();
    uint64_t lived = clock_ticks() - th->life_since, cpu = thread_facts_cpu(th->tid),
             delay = th->watch.of == th->tid ? th->watch.delayed : 0;
    if (lived >= clock_ns_to_ticks(cpu + delay + DELAY_LEAST)) {
        /* the kernel counts from the thread's creation; its strand began later */
        uint64_t off = clock_ns(clock_rate(), lived) - cpu,
                 counted = thread_facts_run_delay(th->tid);
        counted = counted < off ? counted : off;
        delay = counted > delay ? counted : delay;
        charge_last_wait(th, cpu, off - (delay < off ? delay : off));
    }
    add_switches(&th->ended, th, &all, delay, user);
}

bool off_cpu_switches(const struct thread *th, struct thread_switches *of)
{
    bool sampled = __atomic_load_n(&sampled_at, __ATOMIC_RELAXED);
    *of = th->ended;
    if (!wanted || (!sampled && th != engine_main))
        return false;
    if (!__atomic_load_n(&th->live, __ATOMIC_RELAXED))
        return sampled;
    struct switches all = thread_facts_switches(th->tid);
    uint64_t delay = thread_facts_run_delay(th->tid),
             before = th == engine_main ? delayed_before : 0;
    add_switches(of, th, &all, delay > before ? delay - before : 0,
                 !sampled || th->kind == LPF_THREAD_USER || th->kind == LPF_THREAD_UNKNOWN);
    return sampled || delay;    /* 0: the kernel does not count it */
}

bool off_cpu_waited_alone(uint64_t *ns)
{
    const struct thread *alone = engine_main;
    if (__atomic_load_n(&started, __ATOMIC_ACQUIRE)) {
        *ns = waited_alone;
        return true;
    }
    if (__atomic_load_n(&sampled_at, __ATOMIC_RELAXED) || !wanted || !alone ||
        !__atomic_load_n(&alone->live, __ATOMIC_RELAXED))
        return false;
    uint64_t delay = thread_facts_run_delay(alone->tid);
    *ns = waited_since_start(alone->tid, delay > delayed_before ? delay - delayed_before : 0);
    return delay;               /* 0: the kernel does not count it */
}

void off_cpu_sum(struct snapshot *s)
{
    uint32_t at = 0;
    s->sampled_lost += __atomic_load_n(&hits_lost, __ATOMIC_RELAXED);
    for (const struct hit *h; (h = hits_next(&hits, &at));) {
        uint32_t node = hit_node(h) >> KIND_BITS, kind = hit_node(h) & ((1u << KIND_BITS) - 1);
        if (node >= s->node_count)
            continue;           /* new since the snapshot began */
        struct node_samples *n = &s->samples[node];
        struct node_waits *w = &s->waits[node];
        n->has_waits = true;
        n->blocked += kind == LPF_WAIT_CPU ? 0 : h->weight;
        w->weight[kind] += h->weight;
        unsigned __int128 all = (unsigned __int128)h->shares * s->workers,
                          one = (unsigned __int128)h->shared << 8;
        uint64_t idleness = all > one ? (uint64_t)(((all - one) << 8) / sample_source_period_ns())
                                      : 0;
        n->idleness += idleness;
        w->idleness[kind] += idleness;
    }
}

void off_cpu_forked(void)
{
    hits_clear(&hits);
    ready_forget();
    hits_lost = 0;
    walking = 0;
    delayed_before = 0;
    memory = 0;
    off_before = clock_read_ns(CLOCK_MONOTONIC);
    waited_alone = 0;
    started = false;
    sampled_at = 0;
    uncounted = 0;
    for (struct thread *th = engine_threads; th; th = th->next) {
        th->watch = (struct thread_watch){ .tid = 0 };
        th->ended = (struct thread_switches){ .inside = { .voluntary = 0 } };
        thread_files_forked(&th->files);
    }
}
