/* sizes.c - profiles that are large in some way: many contexts, deep or wide trees, numbers that
 * nearly overflow, entries longer than this version's. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

/* A tree as deep as it has nodes; and one as wide. */
void deep(uint32_t N, bool wide)
{
    struct lpf_totals *t = totals("virtual", "/nowhere/deep");
    t->work_cost = t->span_cost = t->burdened_len_cost = t->root_work_cost = t->root_span_cost =
        1000003;
    node(LPF_NONE, LPF_NODE_ROOT, 0);
    for (uint32_t i = 1; i < N; i++)
        node(wide ? 0 : i - 1, LPF_NODE_FRAME, 0x400000 + i);
    for (uint32_t i = 1; i < N; i += 3)
        sample(i, 1 + i % 7, i % 2, i % 3);
}

void big(void)
{
    struct lpf_totals *t = totals("virtual", "/nowhere/big");
    enum { N = 100000, M = 1000 };
    t->work_cost = t->span_cost = t->burdened_len_cost = N;
    t->tasks = t->spawns = N;
    for (unsigned i = 0; i < M; i++)
        site("task_group", 0, 0x400000 + 16 * i);
    for (unsigned i = 0; i < N; i++)
        context(i ? (i - 1) / 2 : LPF_NONE, i % M, 1, 1, 1, 1);
}

static uint64_t mixed(uint64_t v)
{
    v = (v ^ v >> 31) * 0x9e3779b97f4a7c15u;
    return v ^ v >> 29;
}

/* A tree of tasks, each of which spawns seven more; every third was hit by a sample. */
void large(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "/nowhere/large";
    uint64_t number[] = { 0, 0x400000, 0x500000, 10000, 100000 };
    for (int i = 1; i < argc && i <= 5; i++)
        number[i - 1] = strtoull(argv[i], 0, 0);
    uint64_t bias = number[0], start = number[1], end = number[2], codes = number[3], N = number[4];
    struct lpf_totals *t = totals("virtual", path);
    enum { M = 1000 };
    if (end <= start || !codes || !N || N > 10000000)
        die("large PATH BIAS START END CODES N");
    t->tasks = t->spawns = N;
    t->sample_source = string("thread CPU timer");
    t->sample_period_ns = 4000000;
    t->search_ns = t->idle_ns;
    t->blocked_ns = 1000 * N;
#define CODE(i) (start + mixed(mixed(i) % codes) % (end - start))
    for (unsigned i = 0; i < M; i++)
        site("task_group", 0, CODE(i));
    module(start, end, path, 0)->bias = bias;
    uint32_t *task = calloc(N, sizeof *task), root = node(LPF_NONE, LPF_NODE_ROOT, 0);
    uint64_t work = 0, span = 0, samples = 0;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t parent = i ? (i - 1) / 7 : LPF_NONE, above = i ? task[parent] : root;
        uint64_t w = 1 + mixed(i) % 1000, s = i % 5 ? 0 : 1 + mixed(i) % 100;
        task[i] = node(node(above, LPF_NODE_FRAME, CODE(i)), LPF_NODE_TASK, i);
        struct lpf_context *c = context(parent, i % M, 1, w, w, s);
        c->node = task[i];
        c->blocked_ns = i % 11 ? 0 : 1000;
        work += w;
        span += s;
        if (i % 3)
            continue;
        sample(node(task[i], LPF_NODE_LEAF, CODE(i / 3)), 1 + i % 7, i % 2, i % 5 == 0);
        samples += 1 + i % 7;
    }
    t->work_cost = work;
    t->span_cost = t->burdened_len_cost = span;
    t->samples = samples;
    free(task);
}

void wide(void)
{
    struct lpf_totals *t = totals("tsc", "/nowhere/wide");
    uint32_t clock = t->clock, exe = t->exe, cmdline = t->cmdline;
    memset(t, 0xff, sizeof *t);
    t->clock = clock, t->exe = exe, t->cmdline = cmdline, t->sample_source = clock;
    t->ns_den = 1;
    uint32_t a = site("parallel_for", 0xffffffffu, UINT64_MAX);
    for (int i = 0; i < 3; i++) {
        struct lpf_context *c = context(LPF_NONE, a, 1, 1, 1, 1);
        memset(&c->tasks, 0xff, sizeof *c - offsetof(struct lpf_context, tasks));
    }
    region("wide", UINT64_MAX, UINT64_MAX, UINT64_MAX);
    note(0xffffffffu, "wide", "wide", UINT64_MAX);
}
