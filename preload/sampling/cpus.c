/* cpus.c - see cpus.h. */
#define _GNU_SOURCE
#include "sampling/cpus.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/program.h"
#include "clock/clock.h"
#include "dag/thread.h"
#include "sampling/machine.h"
#include "sampling/sampler.h"
#include "base/forbid.h"

_Static_assert(LPF_CPUS_MOST == PROGRAM_CPUS, "one mask for both");

/* Weights of samples on a CPU: any thread that runs there adds to them. */
static SELDOM struct { uint64_t in_strands, outside; } hits[LPF_CPUS_MOST];
static uint32_t hits_end;       /* no sample hit this CPU, nor one above it; grows only */
static uint64_t unplaced;       /* of samples whose CPU is not known or has no entry */

static struct machine *first;   /* the start; then room for now. By cpus_start, before `started` */
static struct machine_place place;
static bool started;

/* Threads whose state a later thread has taken over, and how many of them might use a CPU. Written
 * by the sampling thread. */
static SELDOM uint32_t gone_may[LPF_CPUS_MOST];
static uint32_t gone;
static uint64_t most;           /* the largest weight of a thread, as of the last visits */

void cpus_start(void)
{
    if (!first && !(first = memory_keep_lines(2 * sizeof *first)))
        return;
    machine_find(&place);
    machine_read(first, &place);
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
}

void cpus_note(bool in_strand, uint64_t weight)
{
    unsigned cpu = clock_cpu();
    uint32_t end = __atomic_load_n(&hits_end, __ATOMIC_RELAXED);
    if (cpu >= LPF_CPUS_MOST) {         /* also -1 */
        __atomic_fetch_add(&unplaced, weight, __ATOMIC_RELAXED);
        return;
    }
    while (cpu >= end && !__atomic_compare_exchange_n(&hits_end, &end, cpu + 1, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_add(in_strand ? &hits[cpu].in_strands : &hits[cpu].outside, weight,
                       __ATOMIC_RELAXED);
}

/* ---- the CPUs that threads may use ---- */

/* False: the thread is gone, or the kernel does not tell. */
static bool read_mask(uint32_t tid, uint64_t *may)
{
    uint64_t set[128] = { 0 };          /* the kernel refuses a set of fewer CPUs than it has */
    if (syscall(SYS_sched_getaffinity, (long)tid, sizeof set, set) <= 0)
        return false;
    memcpy(may, set, LPF_CPUS_MOST / 8);
    return true;
}

/* Has TH's thread created or joined others? Then the samples before do not count: it may do nothing
 * more than that. */
static bool has_created(const struct thread *th)
{
    uint64_t created = __atomic_load_n(&th->created_tsc, __ATOMIC_ACQUIRE);
    return created && created >= __atomic_load_n(&th->life_since, __ATOMIC_RELAXED);
}

/* NOW less THEN, at least 0: the kernel's counters may go back a little. */
static uint64_t since(uint64_t now, uint64_t then)
{
    return now > then ? now - then : 0;
}

/* A thread with fewer samples than a tenth of those of another is in a strand by chance: a main
 * thread that waits for others, and is hit on its way. */
static bool counts(uint64_t weight, uint64_t of)
{
    return weight && weight >= of / 10;
}

static void add(uint32_t *to, const uint64_t *may)
{
    for (unsigned i = 0; i < LPF_CPUS_MOST; i++)
        if (may[i / 64] >> i % 64 & 1)
            __atomic_store_n(&to[i], to[i] + 1, __ATOMIC_RELAXED);
}

/* How many CPUs are in MAY? */
static unsigned cpus_in(const uint64_t *may)
{
    unsigned n = 0;
    for (unsigned i = 0; i < LPF_CPUS_MOST / 64; i++)
        n += __builtin_popcountll(may[i]);
    return n;
}

/* Reads the mask of C's thread, and keeps it if it has fewer CPUs than all before: a program may
 * bind its threads for a part of the run. */
static void note_mask(struct cpus_thread *c)
{
    uint64_t now[LPF_CPUS_MOST / 64];
    if (read_mask(c->tid, now) && (!c->known || cpus_in(now) < cpus_in(c->may))) {
        memcpy(c->may, now, sizeof now);
        c->known = true;
    }
}

/* A thread's mask is read at visits 1, 2, 4, 8 and 16, then at each 16th: a thread that binds
 * itself does so early. */
static bool is_due(uint32_t visits)
{
    return visits % 16 == 0 || (visits < 16 && !(visits & (visits - 1)));
}

void cpus_visit(const struct thread *th)
{
    struct cpus_thread *c = sampler_cpus(th);
    if (!c)
        return;
    if (c->tid != th->tid) {
        if (c->known && counts(since(c->weight, c->base), most)) {
            add(gone_may, c->may);
            __atomic_store_n(&gone, gone + 1, __ATOMIC_RELAXED);
        }
        *c = (struct cpus_thread){ .tid = th->tid, .base = c->weight };
    }
    /* asked before the weight is read: between the two, this thread may wait for a CPU itself */
    bool created = has_created(th);
    c->weight = sampler_weight(th);
    if (!c->created && created) {
        c->created = true;
        c->base = c->weight;
    }
    if (since(c->weight, c->base) > most)
        __atomic_store_n(&most, c->weight - c->base, __ATOMIC_RELAXED);
    if (is_due(++c->visits))
        note_mask(c);
}

void cpus_waited(const struct thread *th)
{
    struct cpus_thread *c = sampler_cpus(th);
    if (c && c->tid == th->tid)
        note_mask(c);
}

/* ---- sums ---- */

/* The weight of TH's thread until now. What it did since the last visit does not count if it
 * created its first thread since then. */
static uint64_t weight_of(const struct thread *th, const struct cpus_thread *c)
{
    bool visited = c->tid == th->tid;
    if (has_created(th) && !(visited && c->created))
        return 0;
    return since(sampler_weight(th), visited ? c->base : c->weight);
}

static uint64_t most_now(void)
{
    uint64_t all = __atomic_load_n(&most, __ATOMIC_RELAXED);
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next) {
        const struct cpus_thread *c = sampler_cpus(th);
        uint64_t weight = c ? weight_of(th, c) : 0;
        all = weight > all ? weight : all;
    }
    return all;
}

/* Adds TH's thread to M and MAY; and the one before, if no visit found that TH has another now. OF:
 * the largest weight of a thread. */
static void add_thread(const struct thread *th, struct lpf_machine *m, uint32_t *may, uint64_t of)
{
    const struct cpus_thread *c = sampler_cpus(th);
    if (!c)
        return;
    bool visited = c->tid == th->tid;
    if (!visited && c->known && counts(since(c->weight, c->base), of)) {
        m->threads++;
        add(may, c->may);
    }
    uint64_t now[LPF_CPUS_MOST / 64];
    bool live = __atomic_load_n(&th->live, __ATOMIC_RELAXED) && read_mask(th->tid, now);
    bool known = visited && c->known;
    if (!counts(weight_of(th, c), of) || (!live && !known))
        return;
    m->threads++;
    add(may, live && (!known || cpus_in(now) < cpus_in(c->may)) ? now : c->may);
}

static void sum_masks(struct lpf_machine *m, struct lpf_cpu *cpu, uint32_t end)
{
    static SELDOM uint32_t may[LPF_CPUS_MOST];  /* one writer of profiles at a time */
    uint64_t of = most_now();
    m->threads = __atomic_load_n(&gone, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < LPF_CPUS_MOST; i++)
        may[i] = m->threads ? __atomic_load_n(&gone_may[i], __ATOMIC_RELAXED) : 0;
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next)
        add_thread(th, m, may, of);
    m->flags |= m->threads ? LPF_MACHINE_MASKS : 0;
    /* the sampling thread may have moved a thread to those that are gone meanwhile */
    for (unsigned i = 0; i < end; i++)
        cpu[i].threads = may[i] < m->threads ? may[i] : m->threads;
}

static void sum_quota(struct lpf_machine *m, const struct machine *now)
{
    if (!first->quota_known || !now->quota_known)
        return;
    m->flags |= LPF_MACHINE_QUOTA;
    m->quota_ns = now->quota_ns;
    m->quota_period_ns = now->quota_period_ns;
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        const struct machine_group *a = &first->group[i], *b = &now->group[i];
        uint64_t ns = since(b->throttled_ns, a->throttled_ns),
                 n = since(b->throttled, a->throttled);
        if (ns > m->throttled_ns || (ns == m->throttled_ns && n > m->throttled)) {
            m->throttled_ns = ns;
            m->throttled = n;
        }
    }
}

static void sum_times(struct lpf_machine *m, struct lpf_cpu *cpu, const struct machine *now)
{
    uint64_t tick = machine_tick_ns();
    if (!first->times_known || !now->times_known || now->wall_ns <= first->wall_ns)
        return;
    m->flags |= LPF_MACHINE_TIMES;
    m->wall_ns = now->wall_ns - first->wall_ns;
    m->own_cpu_ns = since(now->own_cpu_ns, first->own_cpu_ns);
    m->own_system_ns = since(now->own_system_ns, first->own_system_ns);
    m->own_faults = since(now->own_faults, first->own_faults);
    m->unit_ns = tick;
    for (unsigned i = 0; i < first->cpus && i < now->cpus; i++) {
        const struct machine_cpu *a = &first->cpu[i], *b = &now->cpu[i];
        if (!a->online || !b->online)
            continue;
        cpu[i].flags |= LPF_CPU_ONLINE;
        cpu[i].busy_ns = since(b->busy, a->busy) * tick;
        cpu[i].steal_ns = since(b->steal, a->steal) * tick;
        cpu[i].idle_ns = since(b->idle, a->idle) * tick;
    }
}

uint32_t cpus_sum(struct lpf_machine *m, struct lpf_cpu *cpu)
{
    uint32_t end = __atomic_load_n(&hits_end, __ATOMIC_RELAXED);
    memset(m, 0, sizeof *m);
    for (unsigned i = 0; i < LPF_CPUS_MOST; i++)
        if (program.allowed[i / 64] >> i % 64 & 1 && i >= end)
            end = i + 1;
    if (__atomic_load_n(&started, __ATOMIC_ACQUIRE)) {
        struct machine *now = first + 1;        /* one writer of profiles at a time */
        machine_read(now, &place);
        sum_times(m, cpu, now);
        sum_quota(m, now);
        end = now->cpus > end ? now->cpus : end;
    }
    m->samples_unplaced = __atomic_load_n(&unplaced, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < end; i++) {
        cpu[i].cpu = i;
        cpu[i].flags |= program.allowed[i / 64] >> i % 64 & 1 ? LPF_CPU_ALLOWED : 0;
        cpu[i].samples = __atomic_load_n(&hits[i].in_strands, __ATOMIC_RELAXED);
        cpu[i].samples_outside = __atomic_load_n(&hits[i].outside, __ATOMIC_RELAXED);
    }
    sum_masks(m, cpu, end);
    return end;
}

void cpus_forked(struct cpus_thread *c)
{
    if (c)
        *c = (struct cpus_thread){ .tid = 0 };
    /* a child that writes nothing here copies no page */
    memset(hits, 0, hits_end * sizeof hits[0]);
    if (gone)
        memset(gone_may, 0, sizeof gone_may);
    if (started || hits_end || unplaced || most)
        hits_end = unplaced = gone = most = 0;
    if (started)
        started = false;
}
