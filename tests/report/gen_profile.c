/* gen_profile.c - writes valid profiles of known content, for tests/report/run.sh.
 *
 *     gen_profile KIND [ARGUMENTS] > FILE
 *
 *   basic        two sites, three contexts, a region, notes: totals that run.sh knows by heart
 *   empty        no tasks, no sites, span 0
 *   big          100000 contexts over 1000 sites
 *   large [PATH BIAS START END CODES N]   N contexts (100000) on call paths, each with two frames,
 *                                         of CODES addresses
 *                (10000) between START and END in a module
 *   hostile      strings with markup, control characters, terminal escapes, invalid UTF-8
 *   bound        a lower bound, two constructs; crashed
 *   counter      clock "instructions" (ns_num 0), short strands
 *   wide         the largest numbers everywhere: sums must not wrap into small ones
 *   longer       entries, header and section table longer than version 1's, an unknown section
 *   paths, deep, flat, steep   call paths: a few known ones; as deep, as wide as there are nodes;
 *                              2000 deep
 *   off-cpu      paths, with off-CPU samples: they split most of the blocked time, the rest was a
 *                wait for a CPU
 *   scaled       paths, of a clock with 3 ticks a ns, and costs that no whole number of ns is
 *   recursion    f calls g calls f calls g
 *   names        hostile, with call paths through its modules
 *   self [PC]    paths, whose program is whoever reads it, from PC on (0x10000)
 *   sites PATH BIAS START END CONSTRUCT=ADDR[,ADDR...] ...   real addresses of a real module
 *   whatif       paths, with three candidates and four scenarios
 *   lines ...    the same arguments: samples at those addresses, the i-th hit i times; 5 more in
 *                code without lines; a context that no sample hit
 *   run F G THREADS [CLOCK [EXE]]   a program of two functions, F and G ms of work, F of span, at
 *                                   1000 samples a ms; as if so many threads had
 *                shared the work; the rest of 2 slots idled while f ran
 *   grain KEY=VALUE...   one site's tasks, which have a length, a number, threads; a ledger: see
 *                        grain()
 *   waits MS N [MS N [MS N]]   run 100 300 2, in which f waited N times, for MS ms in all, to enter
 *                              a critical section, g for a lock, h for its turn
 *   cpu KERNEL [BEFORE START WRITING]   run 60 40 1: the kernel counted so many ms for it, and so
 *                                       many ns were before libprof, its start, its writing
 *   dag SEED TASKS   a random dag of about so many tasks; its work and span are the totals
 *   dag-arcs SEED TASKS   the same with tasks that wait for parts of others
 *   dag-after    three strands of 100, and one of 50 after all of them
 *   dag-circle   the same, and the first after the last
 *   dag-wait     two strands of 100, and one of 10 that is not before 90
 *   dag-wrong    dag-wait, in a profile whose span is all its work
 *   dag-buried   a task waits for a time, goes on on top of what it spawned before, and joins that
 *   bad WHAT     damage with correct checksums: see bad()
 *   STARTED=NS in the environment: when the process started
 *   OMIT=TYPE[,TYPE...]: those sections have no entries
 *   ZERO=BYTE[,BYTE...]: the words of the totals at those offsets are 0
 *   sections FILE   prints "TYPE OFFSET BYTES" of each section of a profile, for truncation
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libprof_format.h"

enum { SECTIONS = 21, MAX_BYTES = 64 << 20 };

/* A section while it is being filled. Index = type - 1. */
static struct filling {
    char *data;
    size_t used, size;
    uint32_t entry;
} sections[SECTIONS];

/* What mode "longer" and mode "bad" change in the layout. */
static uint32_t extra_entry, extra_header, extra_table, flags;
static bool unknown_section;
static void (*spoil)(struct lpf_header *h, struct lpf_section *table);

static void die(const char *why)
{
    fprintf(stderr, "gen_profile: %s\n", why);
    exit(3);
}

static void *add(unsigned type, const void *entry, size_t bytes)
{
    struct filling *s = &sections[type - 1];
    if (s->used + bytes > s->size) {
        s->size = (s->used + bytes) * 2 + 4096;
        s->data = realloc(s->data, s->size);
        if (!s->data)
            die("out of memory");
    }
    memcpy(s->data + s->used, entry, bytes);
    s->used += bytes;
    return s->data + s->used - bytes;
}

static uint32_t string(const char *text)
{
    struct filling *s = &sections[LPF_STRINGS - 1];
    if (!s->used)
        add(LPF_STRINGS, "", 1);
    if (!*text)
        return 0;
    uint32_t at = s->used;
    add(LPF_STRINGS, text, strlen(text) + 1);
    return at;
}

static uint32_t crc32(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    crc = ~crc;
    while (n--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static void emit(void)
{
    static const uint32_t sizes[SECTIONS] = {
        1, sizeof(struct lpf_setting), sizeof(struct lpf_totals), sizeof(struct lpf_module),
        sizeof(struct lpf_site), sizeof(struct lpf_context), sizeof(struct lpf_region),
        sizeof(struct lpf_note), sizeof(struct lpf_thread), sizeof(struct lpf_node),
        sizeof(struct lpf_sample),
        sizeof(struct lpf_candidate), sizeof(struct lpf_scenario), sizeof(struct lpf_term),
        sizeof(struct lpf_dag), sizeof(struct lpf_input), sizeof(struct lpf_dag_op),
        sizeof(struct lpf_dag_arc),
        sizeof(struct lpf_loops), sizeof(struct lpf_spread),
        sizeof(struct lpf_squares),
    };
    char *file = calloc(1, MAX_BYTES);
    struct lpf_section table[SECTIONS + 1];
    struct lpf_header h = { .magic = LPF_MAGIC, .version = LPF_VERSION };
    if (!file)
        die("out of memory");
    memset(table, 0, sizeof table);
    string("");
    h.header_size = sizeof h + extra_header;
    h.section_size = sizeof table[0] + extra_table;
    uint32_t table_count = SECTIONS + unknown_section;
    h.section_count = table_count;
    h.flags = flags;
    uint64_t at = h.header_size + (uint64_t)h.section_count * h.section_size;
    for (unsigned i = 0; i < h.section_count; i++) {
        at = (at + 7) & ~(uint64_t)7;
        if (i == SECTIONS) {
            memcpy(file + at, "of a later version", 18);
            table[i] = (struct lpf_section){ .type = 4711, .entry_size = 9, .offset = at,
                                             .count = 2 };
            table[i].crc = crc32(0, file + at, 18);
            at += 18;
            break;
        }
        uint32_t entry = i ? sizes[i] + extra_entry : 1;
        uint64_t n = sections[i].used / sizes[i];
        if (at + n * entry > MAX_BYTES)
            die("too large");
        for (uint64_t k = 0; k < n; k++) {
            memcpy(file + at + k * entry, sections[i].data + k * sizes[i], sizes[i]);
            memset(file + at + k * entry + sizes[i], 0xee, entry - sizes[i]);
        }
        table[i] = (struct lpf_section){ .type = i + 1, .entry_size = entry, .offset = at,
                                         .count = n };
        table[i].crc = crc32(0, file + at, n * entry);
        at += n * entry;
    }
    h.file_size = at;
    if (spoil)
        spoil(&h, table);
    for (unsigned i = 0; i < table_count; i++)
        memcpy(file + sizeof h + extra_header + i * (sizeof table[0] + extra_table), &table[i],
               sizeof table[0]);
    memcpy(file, &h, sizeof h);
    if (!h.header_crc) {
        uint64_t covered = h.header_size + (uint64_t)h.section_count * h.section_size;
        h.header_crc = crc32(0, file, covered < MAX_BYTES ? covered : MAX_BYTES);
        memcpy(file, &h, sizeof h);
    }
    if (fwrite(file, 1, at, stdout) != at)
        die("write error");
    free(file);
}

/* ---- contents ---- */

static struct lpf_totals *totals(const char *clock, const char *exe)
{
    struct lpf_totals t = {
        .ns_num = 1, .ns_den = 1, .elapsed_ns = 600000000, .cpu_ns = 1100000000,
        .idle_ns = 100000000,
        .own_ns = 5000000, .start_unix_ns = 1700000000000000000u, .workers = 2, .pid = 4242,
        .ppid = 1,
        .exact = 1, .end = LPF_END_EXIT,
    };
    t.clock = string(clock);
    t.exe = string(exe);
    t.cmdline = string(exe);
    return add(LPF_TOTALS, &t, sizeof t);
}

static uint32_t site(const char *construct, uint32_t site_flags, uint64_t address)
{
    struct lpf_site s = { .address = { address }, .runtime = string("tbb"), .flags = site_flags };
    s.construct = string(construct);
    add(LPF_SITES, &s, sizeof s);
    return sections[LPF_SITES - 1].used / sizeof s - 1;
}

/* A context with easy figures: work W, span S, of which ON_SPAN on the critical path. */
static struct lpf_context *context(uint32_t parent, uint32_t site, uint64_t n, uint64_t w,
                                   uint64_t s, uint64_t on_span)
{
    struct lpf_context c = {
        .id = sections[LPF_CONTEXTS - 1].used / sizeof c, .parent = parent, .node = LPF_NONE,
        .site = site,
        .tasks = 2 * n, .invocations = n, .steals = n / 4, .work_local_cost = w,
        .span_local_cost_all = s,
        .top_count = n, .top_work_cost = 2 * w, .top_span_cost = s, .topcaller_count = n / 2,
        .topcaller_work_cost = w, .topcaller_span_cost = s / 2, .on_count = on_span != 0,
        .on_work_local_cost = on_span, .span_local_cost = on_span, .on_top_count = on_span != 0,
        .on_top_work_cost = 2 * on_span, .on_top_span_cost = on_span,
    };
    return add(LPF_CONTEXTS, &c, sizeof c);
}

static void note(uint32_t kind, const char *name, const char *text, uint64_t count)
{
    struct lpf_note n = { .kind = kind, .name = string(name), .count = count };
    n.text = string(text);
    add(LPF_NOTES, &n, sizeof n);
}

static void region(const char *name, uint64_t count, uint64_t work, uint64_t span)
{
    struct lpf_region r = { .name = string(name), .count = count, .work_cost = work,
                            .span_cost = span,
                            .burdened_len_cost = span, .burdened_edges = 2, .max_span_cost = span };
    add(LPF_REGIONS, &r, sizeof r);
}

static void setting(const char *key, const char *value)
{
    struct lpf_setting s = { .key = string(key) };
    s.value = string(value);
    add(LPF_SETTINGS, &s, sizeof s);
}

static const char *program = "/nowhere/app";

/* work 1000 ms = 200 root + 300 + 400 + 100; span 250 ms = 50 root + 120 + 80 + 0;
 * burdened span = 240 ms + 100 x 200 us = 260 ms. */
static void basic(const char *clock)
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
    struct lpf_module m = { .start = 0x400000, .end = 0x500000, .path = string(program) };
    add(LPF_MODULES, &m, sizeof m);
    region("sort", 3, 600000000, 150000000);
    struct lpf_thread th = { .tid = 4242, .busy_ns = 500000000, .work_cost = 1000000000,
                             .tasks = 2000 };
    add(LPF_THREADS, &th, sizeof th);
    setting("PROF_CLOCK", clock);
}

static uint32_t node(uint32_t parent, uint32_t kind, uint64_t address)
{
    struct lpf_node n = { .parent = parent, .kind = kind, .address = address };
    add(LPF_NODES, &n, sizeof n);
    return sections[LPF_NODES - 1].used / sizeof n - 1;
}

static void sample(uint32_t at, uint64_t weight, uint64_t idle, uint64_t on_span)
{
    struct lpf_sample x = { .node = at, .weight = weight, .idleness = idle << 16,
                            .on_span = on_span };
    add(LPF_SAMPLES, &x, sizeof x);
}

/* basic's contexts on call paths: the program's own strand, hit 4 times while a worker idled; a
 * task of the first context, hit 4 times in two functions, on the critical path once and three
 * times; two more below one call, hit never. One more sample hit libprof. Idle: 100 ms of 1200. */
static void paths(void)
{
    basic("tsc");
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
    t->search_ns = 40000000;
    t->sleep_ns = 60000000;
    t->threads_ns = 1200000000;
    t->dispatch_ns = 20000000;
    t->sample_period_ns = 4000000;
    t->samples = 9;
    t->sample_source = string("thread CPU timer");
    struct lpf_module tbb = { .start = 0x700000, .end = 0x710000,
                              .path = string("/nowhere/libtbb.so.12"),
                              .flags = LPF_MODULE_RUNTIME };
    struct lpf_module own = { .start = 0x800000, .end = 0x810000,
                              .path = string("/nowhere/libprof.so"), .flags = LPF_MODULE_LIBPROF };
    add(LPF_MODULES, &tbb, sizeof tbb);
    add(LPF_MODULES, &own, sizeof own);
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
static void late(bool wrong)
{
    paths();
    const struct lpf_sample *x = (void *)sections[LPF_SAMPLES - 1].data;
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

/* All samples hit libprof. */
static void unhit(void)
{
    paths();
    struct lpf_sample *x = (void *)sections[LPF_SAMPLES - 1].data;
    x[0] = x[3];
    sections[LPF_SAMPLES - 1].used = sizeof *x;
    ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->samples = 1;
}

/* 300 ms off the CPU inside strands. 40 off-CPU samples split 200 ms of that: in the first task, in
 * the program's own strand, and at a node without other samples. 60 ms were a wait for a CPU. */
static void off_cpu(void)
{
    paths();
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
    struct lpf_sample *x = (void *)sections[LPF_SAMPLES - 1].data;
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

static void candidate(const char *name, uint64_t regions, uint64_t samples)
{
    struct lpf_candidate c = { .name = string(name), .regions = regions, .samples = samples,
                               .flags = samples ? LPF_CANDIDATE_CODE : 0 };
    add(LPF_CANDIDATES, &c, sizeof c);
}

static void term(uint32_t of, uint32_t num, uint32_t den)
{
    struct lpf_term t = { of, num, den, 0 };
    add(LPF_TERMS, &t, sizeof t);
}

static void scenario(uint32_t terms, uint32_t scenario_flags, uint64_t work, uint64_t span)
{
    struct lpf_scenario s = { sections[LPF_TERMS - 1].used / sizeof(struct lpf_term) - terms, terms,
                              scenario_flags, 0, work, span };
    add(LPF_SCENARIOS, &s, sizeof s);
}

static void whatif(void)
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

/* What a report must survive, and must not pass on: HTML, CSV, terminal, bidi, broken UTF-8. */
static const char evil[] = "<script>alert(1)</script>\"',;\n=cmd|' /C x'!A0"
                           "\033[31m\033]0;title\007\r\b\x7f"
                           "\xff\xfe\xc0\xaf\xe2\x80\xae" "cod.exe \xc2\x9b" "31m";

/* ---- dags ---- */

/* An operation, and what a task does; built as a tree, written level by level. */
struct made {
    struct lpf_dag_op op;
    struct made *first, *next;
};

static uint64_t seed;
static long tasks_left;

static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static struct made *make_op(uint32_t kind, uint32_t scope, uint64_t before)
{
    struct made *m = calloc(1, sizeof *m);
    if (!m)
        die("out of memory");
    m->op.kind = kind;
    m->op.scope = scope;
    m->op.before_cost = before;
    return m;
}

/* A subtree's work and span: a strand, or a thing that could run in parallel. */
static void make_small(uint64_t *work, uint64_t *span)
{
    *span = below(4) ? below(60) : 1;
    *work = *span ? *span + (below(3) ? 0 : below(200)) : 0;
}

/* A task's operations; 0 joins what scope 0 has never: the program's end. */
static void make_task(struct made *t, int depth)
{
    struct made **end = &t->first;
    t->op.tasks = 1;
    for (unsigned n = 1 + below(8); n; n--) {
        uint32_t scope = below(4);
        struct made *m;
        switch (tasks_left > 0 ? below(6) : 4) {
        case 0: case 1:
            m = make_op(LPF_DAG_TASK, scope, below(20));
            tasks_left--;
            if (depth && below(3)) {
                make_task(m, depth - 1);
            } else {
                m->op.tasks = 1;
                make_small(&m->op.work_cost, &m->op.span_cost);
            }
            break;
        case 2: /* by the definition of a bundle: tasks one after another, each after a part of the
                   strand */
            m = make_op(LPF_DAG_BUNDLE, scope, 0);
            m->op.count = m->op.tasks = 1 + below(30);
            tasks_left -= m->op.count;
            for (uint64_t i = 0; i < m->op.count; i++) {
                uint64_t work, span;
                make_small(&work, &span);
                m->op.before_cost += below(10);
                m->op.work_cost += work;
                m->op.spans_cost += span;
                if (!i || m->op.before_cost + span > m->op.span_cost) {
                    m->op.span_cost = m->op.before_cost + span;
                    m->op.first = m->op.before_cost;
                    m->op.after_cost = work;
                }
            }
            break;
        case 3:
            m = make_op(LPF_DAG_BLOCK, 0, below(20));
            m->op.tasks = 1;
            make_small(&m->op.work_cost, &m->op.span_cost);
            break;
        default: m = make_op(LPF_DAG_JOIN, 1 + below(3), below(20));
        }
        *end = m;
        end = &m->next;
        t->op.count++;
    }
    t->op.after_cost = below(20);
}

/* The naive walk: when T, which starts at NOW, has ended, with all below it; its work. */
static uint64_t ends(const struct made *t, uint64_t now, uint64_t *work)
{
    uint64_t scope[4] = { 0 }, last = 0, end;
    for (const struct made *m = t->first; m; m = m->next) {
        const struct lpf_dag_op *o = &m->op;
        uint64_t start = now;
        now += o->before_cost;
        *work += o->before_cost + o->work_cost;
        switch (o->kind) {
        case LPF_DAG_TASK: end = o->count ? ends(m, now, work) : now + o->span_cost; break;
        case LPF_DAG_BUNDLE: end = start + o->span_cost; break;
        case LPF_DAG_BLOCK: end = now += o->span_cost; break;
        default:
            now = o->scope && scope[o->scope] > now ? scope[o->scope] : now;
            scope[o->scope] = end = 0;
        }
        last = end > last ? end : last;
        if (end > scope[o->scope] && o->kind != LPF_DAG_BLOCK)
            scope[o->scope] = end;
    }
    now += t->op.after_cost;
    *work += t->op.after_cost;
    return now > last ? now : last;
}

static void add_dag(struct made *top)
{
    struct made *queue[1 << 16];
    size_t n = 1;
    queue[0] = top;
    for (size_t i = 0; i < n; i++) {
        if (queue[i]->op.kind == LPF_DAG_TASK && queue[i]->op.count)
            queue[i]->op.first = n;
        for (struct made *m = queue[i]->first; m; m = m->next)
            queue[n == sizeof queue / sizeof queue[0] ? die("too many"), 0 : n++] = m;
        add(LPF_DAG_OPS, &queue[i]->op, sizeof queue[i]->op);
    }
    struct lpf_dag d = { .budget_bytes = 1 << 20, .records = n };
    add(LPF_DAG, &d, sizeof d);
    struct lpf_totals *t = totals("virtual", "/nowhere/dag");
    uint64_t work = 0;
    t->span_cost = t->burdened_len_cost = t->root_span_cost = ends(top, 0, &work);
    t->work_cost = t->root_work_cost = work;
    t->spawns = t->tasks = n;
}

static void dag(uint64_t seed_, long tasks)
{
    struct made *top = make_op(LPF_DAG_TASK, 0, 0);
    seed = seed_;
    tasks_left = tasks;
    do {        /* strands that nobody spawned, as many as it takes */
        struct made *root = make_op(LPF_DAG_TASK, 0, 0);
        make_task(root, 8);
        root->next = top->first;
        top->first = root;
        top->op.count++;
    } while (tasks_left > 0);
    add_dag(top);
}

/* T spawns D, is not before 5, joins D, 4; D spawns E, joins it, 3; E is not before 20, 10. */
static void dag_buried(void)
{
    struct made *t = make_op(LPF_DAG_TASK, 0, 0), *d = make_op(LPF_DAG_TASK, 1, 0),
    *e = make_op(LPF_DAG_TASK, 1, 0);
    struct made *top = make_op(LPF_DAG_TASK, 0, 0);
    top->first = t;
    t->first = d;
    d->next = make_op(LPF_DAG_WAIT, 0, 0);
    d->next->op.not_before_cost = 5;
    d->next->next = make_op(LPF_DAG_JOIN, 1, 0);
    d->first = e;
    e->next = make_op(LPF_DAG_JOIN, 1, 0);
    e->first = make_op(LPF_DAG_WAIT, 0, 0);
    e->first->op.not_before_cost = 20;
    top->op.count = e->op.count = 1;
    t->op.count = 3;
    d->op.count = 2;
    t->op.after_cost = 4;
    d->op.after_cost = 3;
    e->op.after_cost = 10;
    add_dag(top);
}

/* Tasks of several strands that wait for parts of those before them: spawned one after another,
 * some of them by nobody. The span is counted here, going through the tasks in their order. */
static void dag_arcs(uint64_t seed_, unsigned tasks)
{
    enum { STRANDS = 6, MOST = 500 };
    static uint64_t at[MOST][STRANDS];  /* when each wait is over */
    static unsigned waits[MOST], first[MOST];
    struct made *top = make_op(LPF_DAG_TASK, 0, 0), *root = make_op(LPF_DAG_TASK, 0, 0),
        **end = &root->first;
    seed = seed_;
    tasks = tasks < MOST ? tasks : MOST;
    top->first = root;
    top->op.count = 1;
    root->op.count = tasks;
    uint64_t now = 0, span = 0;
    for (unsigned i = 0, op = 2 + tasks; i < tasks; op += waits[i++]) {
        struct made *m = *end = make_op(LPF_DAG_TASK, below(2), below(9)), **next = &m->first;
        end = &m->next;
        m->op.tasks = 1;
        m->op.count = waits[i] = 1 + below(STRANDS);
        m->op.after_cost = below(100);
        first[i] = op;
        uint64_t t = now += m->op.before_cost;
        if (!below(3)) {
            struct lpf_dag_arc a = { 0, 2 + i };
            add(LPF_DAG_ARCS, &a, sizeof a);
            t = 0;
        }
        for (unsigned k = 0; k < waits[i]; k++) {
            struct made *w = *next = make_op(LPF_DAG_WAIT, 0, k || below(2) ? below(50) : 0);
            next = &w->next;
            t += w->op.before_cost;
            for (unsigned n = i ? below(3) : 0; n; n--) {
                unsigned j = below(i), from = below(waits[j]);
                struct lpf_dag_arc a = { first[j] + from, first[i] + k };
                add(LPF_DAG_ARCS, &a, sizeof a);
                t = at[j][from] > t ? at[j][from] : t;
            }
            at[i][k] = t;
        }
        t += m->op.after_cost;
        span = t > span ? t : span;
    }
    span = now > span ? now : span;
    add_dag(top);
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    t->span_cost = t->burdened_len_cost = t->root_span_cost = span;
}

/* A, B, C of 100; 50 after all three. CIRCLE: and A after that. */
static void dag_after(bool circle)
{
    struct made *top = make_op(LPF_DAG_TASK, 0, 0), *m, **end = &top->first;
    for (unsigned i = 0; i < 4; i++) {
        *end = m = make_op(LPF_DAG_TASK, 0, 0);
        end = &m->next;
        m->first = make_op(LPF_DAG_WAIT, 0, i < 3 ? 100 : 0);
        m->op.tasks = m->op.count = 1;
        m->op.after_cost = i < 3 ? 0 : 50;
        struct lpf_dag_arc a = { 5 + i, 5 + (i < 3 ? 3 : 0) };
        if (i < 3 || circle)
            add(LPF_DAG_ARCS, &a, sizeof a);
    }
    top->op.count = 4;
    add_dag(top);
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    t->span_cost = t->burdened_len_cost = t->root_span_cost = 150;
}

/* 100 | 100 | 10 from 90 on: 210 of work, a span of 100. */
static void dag_wait(void)
{
    struct made *top = make_op(LPF_DAG_TASK, 0, 0), *m, **end = &top->first;
    for (unsigned i = 0; i < 3; i++) {
        *end = m = make_op(LPF_DAG_TASK, 0, 0);
        end = &m->next;
        m->op.tasks = 1;
        if (i < 2) {
            m->op.work_cost = m->op.span_cost = 100;
        } else {
            m->first = make_op(LPF_DAG_WAIT, 0, 0);
            m->first->op.not_before_cost = 90;
            m->op.count = 1;
            m->op.after_cost = 10;
        }
    }
    top->op.count = 3;
    add_dag(top);
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    t->span_cost = t->burdened_len_cost = t->root_span_cost = 100;
    struct lpf_note n = { .kind = LPF_NOTE_DAG, .name = string(evil), .text = string("x"),
                          .count = 1 };
    add(LPF_NOTES, &n, sizeof n);
}

/* A tree as deep as it has nodes; and one as wide. */
static void deep(uint32_t N, bool wide)
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

static void big(void)
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
static void large(int argc, char **argv)
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
    struct lpf_module m = { .start = start, .end = end, .bias = bias, .path = string(path) };
    add(LPF_MODULES, &m, sizeof m);
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

static void hostile(void)
{
    char *path = malloc(20001);
    struct lpf_totals *t = totals(evil, evil);
    t->work_cost = t->span_cost = 1000;
    t->tasks = t->spawns = 1;
    memset(path, 'A', 20000);
    path[20000] = 0;
    struct lpf_site s = { .address = { 0x400010 } };
    s.runtime = s.construct = string(evil);
    add(LPF_SITES, &s, sizeof s);
    s.address[0] = 0x600010;
    add(LPF_SITES, &s, sizeof s);
    context(LPF_NONE, 0, 1, 1000, 1000, 500);
    context(LPF_NONE, 1, 1, 1000, 1000, 500);
    struct lpf_module m = { .start = 0x400000, .end = 0x500000, .path = string(evil) };
    add(LPF_MODULES, &m, sizeof m);
    m = (struct lpf_module){ .start = 0x600000, .end = 0x700000, .path = string(path) };
    add(LPF_MODULES, &m, sizeof m);
    m = (struct lpf_module){ .start = 0, .end = UINT64_MAX, .bias = UINT64_MAX,
                             .path = string("/dev/zero") };
    add(LPF_MODULES, &m, sizeof m);
    region(evil, 1, 1000, 1000);
    candidate(evil, 1, 1);
    term(0, UINT32_MAX, UINT32_MAX - 1);
    scenario(1, UINT32_MAX, UINT64_MAX, UINT64_MAX);
    note(LPF_NOTE_HINT, evil, evil, 1);
    note(77, "of-a-later-kind", "text", 1);
    setting(evil, evil);
    free(path);
}

/* One context's samples hit the hostile modules; the other's are none, so that its construct is a
 * name, too. */
static void names(void)
{
    hostile();
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
    t->work_cost = 2000;
    /* the first for what a frame's name may not hold (the command prof drops what stands before a
     * blank), the second for what a shell or gnuplot would run */
    ((struct lpf_module *)sections[LPF_MODULES - 1].data)->path =
        string("/nowhere/a\"b';c\n1\r\td\\e=\xff\xc3\xa9\033[1m");
    t->exe = string("/nowhere/it's `touch hurt` \"$(touch hurt)\"\nsystem 'touch hurt'\n");
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0), outer = node(root, LPF_NODE_FRAME, 0x400011);
    c[0].node = node(outer, LPF_NODE_TASK, 0);
    uint32_t inner = node(node(c[0].node, LPF_NODE_FRAME, 0x400021), LPF_NODE_LEAF, 0x600020);
    c[1].node = node(node(inner - 1, LPF_NODE_FRAME, 0x600031), LPF_NODE_TASK, 1);
    sample(inner, 3, 1, 2);
}

/* 1000 of work and span: 300 in f below g, 700 in h below both and both again. */
static void recursion(void)
{
    struct lpf_totals *t = totals("virtual", "/nowhere/app");
    t->work_cost = t->span_cost = t->burdened_len_cost = t->root_work_cost = t->root_span_cost =
        1000;
    struct lpf_module m = { .start = 0x400000, .end = 0x500000, .path = string("/nowhere/app") };
    add(LPF_MODULES, &m, sizeof m);
    uint32_t at = node(node(LPF_NONE, LPF_NODE_ROOT, 0), LPF_NODE_FRAME, 0x401001);
    at = node(node(at, LPF_NODE_FRAME, 0x402001), LPF_NODE_FRAME, 0x403001);
    uint32_t again = node(node(at, LPF_NODE_FRAME, 0x402001), LPF_NODE_FRAME, 0x403001);
    sample(node(again, LPF_NODE_LEAF, 0x404000), 7, 0, 7);
    sample(node(at, LPF_NODE_LEAF, 0x402000), 3, 0, 3);
}

/* 5,000,003 of work and 1,000,003 of span in thirds of a ns, so that each path has a fraction. */
static void scaled(void)
{
    paths();
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
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
    ((struct lpf_sample *)sections[LPF_SAMPLES - 1].data)[0].idleness = 12345;
}

static void wide(void)
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

static void real_sites(int argc, char **argv)
{
    if (argc < 5)
        die("sites PATH BIAS START END CONSTRUCT=ADDRESS...");
    struct lpf_totals *t = totals("tsc", argv[0]);
    struct lpf_module m = { .bias = strtoull(argv[1], 0, 0), .start = strtoull(argv[2], 0, 0),
                            .end = strtoull(argv[3], 0, 0), .path = string(argv[0]) };
    if (getenv("BUILD_ID")) {
        const char *hex = getenv("BUILD_ID");
        for (unsigned v; m.build_id_len < 32 && sscanf(hex, "%2x", &v) == 1; hex += 2)
            m.build_id[m.build_id_len++] = v;
    }
    add(LPF_MODULES, &m, sizeof m);
    t->work_cost = t->span_cost = t->burdened_len_cost = 1000 * (argc - 4);
    t->tasks = t->spawns = argc - 4;
    for (int i = 4; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            die("CONSTRUCT=ADDRESS");
        *value++ = 0;
        struct lpf_site s = { .runtime = string("tbb"), .construct = string(argv[i]) };
        for (int k = 0; k < 4 && *value; k++) {
            s.address[k] = strtoull(value, &value, 0);
            value += *value == ',';
        }
        add(LPF_SITES, &s, sizeof s);
        context(LPF_NONE, i - 4, 1, 1000, 1000, 1000);
    }
}

/* 1000 of work, 100 of span and an idle worker a sample; 777 and 77 are the context's. */
static void lines(int argc, char **argv)
{
    char *copies[64];
    for (int i = 0; i < argc && i < 64; i++)
        copies[i] = strdup(argv[i]);
    real_sites(argc, argv);
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
    uint64_t all = 5;
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0), leaf[64];
    for (int i = 4; i < argc; i++) {
        uint64_t address[4] = { 0 };
        char *value = strchr(copies[i], '=') + 1;
        int n = 0;
        for (; n < 4 && *value; value += *value == ',')
            address[n++] = strtoull(value, &value, 0);
        uint32_t at = root;
        while (--n > 0)
            at = node(at, LPF_NODE_FRAME, address[n]);
        leaf[i - 4] = node(at, LPF_NODE_LEAF, address[0] - 1);
        all += i - 3;
        memset(&c[i - 4].tasks, 0,
               offsetof(struct lpf_context, node) - offsetof(struct lpf_context, tasks));
        c[i - 4].node = LPF_NONE;
    }
    uint32_t nowhere = node(root, LPF_NODE_LEAF, 0x10);
    c[0].node = node(node(root, LPF_NODE_FRAME, 0x21), LPF_NODE_TASK, 0);
    c[0].work_local_cost = 777;
    c[0].span_local_cost = 77;
    c[0].tasks = 3;
    for (int i = 0; i < argc - 4; i++)
        sample(leaf[i], i + 1, i + 1, i + 1);
    sample(nowhere, 5, 5, 5);
    t->root_work_cost = 1000 * all;
    t->root_span_cost = 100 * all;
    t->work_cost = t->root_work_cost + 777;
    t->span_cost = t->root_span_cost + 77;
    t->samples = all;
    t->search_ns = t->threads_ns = 1200000000;
}

static void run(double f, double g, unsigned threads, const char *clock, const char *exe)
{
    struct lpf_totals *t = totals(clock, exe);
    double all = f + g;
    t->work_cost = t->root_work_cost = (uint64_t)(f * 1e6 + 0.5) + (uint64_t)(g * 1e6 + 0.5);
    t->span_cost = t->burdened_len_cost = t->root_span_cost = f * 1e6 + 0.5;
    t->elapsed_ns = all * 1e6 / threads;
    t->workers = threads > 1 ? threads : 1;
    t->threads_ns = t->elapsed_ns * threads;
    t->sleep_ns = f * 1e5;
    t->samples = all * 1000 + 0.5;
    t->sample_period_ns = 1000;
    t->tasks = t->spawns = 100;
    struct lpf_module m = { .start = 0x400000, .end = 0x500000, .path = string(exe) };
    add(LPF_MODULES, &m, sizeof m);
    uint32_t main_ = node(node(LPF_NONE, LPF_NODE_ROOT, 0), LPF_NODE_FRAME, 0x401001);
    uint32_t in_f = node(main_, LPF_NODE_LEAF, 0x402000),
        in_g = node(main_, LPF_NODE_LEAF, 0x403000);
    sample(in_f, f * 1000 + 0.5, 1, f * 1000 + 0.5);
    if (g > 0)
        sample(in_g, g * 1000 + 0.5, 0, 0);
    for (unsigned i = 0; i < threads; i++) {
        struct lpf_thread th = { .tid = i, .work_cost = all * 1e6 / threads,
                                 .kind = i ? LPF_THREAD_WORKER : LPF_THREAD_MAIN };
        add(LPF_THREADS, &th, sizeof th);
    }
}

static void waits(int argc, char **argv)
{
    static const char *const constructs[] = { "critical", "lock", "ordered" };
    run(100, 300, 2, "tsc", "/nowhere/app");
    for (int i = 0; i + 1 < argc && i < 6; i += 2) {
        uint64_t count = strtoull(argv[i + 1], 0, 0), cost = strtod(argv[i], 0) * 1e6 + 0.5;
        uint32_t flags = LPF_SITE_WAIT | (i > 2 ? LPF_SITE_IN_ORDER : 0);
        uint32_t waits_at = site(constructs[i / 2], flags, 0x402010 + 0x1000 * (i / 2));
        struct lpf_context *c = context(LPF_NONE, waits_at, 0, 0, 0, 0);
        c->top_count = c->invocations = count;
        c->top_work_cost = c->work_local_cost = cost;
    }
}

static void cpu(int argc, char **argv)
{
    static const char *const keys[] = { "cpu-before-ns", "cpu-start-ns", "cpu-writing-ns" };
    run(60, 40, 1, "tsc", "/nowhere/app");
    ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->cpu_ns = strtod(argv[0], 0) * 1e6 + 0.5;
    ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->own_ns = 0;
    for (int i = 1; i < argc && i <= 3; i++)
        setting(keys[i - 1], argv[i]);
}

/* ---- what a verdict on grain, or on idleness, rests on ---- */

static const char *given(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

/* One site's tasks below main, which has work of its own before them: app+0x402000 is what the
 * tasks do, app+0x403000 what main does. Times in ms; shares in percent. */
static void grain(int argc, char **argv)
{
#define MS(key, otherwise) ((uint64_t)(strtod(given(argc, argv, key, otherwise), 0) * 1e6 + 0.5))
#define N(key, otherwise) strtoull(given(argc, argv, key, otherwise), 0, 0)
    uint64_t tasks = N("tasks", "100"), on = N("on", "1"), work = MS("work", "1000"),
        span = MS("span", "100");
    uint64_t root = MS("root", "1"), in_runtime = work / 1000000 * N("inside", "0") / 100;
    struct lpf_totals *t = totals("tsc", "/nowhere/app");
    t->workers = N("workers", "2");
    t->elapsed_ns = MS("elapsed", "1000");
    t->threads_ns = t->elapsed_ns * t->workers - MS("absent", "0");
    t->work_cost = root + work;
    t->span_cost = t->burdened_len_cost = root + span;
    t->root_work_cost = t->root_span_cost = root;
    t->burden_cost = MS("burden", "0.003");
    t->burdened_edges = N("edges", "0");
    t->tasks = t->spawns = tasks;
    t->syncs = N("syncs", "1");
    t->dispatch_ns = MS("dispatch", "0");
    t->search_ns = MS("search", "0");
    t->sleep_ns = MS("sleep", "0");
    t->blocked_ns = MS("blocked", "0");
    t->own_ns = MS("own", "0");
    t->sample_source = string(given(argc, argv, "source", "thread CPU timer"));
    t->sample_period_ns = 1000000;
    t->samples = (root + work) / 1000000;
    struct lpf_module app = { .start = 0x400000, .end = 0x500000, .path = string(program) };
    struct lpf_module runtime = { .start = 0x700000, .end = 0x710000,
                                  .path = string("/nowhere/librt.so"),
                                  .flags = LPF_MODULE_RUNTIME };
    add(LPF_MODULES, &app, sizeof app);
    add(LPF_MODULES, &runtime, sizeof runtime);
    uint32_t main_ = node(node(LPF_NONE, LPF_NODE_ROOT, 0), LPF_NODE_FRAME, 0x401001);
    uint32_t boundary = node(main_, LPF_NODE_TASK, 0),
        body = node(boundary, LPF_NODE_FRAME, 0x402001);
    uint32_t called = node(body, LPF_NODE_LEAF, 0x700200),
        serial = node(main_, LPF_NODE_LEAF, 0x403000);
    struct lpf_context *c = context(LPF_NONE,
                                    site(given(argc, argv, "construct", "task_group"),
                                         N("flags", "0"), 0x401000), 0, work, span, span);
    c->node = boundary;
    c->tasks = tasks;
    c->invocations = c->top_count = N("invocations", given(argc, argv, "tasks", "100"));
    c->top_work_cost = work;
    c->on_count = on;
    c->blocked_ns = t->blocked_ns;
    if (strcmp(given(argc, argv, "longest", ""), "")) {
        struct lpf_spread s = { .threads = N("threads", "2"), .longest_cost = MS("longest", "0"),
                                .busiest_tid = 7 };
        s.busiest_work_cost = work / 100 * N("busiest", "50");
        s.busiest_tasks = tasks * N("busiest", "50") / 100;
        add(LPF_SPREAD, &s, sizeof s);
    }
    uint64_t divided = MS("divided", "0"); /* its tasks are chunks of a loop, so long is the path */
    if (divided) {
        struct lpf_loops l = { .span_cost = root + divided,
                               .chunks = tasks,
                               .chunks_divided = tasks,
                               .iterations = 100 * tasks };
        add(LPF_LOOPS, &l, sizeof l);
    }
    if (strcmp(given(argc, argv, "note", ""), ""))
        note(N("note", "1"), "two groups", "why", 1);
    t->exact = !strcmp(given(argc, argv, "note", ""), "");
    /* idleness beside the tasks, or beside main */
    bool beside_main = !strcmp(given(argc, argv, "idle", "tasks"), "main");
    sample(body, work / 1000000 - in_runtime, beside_main ? 0 : 900, span / 1000000);
    sample(called, in_runtime, 0, 0);
    sample(serial, root / 1000000, beside_main ? 900 : 0, root / 1000000);
    if (strcmp(given(argc, argv, "delay", ""), ""))
        setting("run-delay-ns", given(argc, argv, "delay", ""));
    if (strcmp(given(argc, argv, "ready", ""), ""))
        setting("run-delay-idle-ns", given(argc, argv, "ready", ""));
#undef MS
#undef N
}

/* ---- damage that no checksum shows ---- */

static void bad_version(struct lpf_header *h, struct lpf_section *t) { (void)t; h->version = 2; }
static void bad_count(struct lpf_header *h, struct lpf_section *t) { (void)h;
t[5].count = UINT64_MAX / 2; }
static void bad_count_wrap(struct lpf_header *h, struct lpf_section *t) { (void)h;
t[5].count = UINT64_MAX / 176 + 2; }
static void bad_offset(struct lpf_header *h, struct lpf_section *t) { (void)h;
t[5].offset = UINT64_MAX - 7; }
static void bad_align(struct lpf_header *h, struct lpf_section *t) { (void)h; t[5].offset += 4; }
static void bad_overlap(struct lpf_header *h, struct lpf_section *t) { (void)h; t[6] = t[5];
t[6].type = 7; }
static void bad_twice(struct lpf_header *h, struct lpf_section *t) { (void)h;
t[7].type = LPF_REGIONS; }
static void bad_entry(struct lpf_header *h, struct lpf_section *t)
{
    (void)h;
    t[5].entry_size = 8;
    t[5].count *= sizeof(struct lpf_context) / 8;
}
static void bad_zero_entry(struct lpf_header *h, struct lpf_section *t) { (void)h;
t[5].entry_size = 0; }
static void bad_totals(struct lpf_header *h, struct lpf_section *t) { (void)h; t[2].type = 99; }
static void bad_strings(struct lpf_header *h, struct lpf_section *t) { (void)h; t[0].type = 99; }
static void bad_sections(struct lpf_header *h, struct lpf_section *t) { (void)t;
h->section_count = 65; }
static void bad_header(struct lpf_header *h, struct lpf_section *t) { (void)t;
h->header_size = 0xffffffffu; }
static void bad_table(struct lpf_header *h, struct lpf_section *t) { (void)t;
h->section_size = 0xffffffffu; }
static void bad_size(struct lpf_header *h, struct lpf_section *t) { (void)t;
h->file_size = UINT64_MAX; }
static void bad_crc(struct lpf_header *h, struct lpf_section *t) { (void)t; h->header_crc = 1; }

static int bad(const char *what)
{
    static const struct { const char *name;
    void (*spoil)(struct lpf_header *, struct lpf_section *); } kinds[] = {
        { "version", bad_version }, { "count", bad_count }, { "count-wrap", bad_count_wrap },
        { "offset", bad_offset },
        { "align", bad_align }, { "overlap", bad_overlap }, { "twice", bad_twice },
        { "entry", bad_entry },
        { "zero-entry", bad_zero_entry }, { "totals", bad_totals }, { "strings", bad_strings },
        { "sections", bad_sections }, { "header", bad_header }, { "table", bad_table },
        { "size", bad_size },
        { "crc", bad_crc },
    };
    if (!strncmp(what, "whatif-", 7))
        whatif();
    else if (!strncmp(what, "dag-arc-", 8))
        dag_after(false);
    else if (!strncmp(what, "dag-", 4))
        dag(1, 200);
    else if (strncmp(what, "node-", 5))
        basic("tsc");
    struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
    struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
    struct lpf_site *s = (void *)sections[LPF_SITES - 1].data;
    struct lpf_module *m = (void *)sections[LPF_MODULES - 1].data;
    struct lpf_region *r = (void *)sections[LPF_REGIONS - 1].data;
    struct filling *text = &sections[LPF_STRINGS - 1];
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(what, kinds[i].name)) {
            spoil = kinds[i].spoil;
            return 0;
        }
    if (!strcmp(what, "exe"))
        t->exe = 0xffffffffu;
    else if (!strncmp(what, "node-", 5)) {
        paths();
        struct lpf_node *n = (void *)sections[LPF_NODES - 1].data;
        struct lpf_sample *x = (void *)sections[LPF_SAMPLES - 1].data;
        c = (void *)sections[LPF_CONTEXTS - 1].data;
        if (!strcmp(what, "node-parent"))
            n[4].parent = 4;
        else if (!strcmp(what, "node-root"))
            n[0].kind = LPF_NODE_FRAME;
        else if (!strcmp(what, "node-two-roots"))
            n[2].kind = LPF_NODE_ROOT;
        else if (!strcmp(what, "node-kind"))
            n[2].kind = 77;
        else if (!strcmp(what, "node-sample"))
            x[3].node = 4711;
        else if (!strcmp(what, "node-order"))
            x[2].node = x[1].node;
        else if (!strcmp(what, "node-context"))
            c[1].node = 4;
        else
            return -1;
    } else if (!strncmp(what, "dag-arc-", 8)) {
        struct lpf_dag_arc *a = (void *)sections[LPF_DAG_ARCS - 1].data;
        if (!strcmp(what, "dag-arc-from"))
            a->from = 9;
        else if (!strcmp(what, "dag-arc-to"))
            a->to = UINT32_MAX;
        else if (!strcmp(what, "dag-arc-task"))
            a->to = 1;
        else if (!strcmp(what, "dag-arc-top"))
            *a = (struct lpf_dag_arc){ 0, 0 };
        else if (!strcmp(what, "dag-arc-start"))
            a->from = 0;
        else if (!strcmp(what, "dag-arc-alone"))
            sections[LPF_DAG - 1].used = sections[LPF_DAG_OPS - 1].used = 0;
        else
            return -1;
    } else if (!strncmp(what, "dag-", 4)) {
        struct lpf_dag_op *o = (void *)sections[LPF_DAG_OPS - 1].data, *b = o;
        while (b->kind != LPF_DAG_BUNDLE)
            b++;
        if (!strcmp(what, "dag-loop"))
            o[1].first = 1;
        else if (!strcmp(what, "dag-shared"))
            o[1].first--;
        else if (!strcmp(what, "dag-beyond"))
            o[0].count = UINT64_MAX;
        else if (!strcmp(what, "dag-orphan"))
            o[0].count--;
        else if (!strcmp(what, "dag-kind"))
            o[1].kind = 5;
        else if (!strcmp(what, "dag-top"))
            o[0].kind = LPF_DAG_JOIN;
        else if (!strcmp(what, "dag-cost"))
            b->work_cost = UINT64_MAX;
        else if (!strcmp(what, "dag-span"))
            b->span_cost = b->before_cost + b->work_cost + 1;
        else if (!strcmp(what, "dag-none"))
            b->count = 0;
        else if (!strcmp(what, "dag-many"))
            b->count = UINT64_MAX / 2;
        else if (!strcmp(what, "dag-headless"))
            sections[LPF_DAG - 1].used = 0;
        else if (!strcmp(what, "dag-empty"))
            sections[LPF_DAG_OPS - 1].used = 0;
        else
            return -1;
    } else if (!strncmp(what, "whatif-", 7)) {
        struct lpf_candidate *x = (void *)sections[LPF_CANDIDATES - 1].data;
        struct lpf_scenario *y = (void *)sections[LPF_SCENARIOS - 1].data;
        struct lpf_term *z = (void *)sections[LPF_TERMS - 1].data;
        if (!strcmp(what, "whatif-name"))
            x[2].name = 0x7fffffff;
        else if (!strcmp(what, "whatif-candidate"))
            z[1].candidate = 3;
        else if (!strcmp(what, "whatif-factor"))
            z[0].num = 0;
        else if (!strcmp(what, "whatif-terms"))
            y[2].terms = 4;
        else if (!strcmp(what, "whatif-first"))
            y[1].first_term = 0xffffffffu;
        else if (!strcmp(what, "whatif-none"))
            y[1].terms = 0;
        else
            return -1;
    } else if (!strcmp(what, "string-edge"))
        t->cmdline = text->used;
    else if (!strcmp(what, "site"))
        c[1].site = 2;
    else if (!strcmp(what, "parent"))
        c[1].parent = 3;
    else if (!strcmp(what, "id"))
        c[1].id = 2;
    else if (!strcmp(what, "construct"))
        s[1].construct = 0x7fffffff;
    else if (!strcmp(what, "build-id"))
        m[0].build_id_len = 33;
    else if (!strcmp(what, "region"))
        r[0].name = 0x7fffffff;
    else if (!strcmp(what, "ns-den"))
        t->ns_den = 0;
    else if (!strcmp(what, "unterminated"))
        text->data[text->used - 1] = 'x';
    else
        return -1;
    return 0;
}

static void omit(const char *types)
{
    for (char *end; types && *types; types = *end ? end + 1 : end) {
        unsigned long type = strtoul(types, &end, 10);
        if (end == types || !type || type > SECTIONS || (*end && *end != ','))
            die("OMIT: section types, separated by commas");
        sections[type - 1].used = 0;
    }
}

static void zero(const char *offsets)
{
    for (char *end; offsets && *offsets; offsets = *end ? end + 1 : end) {
        unsigned long at = strtoul(offsets, &end, 10);
        if (end == offsets || at % 8 || at + 8 > sections[LPF_TOTALS - 1].used ||
            (*end && *end != ','))
            die("ZERO: offsets of words in the totals, separated by commas");
        memset(sections[LPF_TOTALS - 1].data + at, 0, 8);
    }
}

static int print_sections(const char *path)
{
    struct lpf_header h;
    struct lpf_section s;
    FILE *f = fopen(path, "rb");
    if (!f || fread(&h, sizeof h, 1, f) != 1)
        die("cannot read the profile");
    printf("header 0 %u\n", h.header_size);
    for (uint32_t i = 0; i < h.section_count && fread(&s, sizeof s, 1, f) == 1; i++)
        printf("%u %llu %llu\n", s.type, (unsigned long long)s.offset,
               (unsigned long long)(s.count * s.entry_size));
    fclose(f);
    return 0;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (!strcmp(kind, "sections") && argc == 3)
        return print_sections(argv[2]);
    if (!strcmp(kind, "basic")) {
        basic("tsc");
        note(LPF_NOTE_HINT, "hint-name", "a hint", 3);
    } else if (!strcmp(kind, "empty")) {
        totals("tsc", "/nowhere/empty");
    } else if (!strcmp(kind, "big")) {
        big();
    } else if (!strcmp(kind, "large")) {
        large(argc - 2, argv + 2);
    } else if (!strcmp(kind, "hostile")) {
        hostile();
    } else if (!strcmp(kind, "bound")) {
        basic("tsc");
        ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->exact = 0;
        ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->end = LPF_END_SIGNAL;
        ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->exit_status = 11;
        ((struct lpf_site *)sections[LPF_SITES - 1].data)->flags = LPF_SITE_LOWER_BOUND;
        note(LPF_NOTE_LOWER_BOUND, "parallel_pipeline", "serial filters", 7);
        note(LPF_NOTE_LOWER_BOUND, "flow_graph", "continue_node", 2);
        note(LPF_NOTE_LOSS, "memory", "events dropped", 5);
        flags = LPF_F_CRASHED;
    } else if (!strcmp(kind, "counter")) {
        basic("instructions");
        struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
        t->ns_num = 0;
        t->spawns = 20000000;
        t->burden_source = LPF_BURDEN_DEFAULT;
        t->steals = t->burden_steals = 0;
    } else if (!strcmp(kind, "whatif")) {
        whatif();
    } else if (!strcmp(kind, "dag") && argc == 4) {
        dag(strtoull(argv[2], 0, 10), strtol(argv[3], 0, 10));
    } else if (!strcmp(kind, "dag-arcs") && argc == 4) {
        dag_arcs(strtoull(argv[2], 0, 10), strtoul(argv[3], 0, 10));
    } else if (!strcmp(kind, "dag-after") || !strcmp(kind, "dag-circle")) {
        dag_after(kind[4] == 'c');
    } else if (!strcmp(kind, "dag-buried")) {
        dag_buried();
    } else if (!strcmp(kind, "dag-wait") || !strcmp(kind, "dag-wrong")) {
        dag_wait();
        if (kind[5] == 'r')
            ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->span_cost = 210;
    } else if (!strcmp(kind, "wide")) {
        wide();
    } else if (!strcmp(kind, "late") || !strcmp(kind, "late-wrong")) {
        late(kind[4] == '-');
    } else if (!strcmp(kind, "unhit")) {
        unhit();
    } else if (!strcmp(kind, "own-share")) {
        paths();                /* in the first task, SAMPLES in libprof; in the second, 3 of 4 */
        struct lpf_context *c = (void *)sections[LPF_CONTEXTS - 1].data;
        sample(node(c[0].node, LPF_NODE_LEAF, 0x800020), strtoul(argv[2], 0, 10), 0, 0);
        sample(node(c[1].node, LPF_NODE_LEAF, 0x800030), 3, 0, 0);
        sample(node(c[1].node, LPF_NODE_LEAF, 0x402000), 1, 0, 0);
    } else if (!strcmp(kind, "paths")) {
        paths();
        if (argc >= 4) {        /* ms of work and span of the program's own strand */
            struct lpf_totals *t = (void *)sections[LPF_TOTALS - 1].data;
            uint64_t work = strtoul(argv[2], 0, 10) * 1000000,
                span = strtoul(argv[3], 0, 10) * 1000000;
            t->work_cost += work - t->root_work_cost;
            t->span_cost += span - t->root_span_cost;
            t->root_work_cost = work;
            t->root_span_cost = span;
        }
    } else if (!strcmp(kind, "self")) {
        program = "/proc/self/exe";
        paths();
        /* somewhere in its code */
        ((struct lpf_module *)sections[LPF_MODULES - 1].data)->bias = 0x401000 -
            strtoull(argc > 2 ? argv[2] : "0x10000", 0, 0);
    } else if (!strcmp(kind, "off-cpu")) {
        off_cpu();
    } else if (!strcmp(kind, "scaled")) {
        scaled();
    } else if (!strcmp(kind, "recursion")) {
        recursion();
    } else if (!strcmp(kind, "names")) {
        names();
    } else if (!strcmp(kind, "deep") || !strcmp(kind, "flat")) {
        deep(*kind == 'f' ? 100000 : 20000, *kind == 'f');
    } else if (!strcmp(kind, "steep")) {
        deep(2000, false);
    } else if (!strcmp(kind, "longer")) {
        basic("tsc");
        extra_entry = 8;
        extra_header = 24;
        extra_table = 16;
        unknown_section = true;
    } else if (!strcmp(kind, "sites")) {
        real_sites(argc - 2, argv + 2);
    } else if (!strcmp(kind, "lines") && argc > 6 && argc < 64) {
        lines(argc - 2, argv + 2);
    } else if (!strcmp(kind, "run") && argc >= 5) {
        run(strtod(argv[2], 0), strtod(argv[3], 0), atoi(argv[4]), argc > 5 ? argv[5] : "tsc",
            argc > 6 ? argv[6] : "/nowhere/app");
    } else if (!strcmp(kind, "grain")) {
        grain(argc - 2, argv + 2);
    } else if (!strcmp(kind, "waits") && argc >= 4) {
        waits(argc - 2, argv + 2);
    } else if (!strcmp(kind, "cpu") && argc >= 3) {
        cpu(argc - 2, argv + 2);
    } else if (!strcmp(kind, "bad") && argc == 3) {
        if (bad(argv[2]))
            die("no such damage");
    } else {
        die("which kind?");
    }
    if (getenv("STARTED"))
        ((struct lpf_totals *)sections[LPF_TOTALS - 1].data)->start_unix_ns =
            strtoull(getenv("STARTED"), 0, 0);
    omit(getenv("OMIT"));
    zero(getenv("ZERO"));
    emit();
    return 0;
}
