/* timelines.c - what threads did over the run, when samples hit what, who had the processors. */
#include <string.h>
#include "gen.h"

static void row(uint64_t tid, const char *name, uint32_t kind)
{
    struct lpf_timeline_row r = { .tid = tid, .name = string(name), .kind = kind };
    add(LPF_TIMELINE_ROWS, &r, sizeof r);
}

static void bin(uint32_t row, uint32_t bin, const uint32_t *n)
{
    struct lpf_timeline_bin b = { .row = row, .bin = bin, .work = n[0], .overhead = n[1],
                                  .own = n[2], .between = n[3], .blocked = n[4], .asleep = n[5] };
    add(LPF_TIMELINE_BINS, &b, sizeof b);
}

/* off_cpu's 600 ms in 8 bins of 75 ms: of a worker; of the main thread, which does one thing after
 * the other, and of whose last two bins nothing is known; of another thread. */
void timeline(void)
{
    static const uint32_t asleep[] = { 0, 0, 0, 0, 0, 7 }, all[] = { 18, 0, 0, 0, 0, 0 },
                          half[] = { 9, 0, 1, 0, 0, 0 }, overhead[] = { 2, 10, 0, 0, 0, 0 },
                          blocked[] = { 0, 0, 0, 0, 7, 0 }, between[] = { 0, 0, 0, 15, 0, 0 },
                          own[] = { 0, 0, 16, 0, 0, 0 }, other[] = { 9, 0, 0, 0, 0, 0 };
    off_cpu();
    struct lpf_timeline t = { .bin_ns = 75000000, .bins = 8, .unplaced = 1234 };
    add(LPF_TIMELINE, &t, sizeof t);
    row(4243, "<b>\033[1m", LPF_THREAD_WORKER);
    row(4242, "app", LPF_THREAD_MAIN);
    row(4200, "", LPF_THREAD_USER);
    bin(0, 0, asleep);
    bin(0, 6, own);
    bin(0, 7, all);
    bin(1, 0, all);
    bin(1, 1, half);
    bin(1, 2, overhead);
    bin(1, 3, blocked);
    bin(1, 4, asleep);
    bin(1, 5, between);
    bin(2, 3, other);
}

int bad_timeline(const char *what)
{
    timeline();
    struct lpf_timeline *t = FIRST(LPF_TIMELINE);
    struct lpf_timeline_row *r = FIRST(LPF_TIMELINE_ROWS);
    struct lpf_timeline_bin *b = FIRST(LPF_TIMELINE_BINS);
    if (!strcmp(what, "timeline-width"))
        t->bin_ns = 0;
    else if (!strcmp(what, "timeline-long"))
        t->bin_ns = UINT64_MAX;
    else if (!strcmp(what, "timeline-bins"))
        t->bins = LPF_TIMELINE_MOST + 1;
    else if (!strcmp(what, "timeline-twice"))
        add(LPF_TIMELINE, &(struct lpf_timeline){ .bin_ns = 1, .bins = 8 }, sizeof *t);
    else if (!strcmp(what, "timeline-headless"))
        sections[LPF_TIMELINE - 1].used = 0;
    else if (!strcmp(what, "timeline-rows"))
        sections[LPF_TIMELINE_ROWS - 1].used = sections[LPF_TIMELINE_BINS - 1].used = 0;
    else if (!strcmp(what, "timeline-name"))
        r[0].name = UINT32_MAX;
    else if (!strcmp(what, "timeline-row"))
        b[9].row = 3;
    else if (!strcmp(what, "timeline-bin"))
        b[2].bin = 8;
    else if (!strcmp(what, "timeline-order"))
        b[1].bin = 0;
    else if (!strcmp(what, "timeline-none"))
        b[0].asleep = 0;
    else
        return -1;
    return 0;
}

static void timed_sample(uint32_t node, uint32_t at_ms, uint16_t weight, uint16_t kind)
{
    struct lpf_timed_sample s = { .node = node, .at = at_ms / 10, .weight = weight, .kind = kind };
    add(LPF_TIMED_SAMPLES, &s, sizeof s);
}

/* By the nodes of paths() and off_cpu(). Half of the samples on the CPU are there, all of those off
 * it. In bins 0 to 3: the first task, 64 ms on the CPU there and 24 ms in the runtime that it
 * called, and 100 ms off it, which begin in bin 1 and end in bin 2; libprof, which does not count.
 * In bins 4 to 7: the program's own strand, 400 ms on the CPU; and 50 ms off it at a node that no
 * sample on the CPU hit. */
void timed(void)
{
    enum { HOT = 4, IN_RUNTIME = 7, SERIAL = 10, IN_LIBPROF = 11, ASLEEP = 13 };
    timeline();
    struct lpf_timed t = { .unit_ns = 10000000, .on_cpu = 16, .off_cpu = 2 };
    add(LPF_TIMED, &t, sizeof t);
    timed_sample(SERIAL, 350, 10, LPF_TIMED_ON_CPU);
    timed_sample(HOT, 10, 5, LPF_TIMED_ON_CPU);
    timed_sample(HOT, 250, 2, LPF_TIMED_ON_CPU);
    timed_sample(HOT, 10, 1, LPF_TIMED_ON_CPU);
    timed_sample(IN_RUNTIME, 90, 3, LPF_TIMED_ON_CPU);
    timed_sample(IN_LIBPROF, 290, 9, LPF_TIMED_ON_CPU);
    timed_sample(HOT, 140, 10, LPF_TIMED_OFF_CPU);
    timed_sample(SERIAL, 590, 20, LPF_TIMED_ON_CPU);
    timed_sample(SERIAL, 460, 20, LPF_TIMED_ON_CPU);
    timed_sample(ASLEEP, 410, 5, LPF_TIMED_OFF_CPU);
}

int bad_timed(const char *what)
{
    timed();
    struct lpf_timed *t = FIRST(LPF_TIMED);
    struct lpf_timed_sample *s = FIRST(LPF_TIMED_SAMPLES);
    if (!strcmp(what, "timed-unit"))
        t->unit_ns = 0;
    else if (!strcmp(what, "timed-long-unit"))
        t->unit_ns = 75000001;
    else if (!strcmp(what, "timed-twice"))
        add(LPF_TIMED, t, sizeof *t);
    else if (!strcmp(what, "timed-headless"))
        sections[LPF_TIMED - 1].used = 0;
    else if (!strcmp(what, "timed-no-timeline"))
        sections[LPF_TIMELINE - 1].used = sections[LPF_TIMELINE_ROWS - 1].used =
            sections[LPF_TIMELINE_BINS - 1].used = 0;
    else if (!strcmp(what, "timed-node"))
        s[3].node = sections[LPF_NODES - 1].used / sizeof(struct lpf_node);
    else if (!strcmp(what, "timed-late"))
        s[0].at = 60;
    else if (!strcmp(what, "timed-weight"))
        s[0].weight = 0;
    else if (!strcmp(what, "timed-kind"))
        s[0].kind = LPF_TIMED_OFF_CPU + 1;
    else if (!strcmp(what, "timed-seen-on"))
        t->on_cpu = 7;
    else if (!strcmp(what, "timed-seen-off"))
        t->off_cpu = 1;
    else
        return -1;
    return 0;
}

static void ready_bin(uint32_t bin, uint32_t samples, uint64_t sum, uint64_t most)
{
    struct lpf_ready_bin b = { .bin = bin, .samples = samples, .sum = sum, .most = most };
    add(LPF_READY_BINS, &b, sizeof b);
}

/* Nobody counted in bins 5 and 7. Where the worker sleeps, in bin 0, none was ready. */
void ready(void)
{
    timeline();
    struct lpf_ready r = { .unknown = 1 };
    add(LPF_READY, &r, sizeof r);
    ready_bin(0, 8, 0, 0);
    ready_bin(1, 8, 6400, 1234);
    ready_bin(2, 4, 1600, 500);
    ready_bin(3, 4, 1, 1);
    ready_bin(4, 1, 0, 0);
    ready_bin(6, 2, 400, 200);
}

void ready_unknown(void)
{
    timeline();
    struct lpf_ready r = { .unknown = 1234 };
    add(LPF_READY, &r, sizeof r);
}

int bad_ready(const char *what)
{
    ready();
    struct lpf_ready_bin *b = FIRST(LPF_READY_BINS);
    if (!strcmp(what, "ready-twice"))
        add(LPF_READY, FIRST(LPF_READY), sizeof(struct lpf_ready));
    else if (!strcmp(what, "ready-headless"))
        sections[LPF_READY - 1].used = 0;
    else if (!strcmp(what, "ready-no-timeline"))
        sections[LPF_TIMELINE - 1].used = sections[LPF_TIMELINE_ROWS - 1].used =
            sections[LPF_TIMELINE_BINS - 1].used = 0;
    else if (!strcmp(what, "ready-bin"))
        b[5].bin = 8;
    else if (!strcmp(what, "ready-order"))
        b[1].bin = 0;
    else if (!strcmp(what, "ready-samples"))
        b[0].samples = 0;
    else if (!strcmp(what, "ready-most"))
        b[3].most = 2;
    else if (!strcmp(what, "ready-mean"))
        b[1].most = 799;
    else
        return -1;
    return 0;
}

static void one_cpu(uint32_t number, uint32_t flags, uint32_t threads, unsigned busy,
                    unsigned steal, unsigned idle, uint64_t samples, uint64_t outside)
{
    struct lpf_cpu c = { .cpu = number, .flags = flags, .threads = threads,
                         .busy_ns = busy * 1000000ull, .steal_ns = steal * 1000000ull,
                         .idle_ns = idle * 1000000ull, .samples = samples,
                         .samples_outside = outside };
    add(LPF_CPUS, &c, sizeof c);
}

/* One second. CPU 1 is not the program's, CPU 5 was switched off. The threads are bound to CPUs 0
 * and 2, and CPU 3 idled. Too few samples hit CPU 2 to count: 4 of 100. */
void cpus(void)
{
    paths();
    struct lpf_machine m = { .flags = LPF_MACHINE_TIMES | LPF_MACHINE_QUOTA | LPF_MACHINE_MASKS,
                             .threads = 2, .wall_ns = 1000000000, .own_cpu_ns = 900000000,
                             .unit_ns = 10000000, .throttled = 3, .throttled_ns = 250000000,
                             .quota_ns = 150000000, .quota_period_ns = 100000000 };
    add(LPF_MACHINE, &m, sizeof m);
    one_cpu(0, LPF_CPU_ALLOWED | LPF_CPU_ONLINE, 2, 980, 10, 10, 90, 6);
    one_cpu(1, LPF_CPU_ONLINE, 0, 700, 0, 300, 0, 0);
    one_cpu(2, LPF_CPU_ALLOWED | LPF_CPU_ONLINE, 1, 400, 20, 580, 3, 1);
    one_cpu(3, LPF_CPU_ALLOWED | LPF_CPU_ONLINE, 0, 40, 0, 960, 0, 0);
    one_cpu(5, LPF_CPU_ALLOWED, 0, 0, 0, 0, 0, 0);
}

int bad_cpus(const char *what)
{
    cpus();
    struct lpf_machine *m = FIRST(LPF_MACHINE);
    struct lpf_cpu *c = FIRST(LPF_CPUS);
    if (!strcmp(what, "cpus-twice"))
        add(LPF_MACHINE, FIRST(LPF_MACHINE), sizeof *m);
    else if (!strcmp(what, "cpus-headless"))
        sections[LPF_MACHINE - 1].used = 0;
    else if (!strcmp(what, "cpus-number"))
        c[4].cpu = LPF_CPUS_MOST;
    else if (!strcmp(what, "cpus-order"))
        c[1].cpu = 0;
    else if (!strcmp(what, "cpus-threads"))
        c[0].threads = 3;
    else if (!strcmp(what, "cpus-wall"))
        m->wall_ns = 0;
    else if (!strcmp(what, "cpus-unit"))
        m->unit_ns = 0;
    else if (!strcmp(what, "cpus-quota"))
        m->quota_period_ns = 0;
    else
        return -1;
    return 0;
}
