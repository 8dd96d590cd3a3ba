/* sampler.c - see sampler.h.
 *
 * Who writes what. A thread's struct sampling is written by the thread: by its handler, and by
 * sampler_take, which the handler may interrupt. `hits` are touched nodes, chained from th->sampled
 * (through `next`); sampler_take takes the chain at once, then each node's weight by an exchange, having
 * read its successor before: a node that is hit in between starts a new chain and loses nothing.
 *
 * The signal is a real-time one that nothing else uses here; what a program does to it passes
 * sigaction() and the mask functions below: a handler of the program's own is called for signals that
 * are not ours, and masks keep ours open (a thread that blocks everything would never be seen).
 */
#define _GNU_SOURCE
#include "sampler.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "bag.h"
#include "block.h"
#include "libprof_format.h"
#include "message.h"
#include "real.h"
#include "thread.h"
#include "../unwind/cct.h"
#include "../unwind/logical.h"
#include "forbid.h"

#define EXPORT __attribute__((visibility("default")))
#define SIGNAL 60
#define FRAMES 16384            /* of one sample; more are cut */
#define UNFOLDED 256            /* frames; in deeper paths recursion is folded */

/* Measurements of one thread at one node, and its link in the chain of hits. */
struct hit {
    uint64_t weight, idleness;
    uint32_t pending;           /* weight not yet given to a strand */
    uint32_t next;
};

struct sampling {
    struct hit *hits;           /* by node */
    uintptr_t *frames;
    const struct task *task;    /* whose strand the chain hit */
    uint64_t weight, outside, lost, cut, nodes_lost;
    int timer;
    bool running;
};

static uint64_t period_ns;
static const char *source = "";

/* ---- the handler ---- */

/* Idle worker slots for each working one, times 2^16. */
static uint64_t idleness(void)
{
    uint32_t slots = __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED), working = 0;
    if (slots < 2)
        return 0;
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th; th = th->next)
        working += __atomic_load_n(&th->live, __ATOMIC_RELAXED) && __atomic_load_n(&th->cur, __ATOMIC_RELAXED);
    return working && working < slots ? ((uint64_t)(slots - working) << 16) / working : 0;
}

/* An address that comes again drops what lies between. In place; innermost first. */
static size_t fold(uintptr_t *pc, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = kept, last = kept > 64 ? kept - 64 : 0;
        while (j > last && pc[j - 1] != pc[i])
            j--;
        if (j > last)
            kept = j;
        else
            pc[kept++] = pc[i];
    }
    return kept;
}

static uint32_t node_of(struct sampling *s, const struct task *t, const ucontext_t *u, uint64_t weight)
{
    const greg_t *r = u->uc_mcontext.gregs;
    const struct walk_frame f = { .pc = r[REG_RIP], .rsp = r[REG_RSP], .rbp = r[REG_RBP], .exact = true };
    struct logical l;
    uintptr_t *frames = s->frames;
    size_t n = 0;
    uint32_t node = CCT_ROOT;
    /* All p-notes are kept: which are a runtime's can be told later, and both projections be shown. The
     * l-notes of a task's end are its path's node. */
    for (logical_start(&l, f, t->entry, task_path(t)); logical_step_bichord(&l);) {
        if (l.association == MANY_TO_MANY) {
            node = l.path->node;
            if (n)
                break;
        }
        while (n < FRAMES && logical_step_pnote(&l, &frames[n]))
            n++;
    }
    if (n > UNFOLDED)
        n = 1 + fold(frames + 1, n - 1);
    if (l.end != WALK_LIMIT || n == FRAMES) {
        node = cct_child(node, LPF_NODE_CUT, 0, &s->nodes_lost);
        s->cut += weight;
    }
    while (n-- > 1)
        node = cct_child(node, LPF_NODE_FRAME, frames[n], &s->nodes_lost);
    return cct_child(node, LPF_NODE_LEAF, frames[0], &s->nodes_lost);
}

static void sample(struct thread *th, const ucontext_t *u, uint64_t weight)
{
    struct sampling *s = th->sampling;
    const struct task *t = th->cur;
    if (!t) {
        s->outside += weight;
        return;
    }
    uint32_t node = node_of(s, t, u, weight);
    struct hit *h = &s->hits[node];
    h->weight += weight;
    h->idleness += weight * idleness();
    s->weight += weight;
    if (s->task != t && th->sampled != SAMPLED_NONE)
        return;                 /* hit between the last reading of another strand and now: not on any path */
    s->task = t;
    if (!h->pending) {
        h->next = th->sampled;
        th->sampled = node;
    }
    h->pending += weight;
}

static struct sigaction programs;       /* what the program wants of SIGNAL */

static void handler(int number, siginfo_t *info, void *context)
{
    struct thread *th = thread_self_;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&period_ns) {
        if (th && th->sampling && th->sampling->running && engine_recording)
            sample(th, context, 1 + (info->si_overrun > 0 ? info->si_overrun : 0));
        return;
    }
    if (programs.sa_flags & SA_SIGINFO)
        programs.sa_sigaction(number, info, context);
    else if (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN)
        programs.sa_handler(number);
}

/* ---- strands ---- */

void sampler_take(struct thread *th, struct task *t)
{
    struct sampling *s = th->sampling;
    uint32_t node = __atomic_exchange_n(&th->sampled, SAMPLED_NONE, __ATOMIC_RELAXED);
    bool whose = s->task == t;
    while (node != SAMPLED_NONE) {
        struct hit *h = &s->hits[node];
        uint32_t next = __atomic_load_n(&h->next, __ATOMIC_RELAXED);
        uint32_t weight = __atomic_exchange_n(&h->pending, 0, __ATOMIC_RELAXED);
        if (whose)
            bag_sample(th, &t->bag, t->S, node, weight);
        node = next;
    }
    /* No child of this block can take over from an earlier point: they are on the path for good. */
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
        for (uint32_t i = 0; i < out->node_count; i++) {
            out->samples[i].weight += s->hits[i].weight;
            out->samples[i].idleness += s->hits[i].idleness;
        }
    }
}

/* ---- timers ---- */

static void timer_off(struct sampling *s)
{
    if (s->running)
        syscall(SYS_timer_delete, (long)s->timer);
    s->running = false;
}

void sampler_thread_start(struct thread *th)
{
    if (!period_ns)
        return;
    struct sampling *s = th->sampling;
    if (!s) {
        s = memory_map(sizeof *s);
        if (!s)
            return;
        s->hits = memory_map(cct_budget * sizeof s->hits[0]);
        s->frames = memory_map(FRAMES * sizeof s->frames[0]);
        if (!s->hits || !s->frames)
            return;             /* a profile without this thread's samples */
        th->sampling = s;
    }
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNAL;
    event.sigev_value.sival_ptr = &period_ns;
    event._sigev_un._tid = th->tid;
    s->running = !syscall(SYS_timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event, &s->timer);
    if (!s->running)
        return;
    const struct itimerspec every = { { period_ns / 1000000000, period_ns % 1000000000 },
                                      { period_ns / 1000000000, period_ns % 1000000000 } };
    syscall(SYS_timer_settime, (long)s->timer, 0L, &every, 0L);
    uint64_t ours = 1ull << (SIGNAL - 1);
    syscall(SYS_rt_sigprocmask, (long)SIG_UNBLOCK, &ours, 0L, 8L);
}

void sampler_thread_stop(struct thread *th)
{
    if (th->sampling)
        timer_off(th->sampling);
}

void sampler_forked(void)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        struct sampling *s = th->sampling;
        th->sampled = SAMPLED_NONE;
        if (!s)
            continue;
        memset(s->hits, 0, cct_count() * sizeof s->hits[0]);
        s->weight = s->outside = s->lost = s->cut = s->nodes_lost = 0;
        s->running = false;     /* a child has none of its parent's timers */
    }
}

void sampler_before_exec(struct thread *th)
{
    if (!th || !th->sampling)
        return;
    timer_off(th->sampling);
    /* one may be on its way: it must not meet a program that has no handler */
    uint64_t ours = 1ull << (SIGNAL - 1), old;
    const struct timespec now = { 0, 0 };
    syscall(SYS_rt_sigprocmask, (long)SIG_BLOCK, &ours, &old, 8L);
    while (syscall(SYS_rt_sigtimedwait, &ours, 0L, &now, 8L) > 0)
        ;
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &old, 0L, 8L);
}

uint64_t sampler_period_ns(void)
{
    return period_ns;
}

const char *sampler_source(void)
{
    return source;
}

void sampler_setup(const char *setting)
{
    uint64_t rate = 0;
    const char *p = setting;
    if (!strcmp(setting, "off"))
        return;
    for (; *p >= '0' && *p <= '9' && rate <= 10000; p++)
        rate = rate * 10 + (*p - '0');
    if (*p || !rate || rate > 10000) {
        message(MESSAGE_WARNING, "PROF_SAMPLE=%s is not off or a rate from 1 to 10000: using 250", setting);
        rate = 250;
    }
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
    if (real()->sigaction(SIGNAL, &action, &programs))
        return;
    period_ns = 1000000000 / rate;
    source = "thread CPU timer";
}

/* ---- what the program does to our signal ---- */

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (number != SIGNAL || !period_ns)
        return real()->sigaction(number, action, old);
    struct sigaction before = programs;
    if (action)
        programs = *action;
    if (old)
        *old = before;
    return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t new)
{
    if (number != SIGNAL || !period_ns)
        return real()->signal(number, new);
    sighandler_t before = programs.sa_handler;
    programs = (struct sigaction){ .sa_handler = new, .sa_flags = SA_RESTART };
    return before;
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *changed)
{
    const unsigned long ours = 1ul << (SIGNAL - 1);
    if (!set || !period_ns || how == SIG_UNBLOCK || !(set->__val[0] & ours))
        return set;
    *changed = *set;
    changed->__val[0] &= ~ours;
    return changed;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t changed;
    return real()->pthread_sigmask(how, without_ours(how, set, &changed), old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t changed;
    return real()->sigprocmask(how, without_ours(how, set, &changed), old);
}
