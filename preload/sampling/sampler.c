/* sampler.c - see sampler.h.
 *
 * Sources. The default is a timer of the thread's CPU time. It never interrupts a blocked system
 * call, and costs 2 us a signal. It expires only at the kernel's tick (a late signal shows how many
 * it stands for). perf_event's task clock gives 1 kHz and more, at 25 us a signal. Counters of
 * perf_event send a signal when they overflow.
 *
 * Writers. A thread writes its struct sampling itself: in its handler, and in sampler_take, which
 * the handler may interrupt. Hits of the running strand are chained from th->sampled. sampler_take
 * takes the whole chain at once: it reads a hit's successor, then exchanges its weight for 0. A
 * sample in between starts a new chain. signals/signals.c owns the signal.
 */
#define _GNU_SOURCE
#include "sampling/sampler.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "clock/events.h"
#include "sampling/hits.h"
#include "sampling/timeline.h"
#include "libprof_format.h"
#include "base/config.h"
#include "base/kernel.h"
#include "base/message.h"
#include "clock/pfm.h"
#include "signals/fsbase.h"
#include "signals/signals.h"
#include "signals/sigstack.h"
#include "dag/run.h"
#include "dag/strand.h"
#include "dag/thread.h"
#include "whatif/whatif.h"
#include "unwind/cct.h"
#include "unwind/trace.h"
#include "base/forbid.h"

#define RATE_MAX 10000
#define EVENT_RATE 1000         /* of a time event without a rate, or with one above RATE_MAX */
/* The least period of page faults. A fault in the vdso, or in a device's memory, starts anew if a
 * signal is pending. If each fault sent a signal, such a fault would start anew for ever. */
#define FAULTS_LEAST 2
/* A timer's signal carries the thread's address, xor this tag. No address of a program has these
 * bits. */
#define TAG (0x60f5ul << 48)

struct sampling {
    struct trace trace;
    const struct task *task;    /* whose strand the chain hit */
    const struct task *last_task;       /* the last sample hit this task, */
    uint32_t last_node;         /* at this node; the sampling thread reads both */
    uint64_t weight, outside, lost, cut, nodes_lost;
    uint64_t seen;              /* tsc of the last sample */
    int timer;                  /* the kernel's timer, or the event's descriptor */
    uint64_t event;             /* the kernel's id of the event */
    bool running;
    struct hits hits;           /* shares: times 2^16 */
    struct timelines lines;
};

/* The source of the samples; written by sampler_setup. */
static bool sampling;
static uint64_t period_ns;      /* ns of CPU time; 0: the source is an event that is not time */
static uint64_t period_events;  /* events, if the source is not time */
static char source[80];
static uint64_t dispatch_ticks;
#define DISPATCH_NS 5000
static uint64_t still_ticks;    /* 0: samples do not come by time */
#define STILL_PERIODS 8
#define TICK_NS 4000000         /* the kernel's tick; timers do not expire more often */
static uint32_t cpus;           /* CPUs that the process may use */
static uint32_t at_work = 1;    /* the most threads that a sample found at work at one time */
static struct perf_event_attr attr;     /* for perf_event; attr.size 0: the CPU timer */
static uint32_t timers;         /* timers of the process's threads, now */

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
    uint32_t most = __atomic_load_n(&at_work, __ATOMIC_RELAXED), all = n + still - creators;
    while (all > most && !__atomic_compare_exchange_n(&at_work, &most, all, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
        ;
    return n < cpus ? n : n + still;
}

static uint32_t node_of(struct sampling *s, const struct task *t, const ucontext_t *u,
                        uint64_t weight)
{
    const greg_t *r = u->uc_mcontext.gregs;
    const struct walk_frame f = {
        .pc = r[REG_RIP], .rsp = r[REG_RSP], .rbp = r[REG_RBP], .exact = true
    };
    bool cut;
    uint32_t node = trace_node(&s->trace, f, task_entry(t), task_path(t), &cut, &s->nodes_lost);
    s->cut += cut ? weight : 0;
    return node;
}

static void sample(struct thread *th, const ucontext_t *u, uint64_t weight)
{
    struct sampling *s = th->sampling;
    const struct task *t = th->cur;
    if (!t) {
        s->outside += weight;
        timeline_sample(&s->lines, TIMELINE_BETWEEN, weight);
        return;
    }
    if (WHATIF_ON && whatif_delaying(th))
        return;                 /* libprof itself delays; the delayed code was sampled before */
    __atomic_store_n(&s->seen, clock_ticks(), __ATOMIC_RELAXED);
    timeline_sample(&s->lines, timeline_kind_of(u->uc_mcontext.gregs[REG_RIP]), weight);
    uint32_t node = node_of(s, t, u, weight);
    __atomic_store_n(&s->last_node, node, __ATOMIC_RELAXED);
    __atomic_store_n(&s->last_task, t, __ATOMIC_RELEASE);
    struct hit *h = hits_at(&s->hits, node);
    if (!h) {
        s->lost += weight;
        return;
    }
    hit_add(h, weight);
    uint32_t w = sampler_working(), slots = __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED);
    if (w && (w < slots || !slots)) {
        h->shares += (weight << 16) / w;
        h->shared += weight;
    }
    s->weight += weight;
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
    if (attr.size)
        return info->si_code == POLL_IN || info->si_code == POLL_HUP;
    return info->si_code == SI_TIMER && (uintptr_t)info->si_value.sival_ptr >> 48 == TAG >> 48;
}

/* The thread that a sample is meant for. NULL: the thread is gone. */
static struct thread *meant(const siginfo_t *info)
{
    if (!attr.size)
        return (struct thread *)((uintptr_t)info->si_value.sival_ptr ^ TAG);
    struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    while (th && !(th->sampling && th->sampling->running && th->sampling->timer == info->si_fd))
        th = th->next;
    return th;
}

static void timer_off(struct sampling *s)
{
    if (s->running && attr.size) {
        events_close(s->timer, s->event);
    } else if (s->running) {
        kernel_call(SYS_timer_delete, (long)s->timer);
        __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
    }
    s->running = false;
}

static uint64_t weight_of(const siginfo_t *info)
{
    return attr.size || info->si_overrun < 0 ? 1 : 1 + info->si_overrun;
}

FSBASE_AFTER static void take_sample(struct thread *th, const siginfo_t *info, void *context)
{
    struct visit v = { th, context, weight_of(info) };
    if (th != thread_self_)
        return;
    sigstack_run(th, visit, &v);
}

FSBASE_AFTER static void give_up(void)
{
    if (thread_self_)
        sampler_thread_give_up(thread_self_);
}

/* A signal 60 that is no sample. */
FSBASE_BEFORE static void programs(int number, siginfo_t *info, void *context)
{
    uintptr_t before;
    if (fsbase_enter(&before)) {
        bool kept = signals_kept(number, info, context);
        if (kept)
            give_up();
        fsbase_leave(before);
        if (kept)
            return;
    }
    signals_programs(number, info, context);
}

SIGSTACK_ENTRY static void handler(int number, siginfo_t *info, void *context)
{
    SIGSTACK_ALIGNED_CODE();
    if (!is_sample(info)) {
        programs(number, info, context);
        return;
    }
    struct thread *th = meant(info);
    if (!th || !th->sampling || !th->sampling->running || !engine_recording)
        return;
    if (fsbase_get() == th->fs_base)
        take_sample(th, info, context);
    else
        th->lost[LOSS_FS_BASE] += weight_of(info);
}

/* ---- strands ---- */

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
        if (whose && WHATIF_ON)
            whatif_sample(th, t, node, weight, pending >> 32);
    }
    hits_prepare(&s->hits);
    cct_prepare();
    /* Nothing was spawned in this block, so no child can replace the path from an earlier point.
     * The samples are on the path for good. */
    if (whose && !t->fresh && t->bag)
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

/* ---- timers ---- */

/* Each timer counts towards RLIMIT_SIGPENDING, as do the program's own timers and signals. So
 * libprof takes only a small part of the limit: threads that start at once count themselves
 * first. */
static bool timer_allowed(void)
{
    enum { PART = 8 };
    struct rlimit limit;
    uint32_t before = __atomic_fetch_add(&timers, 1, __ATOMIC_RELAXED);
    if (kernel_call(SYS_prlimit64, 0L, (long)RLIMIT_SIGPENDING, 0L, &limit) ||
        before < limit.rlim_cur / PART)
        return true;
    __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
    return false;
}

static bool timer_on(struct thread *th)
{
    if (!timer_allowed())
        return false;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNALS_OURS;
    event.sigev_value.sival_ptr = (void *)((uintptr_t)th ^ TAG);
    event._sigev_un._tid = th->tid;
    if (kernel_call(SYS_timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event,
                    &th->sampling->timer)) {
        __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
        return false;
    }
    const struct itimerspec every = { { period_ns / 1000000000, period_ns % 1000000000 },
                                      { period_ns / 1000000000, period_ns % 1000000000 } };
    kernel_call(SYS_timer_settime, (long)th->sampling->timer, 0L, &every, 0L);
    return true;
}

/* Starts an event of this thread whose overflow sends a signal to this thread. */
static bool event_on(struct sampling *s, uint32_t tid)
{
    struct f_owner_ex owner = { F_OWNER_TID, tid };
    s->timer = events_open(&attr, &s->event);
    if (s->timer < 0)
        return false;
    if (!kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETOWN_EX, &owner) &&
        !kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETSIG, (long)SIGNALS_OURS) &&
        !kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETFL, (long)(O_ASYNC | O_NONBLOCK)) &&
        !kernel_call(SYS_ioctl, (long)s->timer, (long)PERF_EVENT_IOC_ENABLE, 0L))
        return true;
    events_close(s->timer, s->event);
    return false;
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
        s->running = attr.size ? event_on(s, th->tid) : timer_on(th);
    static bool said;
    /* reasons: RLIMIT_SIGPENDING, RLIMIT_NOFILE, RLIMIT_AS, a filter of system calls */
    if (!s || !s->running) {
        th->lost[LOSS_SAMPLES]++;
        if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
            message(MESSAGE_SHORTAGE,
                    "PROF_SAMPLE: a thread has no %s (a limit of resources, such as "
                    "RLIMIT_SIGPENDING?): it is not sampled",
                    s ? source : "memory for samples");
    }
    if (s && s->running)
        signals_open();
    errno = saved;
}

void sampler_thread_stop(struct thread *th)
{
    if (th->sampling)
        timer_off(th->sampling);
}

bool sampler_thread_give_up(struct thread *th)
{
    if (!th->sampling || !th->sampling->running)
        return false;
    sampler_thread_stop(th);
    th->lost[LOSS_SAMPLES]++;
    return true;
}

void sampler_forked(void)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        struct sampling *s = th->sampling;
        th->sampled = 0;
        if (!s)
            continue;
        hits_clear(&s->hits);
        s->weight = s->outside = s->lost = s->cut = s->nodes_lost = s->seen = 0;
        timeline_forget(&s->lines);
        s->running = false;     /* a child has none of its parent's timers */
    }
    timers = 0;
}

void sampler_stop(void)
{
    for (struct thread *th = engine_threads; th; th = th->next)
        if (th->sampling)
            timer_off(th->sampling);
    sampler_before_exec(thread_self_);
}

void sampler_before_exec(struct thread *th)
{
    if (!th || !th->sampling)
        return;
    timer_off(th->sampling);
    /* A signal may be pending. It must not reach a program that has no handler for it. */
    uint64_t ours = 1ull << (SIGNALS_OURS - 1), old;
    const struct timespec now = { 0, 0 };
    kernel_call(SYS_rt_sigprocmask, (long)SIG_BLOCK, &ours, &old, 8L);
    while (kernel_call(SYS_rt_sigtimedwait, &ours, 0L, &now, 8L) > 0)
        ;
    kernel_call(SYS_rt_sigprocmask, (long)SIG_SETMASK, &old, 0L, 8L);
}

bool sampler_last(const struct thread *th, const struct task *t, uint32_t *node)
{
    const struct sampling *s = th->sampling;
    if (!s || __atomic_load_n(&s->last_task, __ATOMIC_ACQUIRE) != t)
        return false;
    *node = __atomic_load_n(&s->last_node, __ATOMIC_RELAXED);
    return true;
}

struct timelines *sampler_timelines(const struct thread *th)
{
    return timeline_is_on() && th->sampling ? &th->sampling->lines : 0;
}

uint32_t sampler_at_work(void)
{
    return __atomic_load_n(&at_work, __ATOMIC_RELAXED);
}

uint64_t sampler_period_ns(void)
{
    return period_ns;
}

uint64_t sampler_period_events(void)
{
    return period_events;
}

const char *sampler_source(void)
{
    return source;
}

/* Parses SOURCE[:NUMBER] or NUMBER. *NUMBER is 0 if there is none. False: a syntax error. */
static bool parse(const char *setting, char *name, size_t size, uint64_t *number)
{
    const char *colon = strrchr(setting, ':'), *p = colon ? colon + 1 : setting;
    *number = 0;
    bool digits = *p != 0;
    for (; *p; p++) {
        digits &= *p >= '0' && *p <= '9' && *number < 1000000000000ull;
        *number = *number * 10 + (*p - '0');
    }
    size_t length = digits ? (size_t)((colon ? colon : setting) - setting) : strlen(setting);
    if (!digits)
        *number = 0;            /* a modifier of the event, as in instructions:u */
    if (length >= size || (colon && digits && (!length || !*number)))
        return false;
    /* no event has such a name, so this is a bad rate */
    bool letter = (setting[0] >= 'a' && setting[0] <= 'z') ||
                  (setting[0] >= 'A' && setting[0] <= 'Z');
    if (length && (!letter || (!digits && !strncmp(setting, "cpu:", 4))))
        return false;
    memcpy(name, setting, length);
    name[length] = 0;
    return true;
}

/* Sets the event NAME as the source: a signal after each NUMBER events. For a time event: NUMBER
 * signals a second. */
static bool setup_event(const char *name, uint64_t number)
{
    const char *why = "";
    uint64_t id;
    int r = pfm_event(name, &attr, &why);
    if (!r) {
        bool time = attr.type == PERF_TYPE_SOFTWARE && (attr.config == PERF_COUNT_SW_CPU_CLOCK ||
                                                        attr.config == PERF_COUNT_SW_TASK_CLOCK);
        bool bad = time && number > RATE_MAX;
        if (time)
            period_ns = 1000000000 / (number && !bad ? number : EVENT_RATE);
        else
            period_events = number ? number : attr.type == PERF_TYPE_SOFTWARE ? 100 : 1000003;
        bool faults = attr.type == PERF_TYPE_SOFTWARE && attr.config == PERF_COUNT_SW_PAGE_FAULTS &&
                      number && number < FAULTS_LEAST;
        if (faults)
            period_events = FAULTS_LEAST;
        attr.sample_period = time ? period_ns : period_events;
        attr.wakeup_events = 1;
        attr.disabled = 1;
        attr.inherit = 0;
        int fd = events_open(&attr, &id);       /* a trial, before threads rely on the event */
        if (fd >= 0) {
            events_close(fd, id);
            if (bad)
                message(MESSAGE_WARNING,
                        "PROF_SAMPLE=%s:%lu has no rate from 1 to %d: using %s:%d", name, number,
                        RATE_MAX, name, EVENT_RATE);
            if (faults)
                message(MESSAGE_WARNING,
                        "PROF_SAMPLE=%s:%lu would repeat some faults for ever: using %s:%d", name,
                        number, name, FAULTS_LEAST);
            return true;
        }
        why = pfm_why(fd);
    }
    message(MESSAGE_WARNING, "PROF_SAMPLE: %s: %s; using %s", name, why,
            config_default("PROF_SAMPLE"));
    memset(&attr, 0, sizeof attr);
    period_events = 0;
    return false;
}

void sampler_setup(const char *setting)
{
    char name[sizeof source - 16];
    const char *usual = config_default("PROF_SAMPLE");
    uint64_t number, usual_rate;
    if (!strcmp(setting, "off"))
        return;
    strand_samples = sampler_take;
    parse(usual, name, sizeof name, &usual_rate);
    bool ok = parse(setting, name, sizeof name, &number);
    bool timer = ok && (!*name || !strcmp(name, "cpu"));
    if (!ok || (timer && number > RATE_MAX)) {
        message(MESSAGE_WARNING,
                "PROF_SAMPLE=%s is not off, a rate from 1 to %d, cpu:RATE or EVENT:PERIOD: using "
                "%s",
                setting, RATE_MAX, usual);
        timer = true;
        number = 0;
    }
    if (timer || !setup_event(name, number)) {
        period_ns = 1000000000 / (timer && number ? number : usual_rate);
        strcpy(name, "thread CPU timer");
    }
    dispatch_ticks = clock_ns_to_ticks(DISPATCH_NS);
    still_ticks = period_ns ? clock_ns_to_ticks(STILL_PERIODS *
                                                (period_ns > TICK_NS ? period_ns : TICK_NS))
                            : 0;
    unsigned long set[128] = { 0 };
    long bytes = kernel_call(SYS_sched_getaffinity, 0L, sizeof set, set);
    for (long i = 0; i < 8 * bytes; i++)
        cpus += set[i / 64] >> i % 64 & 1;
    sampling = signals_take(handler, is_sample);
    strcpy(source, name);
    if (!sampling)
        period_ns = period_events = 0;
    timeline_setup(clock_kind == CLOCK_VIRTUAL ? 0 : period_ns);
}
