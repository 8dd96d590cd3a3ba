/* paths.c - the small profiles whose totals run.sh knows by heart: basic, and basic with call
 * paths, samples, off-CPU samples and what-if scenarios. */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

const char *program = "/nowhere/app";

/* work 1000 ms = 200 root + 300 + 400 + 100; span 250 ms = 50 root + 120 + 80 + 0;
 * burdened span = 240 ms + 100 x 200 us = 260 ms. */
void basic(const char *clock)
{
    struct lpf_totals *t = totals(clock, "/nowhere/app");
    t->work_cost = 1000000000;
    t->span_cost = 250000000;
    t->burdened_len_cost = 240000000;
    t->burdened_edges = 100;
    t->burden_cost = 200000;
    t->burden_source = LPF_BURDEN_MEASURED;
    t->burden_steals = 12;
    t->root_work_cost = 200000000;
    t->root_span_cost = 50000000;
    t->tasks = 2000;
    t->spawns = 1999;
    t->syncs = 1001;
    t->steals = 12;
    uint32_t a = site("parallel_for", 0, 0x401000), b = site("task_group", 0, 0x402000);
    context(LPF_NONE, a, 40, 300000000, 200000000, 120000000);
    context(0, b, 8, 400000000, 90000000, 80000000);
    context(1, a, 16, 100000000, 50000000, 0);
    module(0x400000, 0x500000, program, 0);
    region("sort", 3, 600000000, 150000000);
    struct lpf_thread th = { .tid = 4242, .busy_ns = 500000000, .work_cost = 1000000000,
                             .tasks = 2000 };
    add(LPF_THREADS, &th, sizeof th);
    setting("PROF_CLOCK", clock);
}

/* basic's contexts on call paths: the program's own strand, hit 4 times while a worker idled; a
 * task of the first context, hit 4 times in two functions, on the critical path once and three
 * times; two more below one call, hit never. One more sample hit libprof. Idle: 100 ms of 1200. */
void paths(void)
{
    basic("tsc");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    t->search_ns = 40000000;
    t->sleep_ns = 60000000;
    t->threads_ns = 1200000000;
    t->dispatch_ns = 20000000;
    t->sample_period_ns = 4000000;
    t->samples = 9;
    t->sample_source = string("thread CPU timer");
    module(0x700000, 0x710000, "/nowhere/libtbb.so.12", LPF_MODULE_RUNTIME);
    module(0x800000, 0x810000, "/nowhere/libprof.so", LPF_MODULE_LIBPROF);
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0);
    uint32_t main_ = node(root, LPF_NODE_FRAME, 0x401011),
        first = node(main_, LPF_NODE_FRAME, 0x401021);
    uint32_t boundary = node(first, LPF_NODE_TASK, 0);
    uint32_t hot = node(boundary, LPF_NODE_LEAF, 0x402000);
    uint32_t call = node(boundary, LPF_NODE_FRAME, 0x402021);
    uint32_t in_runtime = node(node(call, LPF_NODE_FRAME, 0x700101), LPF_NODE_LEAF, 0x700200);
    uint32_t below = node(call, LPF_NODE_TASK, 0), again = node(call, LPF_NODE_TASK, 1);
    uint32_t serial = node(main_, LPF_NODE_LEAF, 0x401030),
        in_libprof = node(main_, LPF_NODE_LEAF, 0x800010);
    c[0].node = boundary;
    c[1].node = below;
    c[2].node = again;
    sample(hot, 3, 0, 1);
    sample(in_runtime, 1, 0, 3);
    sample(serial, 4, 4, 1);
    sample(in_libprof, 1, 20, 1);
}

/* Each sample of `paths` came late: one for all of its node. But those on the critical path came
 * in time. WRONG: the last one's node is none. */
void late(bool wrong)
{
    paths();
    const struct lpf_sample *x = FIRST(LPF_SAMPLES);
    for (size_t i = 0; i < sections[LPF_SAMPLES - 1].used / sizeof *x; i++) {
        struct lpf_squares q = { .node = x[i].node,
                                 .weight = x[i].weight * x[i].weight,
                                 .on_span = x[i].on_span };
        if (wrong && i == 3)
            q.node = 12345;
        if (x[i].weight > 1 || i == 3)
            add(LPF_SQUARES, &q, sizeof q);
    }
}

/* `paths` with N times as many samples. The critical path has five of eight, and a quarter of the
 * work. */
void chosen(unsigned n)
{
    paths();
    struct lpf_sample *x = FIRST(LPF_SAMPLES);
    for (size_t i = 0; i < sections[LPF_SAMPLES - 1].used / sizeof *x; i++) {
        x[i].weight *= n;
        x[i].on_span *= n;
    }
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->samples *= n;
}

/* All samples hit libprof. */
void unhit(void)
{
    paths();
    struct lpf_sample *x = FIRST(LPF_SAMPLES);
    x[0] = x[3];
    sections[LPF_SAMPLES - 1].used = sizeof *x;
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->samples = 1;
}

/* 300 ms off the CPU inside strands. 40 off-CPU samples split 200 ms of that: in the first task, in
 * the program's own strand, and at a node without other samples. 60 ms were a wait for a CPU. */
void off_cpu(void)
{
    paths();
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    struct lpf_sample *x = FIRST(LPF_SAMPLES);
    t->blocked_ns = 300000000;
    c[0].blocked_ns = 120000000;
    c[1].blocked_ns = 30000000;
    x[0].blocked = 20;
    x[2].blocked = 15;
    uint32_t asleep = node(node(c[1].node, LPF_NODE_CUT, 0), LPF_NODE_LEAF, 0x402050);
    struct lpf_sample alone = { .node = asleep, .blocked = 5 };
    add(LPF_SAMPLES, &alone, sizeof alone);
    setting("run-delay-ns", "60000000");
}

static void wait_kind(uint32_t at, uint32_t kind, uint64_t weight)
{
    struct lpf_wait w = { .node = at, .kind = kind, .weight = weight, .idleness = weight << 16 };
    add(LPF_WAITS, &w, sizeof w);
}

/* `off_cpu` with the kinds of the waits, each sample of 2.5 ms, and a thread's switches. WRONG:
 * what is not so. */
void wait_kinds(const char *wrong)
{
    off_cpu();
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    const struct lpf_sample *x = FIRST(LPF_SAMPLES);
    struct lpf_switches s = { .thread = strcmp(wrong, "thread") ? 0 : 99,
                              .voluntary = 40, .involuntary = 3, .wakeup_ns = 5000000,
                              .preempted_ns = 60000000, .idle_voluntary = 7,
                              .idle_wakeup_ns = 1000000 };
    t->off_cpu_ns = 2500000;
    wait_kind(x[0].node, strcmp(wrong, "kind") ? LPF_WAIT_FUTEX : LPF_WAIT_KINDS, 14);
    wait_kind(x[0].node, LPF_WAIT_IO, strcmp(wrong, "sum") ? 6 : 7);
    if (!strcmp(wrong, "order"))
        wait_kind(x[0].node, LPF_WAIT_IO, 1);
    wait_kind(x[0].node, LPF_WAIT_CPU, 30);
    wait_kind(x[2].node, LPF_WAIT_SLEEP, 15);
    wait_kind(strcmp(wrong, "node") ? x[4].node : 4711, LPF_WAIT_FUTEX, 5);
    add(LPF_SWITCHES, &s, sizeof s);
}

void whatif(void)
{
    paths();
    candidate("sort", 3, 0);
    candidate("ns::leaf<int>(char)", 0, 17);
    candidate("gone", 0, 0);
    term(0, 4, 1);
    scenario(1, 0, 900000000, 200000000);
    term(1, 3, 2);
    scenario(1, 0, 950000000, 250000000);
    term(0, 4, 1);
    term(1, 3, 2);
    scenario(2, 0, 850000000, 125000000);
    term(0, 1, 0);
    scenario(1, LPF_SCENARIO_LIMIT, 800000000, 0);
}

void whatif_few(void)
{
    whatif();
    ((struct lpf_candidate *)FIRST(LPF_CANDIDATES))[1].samples = 15;
}

/* One function of tasks of two sites: so many samples each, of 1 ms, all on the critical path. */
void halves(unsigned first, unsigned second)
{
    static const char *const constructs[] = { "parallel_for", "task_group" };
    const unsigned hits[] = { first, second };
    struct lpf_totals *t = totals("tsc", program);
    t->work_cost = t->span_cost = t->burdened_len_cost = (first + second) * 1000000;
    t->root_work_cost = t->root_span_cost = 0;
    t->tasks = t->spawns = 2;
    t->sample_period_ns = 1000000;
    t->samples = first + second;
    module(0x400000, 0x500000, program, 0);
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0);
    for (int i = 0; i < 2; i++) {
        uint64_t cost = hits[i] * 1000000;
        uint32_t boundary = node(node(root, LPF_NODE_FRAME, 0x401001 + 0x100 * i), LPF_NODE_TASK,
                                 0);
        context(LPF_NONE, site(constructs[i], 0, 0x401000 + 0x100 * i), 1, cost, cost, cost)
            ->node = boundary;
        sample(node(boundary, LPF_NODE_LEAF, 0x402000), hits[i], 0, hits[i]);
    }
}

/* 1000 of work and span: 300 in f below g, 700 in h below both and both again. */
void recursion(void)
{
    struct lpf_totals *t = totals("virtual", "/nowhere/app");
    t->work_cost = t->span_cost = t->burdened_len_cost = t->root_work_cost = t->root_span_cost =
        1000;
    module(0x400000, 0x500000, "/nowhere/app", 0);
    uint32_t at = node(node(LPF_NONE, LPF_NODE_ROOT, 0), LPF_NODE_FRAME, 0x401001);
    at = node(node(at, LPF_NODE_FRAME, 0x402001), LPF_NODE_FRAME, 0x403001);
    uint32_t again = node(node(at, LPF_NODE_FRAME, 0x402001), LPF_NODE_FRAME, 0x403001);
    sample(node(again, LPF_NODE_LEAF, 0x404000), 7, 0, 7);
    sample(node(at, LPF_NODE_LEAF, 0x402000), 3, 0, 3);
}

/* 5,000,003 of work and 1,000,003 of span in thirds of a ns, so that each path has a fraction. */
void scaled(void)
{
    paths();
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    t->ns_num = 1;
    t->ns_den = 3;
    t->root_work_cost = t->work_cost = 5000003;
    t->root_span_cost = t->span_cost = 1000003;
    for (int i = 0; i < 3; i++) {
        t->root_work_cost -= c[i].work_local_cost = 1000001 + i;
        t->root_span_cost -= c[i].span_local_cost = 200001 + i;
    }
    t->search_ns = 7;
    t->sleep_ns = 4;
    ((struct lpf_sample *)FIRST(LPF_SAMPLES))[0].idleness = 12345;
}
