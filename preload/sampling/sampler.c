/* sampler.c - see sampler.h; sample_source.h for what sends the signals.
 *
 * Writers. A thread writes its struct sampling itself: in its handler, and in sampler_take, which
 * the handler may interrupt. Hits of the running strand are chained from th->sampled. sampler_take
 * takes the whole chain at once: it reads a hit's successor, then exchanges its weight for 0. A
 * sample in between starts a new chain. signals/signals.c owns the signal.
 */
#define _GNU_SOURCE
#include "arch/registers.h"
#include "arch/signal_frame.h"
#include "sampling/sampler.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "dag/job.h"
#include "sampling/cpus.h"
#include "sampling/hits.h"
#include "sampling/sample_source.h"
#include "sampling/timed_samples.h"
#include "sampling/timeline.h"
#include "libprof_format.h"
#include "base/kernel.h"
#include "base/message.h"
#include "base/program.h"
#include "dag/run.h"
#include "dag/strand.h"
#include "dag/thread.h"
#include "signals/signals.h"
#include "signals/sigstack.h"
#include "signals/tls.h"
#include "unwind/call_tree.h"
#include "unwind/trace.h"
#include "whatif/whatif.h"
#include "base/forbid.h"

struct sampling {
    struct trace trace;
    const struct task *task;    /* whose strand the chain hit */
    const struct logical_path *last_path;       /* the last sample hit a task below this path, */
    uint32_t last_node;         /* at this node; the sampling thread reads both */
    uint64_t weight, outside, lost, cut, nodes_lost;
    uint64_t own;               /* of OUTSIDE: hits of libprof's code */
    uint64_t of_program;        /* of WEIGHT: hits of other code */
    uint64_t own_others;        /* all such hits, times the other threads without a strand */
    uint64_t seen;              /* tsc of the last sample */
    uint64_t skip;              /* after slow samples: so many signals are still to be ignored */
    uint64_t owed;              /* so many of them come while the program runs: the next sample
                                 * counts for these, too */
    uint32_t slow;              /* how many samples in a row took long */
    struct sample_source source;
    struct hits hits;           /* shares: times 2^16 */
    struct timelines lines;
    struct cpus_thread cpus;
};

/* Written by sampler_setup. */
static bool sampling;
static uint64_t dispatch_ticks;
#define DISPATCH_NS 5000
static uint64_t period_ticks;   /* 0: samples do not come by time */
static uint64_t still_ticks;    /* the same */
#define STILL_PERIODS 8
#define TICK_NS 4000000         /* the kernel's tick; timers do not expire more often */
static uint32_t most_working = 1; /* the most threads that a sample found at work at one time */

/* ---- the handler ---- */

/* Counts the threads that work. A thread that has been without a task for no longer than a dispatch
 * takes counts as working: it is on its way to the next task. A thread of the program's own that
 * had no sample for long, while there are CPUs for it, waits for something and does not work. (A
 * runtime's worker in that state counts, because it keeps its slot.) */
uint32_t sampler_working(void)
{
    uint32_t n = 0, still = 0, creators = 0;
    bool slots = __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED);
    uint64_t now = clock_ticks();
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next) {
        if (!__atomic_load_n(&th->live, __ATOMIC_RELAXED))
            continue;
        const struct sampling *s = th->sampling;
        uint64_t since = __atomic_load_n(&th->strand_tsc, __ATOMIC_RELAXED),
                 seen = s ? __atomic_load_n(&s->seen, __ATOMIC_RELAXED) : now;
        const struct task *cur = __atomic_load_n(&th->cur, __ATOMIC_RELAXED);
        if (!cur)
            n += now - __atomic_load_n(&th->idle_since, __ATOMIC_RELAXED) < dispatch_ticks;
        else if (th->kind == LPF_THREAD_WORKER || (slots && th->kind == LPF_THREAD_MAIN) ||
                 !still_ticks || !s || now - since < still_ticks || now - seen < still_ticks)
            n++;
        else
            still++;
        creators += cur && thread_only_creates(th, since, seen);
    }
    uint32_t most = __atomic_load_n(&most_working, __ATOMIC_RELAXED), all = n + still - creators;
    while (all > most && !__atomic_compare_exchange_n(&most_working, &most, all, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return n < program.processors ? n : n + still;
}

static uint32_t node_of(struct sampling *s, const struct task *t, const ucontext_t *u,
                        uint64_t weight)
{
    const struct walk_frame f = { .pc = registers_pc(u), .sp = registers_sp(u),
                                  .fp = registers_fp(u), WALK_LINK(u) .exact = true };
    bool cut;
    uint32_t node = trace_node(&s->trace, f, task_entry(t), task_path(t), &cut, &s->nodes_lost);
    s->cut += cut ? weight : 0;
    return node;
}

/* How many threads but TH have no strand? */
static uint32_t others_without_strand(const struct thread *th)
{
    uint32_t n = 0;
    for (const struct thread *o = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); o;
         o = o->next)
        n += o != th && __atomic_load_n(&o->live, __ATOMIC_RELAXED) &&
             !__atomic_load_n(&o->cur, __ATOMIC_RELAXED);
    return n;
}

static void sample(struct thread *th, const ucontext_t *u, uint64_t weight)
{
    struct sampling *s = th->sampling;
    const struct task *t = th->cur;
    enum timeline_on_kind kind = timeline_kind_of(registers_pc(u));
    if (kind == TIMELINE_OWN)
        s->own_others += weight * others_without_strand(th);
    if (!t) {
        s->outside += weight;
        s->own += kind == TIMELINE_OWN ? weight : 0;
        cpus_note(false, weight);
        timeline_sample(&s->lines, TIMELINE_BETWEEN, weight);
        return;
    }
    if (WHATIF_ON && whatif_delaying(th))
        return;                 /* libprof itself delays; the delayed code was sampled before */
    __atomic_store_n(&s->seen, clock_ticks(), __ATOMIC_RELAXED);
    timeline_sample(&s->lines, kind, weight);
    uint32_t node = node_of(s, t, u, weight);
    __atomic_store_n(&s->last_node, node, __ATOMIC_RELAXED);
    __atomic_store_n(&s->last_path, task_path(t), __ATOMIC_RELEASE);
    struct hit *h = hits_at(&s->hits, node);
    if (!h) {
        s->lost += weight;
        return;
    }
    hit_add(h, weight);
    if (timeline_is_on())
        timed_note(node, false, clock_ticks() - engine_start_tsc, weight * period_ticks, weight);
    uint32_t w = sampler_working(), slots = __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED);
    /* (w == slots: nobody idles yet, but there may be more slots before the end) */
    if (w && (w <= slots || !slots)) {
        h->shares += (weight << 16) / w;
        h->shared += weight;
    }
    s->weight += weight;
    s->of_program += kind == TIMELINE_OWN ? 0 : weight;
    cpus_note(true, weight);
    if (s->task != t && th->sampled)
        /* The chain has hits of another strand since its last reading. This hit is on no path. */
        return;
    s->task = t;
    if (!h->pending) {
        h->next = th->sampled;
        th->sampled = h;
    }
    h->pending = hit_more(h->pending, weight);
}

/* The arguments of visit(), which runs on libprof's stack for the thread. The interrupted or the
 * alternate stack may have no room for more than the kernel's frame. */
struct visit {
    struct thread *th;
    const ucontext_t *context;
    uint64_t weight;
};

static void visit(void *p)
{
    const struct visit *v = p;
    sample(v->th, v->context, v->weight);
}

static bool is_sample(const siginfo_t *info)
{
    if (sample_source_event.size)
        return info->si_code == POLL_IN || info->si_code == POLL_HUP;
    return info->si_code == SI_TIMER &&
           (uintptr_t)info->si_value.sival_ptr >> 48 == SAMPLE_SOURCE_TAG >> 48;
}

/* The thread that a sample is meant for. NULL: the thread is gone. */
static struct thread *meant(const siginfo_t *info)
{
    if (!sample_source_event.size)
        return (struct thread *)((uintptr_t)info->si_value.sival_ptr ^ SAMPLE_SOURCE_TAG);
    struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    while (th && !(th->sampling && th->sampling->source.running &&
                   th->sampling->source.timer == info->si_fd))
        th = th->next;
    return th;
}

static uint64_t weight_of(const siginfo_t *info)
{
    return sample_source_event.size || info->si_overrun < 0 ? 1 : 1 + info->si_overrun;
}

/* Is a signal of WEIGHT to be ignored? */
static bool skips(struct sampling *s, uint64_t weight)
{
    if (!s->skip)
        return false;
    s->skip -= weight < s->skip ? weight : s->skip;
    return true;
}

/* A sample took TOOK ticks. The walk of a deep stack may take longer than a period. Then the next
 * signals are there when it ends, and the program would stand still. So it runs for REST times as
 * long before the next sample. One such sample in a row may be a preempted one. */
static void rest_after(struct sampling *s, uint64_t took)
{
    enum { REST = 4 };
    if (!period_ticks || REST * took <= period_ticks) {
        s->slow = 0;
    } else if (++s->slow > 1) {
        s->owed = REST * took / period_ticks;
        s->skip = s->owed + took / period_ticks;
    }
}

TLS_AFTER static void take_sample(struct thread *th, const siginfo_t *info, void *context)
{
    struct visit v = { th, context, weight_of(info) };
    if (th != thread_self_ || skips(th->sampling, v.weight))
        return;
    uint64_t begin = clock_ticks();
    v.weight += th->sampling->owed;
    th->sampling->owed = 0;
    sigstack_run(th, visit, &v);
    rest_after(th->sampling, clock_ticks() - begin);
}

TLS_AFTER static void stop(void)
{
    if (thread_self_)
        sampler_thread_give_up(thread_self_);
}

/* A signal 60 that is no sample. */
TLS_BEFORE static void programs(int number, siginfo_t *info, void *context)
{
    uintptr_t before;
    if (tls_enter(&before)) {
        bool kept = signals_kept(info, context, stop);
        tls_leave(before);
        if (kept)
            return;
    }
    signals_programs(number, info, context);
}

HANDLER_ENTRY static void handler(int number, siginfo_t *info, void *context)
{
    HANDLER_BEGIN();
    if (!is_sample(info)) {
        programs(number, info, context);
        return;
    }
    struct thread *th = meant(info);
    if (!th || !th->sampling || !th->sampling->source.running || !engine_recording)
        return;
    if (tls_now() == th->thread_pointer)
        take_sample(th, info, context);
    else
        th->lost[LOSS_FS_BASE] += weight_of(info);
}

/* ---- strands ---- */

/* So many samples after an edge wait for the next edge. */
#define PUT_SAMPLES 64

void sampler_take(struct thread *th, struct task *t)
{
    struct sampling *s = th->sampling;
    struct hit *h = __atomic_exchange_n(&th->sampled, (struct hit *)0, __ATOMIC_RELAXED), *next;
    bool whose = s->task == t;
    for (; h; h = next) {
        uint32_t node = hit_node(h);
        next = __atomic_load_n(&h->next, __ATOMIC_RELAXED);
        uint64_t pending = __atomic_exchange_n(&h->pending, 0, __ATOMIC_RELAXED);
        uint32_t weight = pending;
        if (whose)
            bag_sample(th, &t->bag, t->S, node, weight, pending >> 32);
        if (whose && !t->birth && job.sampled && th->kind == LPF_THREAD_MAIN)
            job.sampled(t->S, node, weight, pending >> 32);
        if (whose && WHATIF_ON)
            whatif_sample(th, t, node, weight, pending >> 32);
    }
    hits_prepare(&s->hits);
    cct_prepare();
    /* If nothing was spawned in this block, no child can replace the path from an earlier point. If
     * nothing was put on an edge, either, the samples are on the path for good. A task that has put
     * something may compute for hours after that: then they are, too. */
    if (whose && !t->fresh && t->bag && (!t->bag->put || t->bag->fresh_count > PUT_SAMPLES))
        bag_samples_settle(th, &t->bag, t->S);
}

void sampler_sum(struct snapshot *out)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct sampling *s = th->sampling;
        if (!s)
            continue;
        out->sampled += s->weight;
        out->sampled_outside += s->outside;
        out->sampled_own += s->own;
        out->sampled_own_others += s->own_others;
        out->sampled_lost += s->lost;
        out->sampled_cut += s->cut;
        out->lost[LOSS_NODES] += s->nodes_lost;
        uint32_t at = 0;
        for (const struct hit *h; (h = hits_next(&s->hits, &at));) {
            if (hit_node(h) >= out->node_count)
                continue;       /* new since the snapshot began */
            struct node_samples *n = &out->samples[hit_node(h)];
            uint64_t weight = __atomic_load_n(&h->weight, __ATOMIC_RELAXED);
            n->weight += weight;
            n->squares += weight + h->late;
            uint64_t all = h->shares * out->workers, one = h->shared << 16;
            n->idleness += all > one ? all - one : 0;
        }
    }
}

static struct sampling *sampling_new(void)
{
    struct sampling *s = memory_map(sizeof *s);
    if (s && !trace_new(&s->trace)) {
        memory_unmap(s, sizeof *s);
        s = 0;
    }
    return s;
}

void sampler_thread_start(struct thread *th)
{
    if (!sampling)
        return;
    int saved = errno;
    struct sampling *s = th->sampling;
    if (!s)
        s = th->sampling = sampling_new();
    if (s)
        sample_source_on(&s->source, th);
    static bool said;
    /* reasons: RLIMIT_SIGPENDING, RLIMIT_NOFILE, RLIMIT_AS, a filter of system calls */
    if (!s || !s->source.running) {
        th->lost[LOSS_SAMPLES]++;
        if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
            message(MESSAGE_SHORTAGE,
                    "PROF_SAMPLE: a thread has no %s (a limit of resources, such as "
                    "RLIMIT_SIGPENDING?): it is not sampled",
                    s ? sample_source_name() : "memory for samples");
    }
    if (s && s->source.running)
        signals_open();
    errno = saved;
}

void sampler_thread_stop(struct thread *th)
{
    if (th->sampling)
        sample_source_off(&th->sampling->source);
}

bool sampler_thread_give_up(struct thread *th)
{
    if (!th->sampling || !th->sampling->source.running)
        return false;
    sampler_thread_stop(th);
    th->lost[LOSS_SAMPLES]++;
    return true;
}

void sampler_forked(void)
{
    most_working = 1;
    struct thread *me = thread_self_;
    struct sampling *s = me ? me->sampling : 0;
    if (me)
        me->sampled = 0;
    if (s) {
        hits_clear(&s->hits);
        s->weight = s->outside = s->lost = s->cut = s->nodes_lost = s->seen = 0;
        s->own = s->own_others = s->of_program = 0;
        s->skip = s->owed = 0;
        s->source.running = false;      /* a child has none of its parent's timers */
    }
    timeline_forked(s ? &s->lines : 0);
    cpus_forked(s ? &s->cpus : 0);
    timed_forget();
    sample_source_forked();
}

void sampler_stop(void)
{
    for (struct thread *th = engine_threads; th; th = th->next)
        if (th->sampling)
            sample_source_off(&th->sampling->source);
    sampler_before_exec(thread_self_);
}

void sampler_before_exec(struct thread *th)
{
    if (!th || !th->sampling)
        return;
    sample_source_off(&th->sampling->source);
    /* A signal may be pending. It must not reach a program that has no handler for it. */
    uint64_t ours = 1ull << (SIGNALS_OURS - 1), old;
    const struct timespec now = { 0, 0 };
    kernel_call(SYS_rt_sigprocmask, (long)SIG_BLOCK, &ours, &old, 8L);
    while (kernel_call(SYS_rt_sigtimedwait, &ours, 0L, &now, 8L) > 0)
        ;
    kernel_call(SYS_rt_sigprocmask, (long)SIG_SETMASK, &old, 0L, 8L);
}

struct cpus_thread *sampler_cpus(const struct thread *th)
{
    return th->sampling ? &th->sampling->cpus : 0;
}

uint64_t sampler_weight(const struct thread *th)
{
    return th->sampling ? __atomic_load_n(&th->sampling->of_program, __ATOMIC_RELAXED) : 0;
}

bool sampler_last(const struct thread *th, const struct logical_path *path, uint32_t *node)
{
    const struct sampling *s = th->sampling;
    if (!s || __atomic_load_n(&s->last_path, __ATOMIC_ACQUIRE) != path)
        return false;
    *node = __atomic_load_n(&s->last_node, __ATOMIC_RELAXED);
    return true;
}

struct timelines *sampler_timelines(const struct thread *th)
{
    return timeline_is_on() && th->sampling ? &th->sampling->lines : 0;
}

uint32_t sampler_most_working(void)
{
    return __atomic_load_n(&most_working, __ATOMIC_RELAXED);
}

void sampler_setup(const char *setting)
{
    if (!strcmp(setting, "off"))
        return;
    strand_samples = sampler_take;
    uint64_t period_ns = sample_source_setup(setting);
    dispatch_ticks = clock_ns_to_ticks(DISPATCH_NS);
    period_ticks = clock_ns_to_ticks(period_ns);
    still_ticks = period_ns ? clock_ns_to_ticks(STILL_PERIODS *
                                                (period_ns > TICK_NS ? period_ns : TICK_NS))
                            : 0;
    sampling = signals_take(handler, is_sample);
    if (!sampling)
        sample_source_none();
    timeline_setup(clock_kind == CLOCK_VIRTUAL ? 0 : sample_source_period_ns());
}
