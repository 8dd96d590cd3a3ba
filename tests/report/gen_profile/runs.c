/* runs.c - runs whose figures the caller gives: addresses of a real module, the lines they hit, two
 * functions, tasks of one site. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

void real_sites(int argc, char **argv)
{
    if (argc < 5)
        die("sites PATH BIAS START END CONSTRUCT=ADDRESS...");
    struct lpf_totals *t = totals("tsc", argv[0]);
    struct lpf_module *m = module(strtoull(argv[2], 0, 0), strtoull(argv[3], 0, 0), argv[0], 0);
    m->bias = strtoull(argv[1], 0, 0);
    if (getenv("BUILD_ID")) {
        const char *hex = getenv("BUILD_ID");
        for (unsigned v; m->build_id_len < 32 && sscanf(hex, "%2x", &v) == 1; hex += 2)
            m->build_id[m->build_id_len++] = v;
    }
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
void lines(int argc, char **argv)
{
    char *copies[64];
    for (int i = 0; i < argc && i < 64; i++)
        copies[i] = strdup(argv[i]);
    real_sites(argc, argv);
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
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

void run(double f, double g, unsigned threads, const char *clock, const char *exe)
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
    module(0x400000, 0x500000, exe, 0);
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

/* A barrier in G, of WAIT ms and ten waits. FOR: "RANK MS RANK MS ...", which ranks they were for,
 * one wait each. */
static void barrier(const char *for_, double wait)
{
    uint32_t place = site("MPI_Barrier", LPF_SITE_WAIT | LPF_SITE_COLLECTIVE, 0x403010);
    struct lpf_context *c = context(LPF_NONE, place, 0, 0, 0, 0);
    struct lpf_awaited e = { .context = c->id, .count = 1 };
    double ms;
    int n;
    c->top_count = c->invocations = wait > 0 ? 10 : 0;
    c->top_work_cost = c->work_local_cost = wait * 1e6;
    for (; sscanf(for_, "%u %lf%n", &e.rank, &ms, &n) == 2; for_ += n) {
        e.wait_cost = ms * 1e6;
        add(LPF_AWAITED, &e, sizeof e);
    }
}

/* A rank of an MPI job. In ms: F and G, two functions; F alone is on the path, which the job's span
 * has more parts of; WAIT at collectives. G's samples hit LEAVES instructions alike. WORKERS: its
 * slots. */
void rank(int argc, char **argv)
{
    double f = strtod(argv[2], 0), g = strtod(argv[3], 0), wait = strtod(argv[4], 0),
           span = strtod(argv[5], 0);
    unsigned leaves = argc > 6 ? strtoul(argv[6], 0, 10) : 1,
             workers = argc > 7 ? strtoul(argv[7], 0, 10) : 1;
    run(f, g, 1, "tsc", "/nowhere/app");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_sample *in_g = (struct lpf_sample *)FIRST(LPF_SAMPLES) + 1;
    for (unsigned i = 1; g > 0 && i < leaves; i++) {
        sample(node(1, LPF_NODE_LEAF, 0x403000 + 4 * i), g * 1000 / leaves, 0, 0);
        in_g = (struct lpf_sample *)FIRST(LPF_SAMPLES) + 1;
        in_g->weight -= g * 1000 / leaves;
    }
    context(LPF_NONE, site("other ranks", LPF_SITE_ELSEWHERE, 0), 0, 0, 0, (span - f) * 1e6);
    t->span_cost = t->burdened_len_cost = span * 1e6;
    t->elapsed_ns = t->threads_ns = (f + g + wait) * 1e6;
    t->sleep_ns = wait * 1e6;
    double blocked = getenv("BLOCKED") ? strtod(getenv("BLOCKED"), 0) * 1e6 : 0;
    t->blocked_ns = blocked;
    t->elapsed_ns = t->threads_ns += blocked;
    double ends = getenv("ENDS") ? strtod(getenv("ENDS"), 0) * 1e6 : 0;
    if (ends > 0) {             /* in MPI_Init, or ENDS_IN */
        const char *in = getenv("ENDS_IN") ? getenv("ENDS_IN") : "MPI_Init";
        uint32_t init = site(in, LPF_SITE_WAIT | LPF_SITE_TRANSFER, 0x402020);
        struct lpf_context *c = context(LPF_NONE, init, 0, 0, 0, 0);
        c->top_count = c->invocations = 1;
        c->top_work_cost = c->work_local_cost = ends;
        t = FIRST(LPF_TOTALS);
        t->elapsed_ns = t->threads_ns += ends;
        t->dispatch_ns += ends;
    }
    if (getenv("AWAITED"))
        barrier(getenv("AWAITED"), wait);
    t = FIRST(LPF_TOTALS);
    if (getenv("IDLE")) {       /* all but one of the workers, for so long */
        t->sleep_ns += (workers - 1) * strtod(getenv("IDLE"), 0) * 1e6;
        t->threads_ns *= workers;
    }
    struct lpf_rank r = {
        .rank = strtoul(argv[0], 0, 10), .size = strtoul(argv[1], 0, 10),
        .flags = LPF_RANK_JOINED | LPF_RANK_FINISHED, .host = string("node"),
        .job_span_cost = span * 1e6, .work_cost = (f + g) * 1e6, .on_path_cost = f * 1e6,
        .threads_ns = t->threads_ns, .calls = 1, .collective_ns = wait * 1e6,
        .samples = t->samples, .workers = t->workers = workers, .transfer_ns = ends,
    };
    if (getenv("LATE_RECEIVER")) {      /* of WAIT, not for a collective */
        r.late_receiver_ns = strtod(getenv("LATE_RECEIVER"), 0) * 1e6;
        r.collective_ns -= r.late_receiver_ns;
    }
    if (getenv("JOB_SPAN"))
        r.job_span_cost = strtod(getenv("JOB_SPAN"), 0) * 1e6;
    add(LPF_RANKS, &r, sizeof r);
    double in_work, elapsed, outside;
    if (getenv("REGION") && sscanf(getenv("REGION"), "%lf %lf %lf", &in_work, &elapsed,
                                   &outside) == 3) {
        struct lpf_region region = { .name = string("solve"), .count = 1,
                                     .work_cost = in_work * 1e6, .span_cost = in_work * 1e6 };
        struct lpf_region_rank in = {
            .ranks = 1, .workers = workers, .work_cost = in_work * 1e6,
            .most_work_cost = in_work * 1e6, .elapsed_ns = elapsed * 1e6,
            .most_elapsed_ns = elapsed * 1e6, .outside_ns = outside * 1e6,
            .most_outside_ns = outside * 1e6,
        };
        add(LPF_REGIONS, &region, sizeof region);
        add(LPF_REGION_RANKS, &in, sizeof in);
    }
    if (getenv("DELAY"))
        setting("run-delay-idle-ns", getenv("DELAY"));
}

void waits(int argc, char **argv)
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

void cpu(int argc, char **argv)
{
    static const char *const keys[] = { "cpu-before-ns", "cpu-start-ns", "cpu-writing-ns" };
    run(60, 40, 1, "tsc", "/nowhere/app");
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->cpu_ns = strtod(argv[0], 0) * 1e6 + 0.5;
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->own_ns = 0;
    for (int i = 1; i < argc && i <= 3; i++)
        setting(keys[i - 1], argv[i]);
}

static const char *given(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

#define MS(key, otherwise) ((uint64_t)(strtod(given(argc, argv, key, otherwise), 0) * 1e6 + 0.5))
#define N(key, otherwise) strtoull(given(argc, argv, key, otherwise), 0, 0)

static void grain_totals(int argc, char **argv)
{
    uint64_t root = MS("root", "1"), beside = MS("beside", "0");
    uint64_t work = MS("work", "1000") + beside + MS("then", "0");
    uint64_t span = MS("span", "100") + beside + MS("then-span", "0");
    struct lpf_totals *t = totals("tsc", "/nowhere/app");
    t->workers = N("workers", "2");
    t->elapsed_ns = MS("elapsed", "1000");
    t->threads_ns = t->elapsed_ns * t->workers - MS("absent", "0") + MS("crowd", "0");
    t->work_cost = root + work;
    t->span_cost = t->burdened_len_cost = root + span;
    t->root_work_cost = t->root_span_cost = root;
    t->burden_cost = MS("burden", "0.003");
    t->burdened_edges = N("edges", "0");
    t->burden_source = N("source-of-burden", "2");
    t->burden_steals = N("stolen", "100");
    t->tasks = N("tasks", "100");
    t->spawns = N("spawns", given(argc, argv, "tasks", "100"));
    t->syncs = N("syncs", "1");
    t->dispatch_ns = MS("dispatch", "0");
    t->search_ns = MS("search", "0");
    t->sleep_ns = MS("sleep", "0");
    t->blocked_ns = MS("blocked", "0") + MS("outside", "0");
    t->own_ns = MS("own", "0");
    t->sample_source = string(given(argc, argv, "source", "thread CPU timer"));
    t->sample_period_ns = 1000000;
    t->samples = (root + work) / 1000000;
    t->exact = !*given(argc, argv, "note", "");
}

static void grain_modules(int argc, char **argv)
{
    module(0x400000, 0x500000, given(argc, argv, "app", program), 0);
    module(0x700000, 0x710000, "/nowhere/librt.so", LPF_MODULE_RUNTIME);
}

/* Of the tasks at BOUNDARY: the context, how it spread over the threads, its loop. */
static void grain_context(uint32_t boundary, int argc, char **argv)
{
    uint64_t tasks = N("tasks", "100"), beside = MS("beside", "0");
    uint64_t work = MS("work", "1000") + beside, span = MS("span", "100") + beside;
    uint32_t at = site(given(argc, argv, "construct", "task_group"), N("flags", "0"), 0x401000);
    ((struct lpf_site *)FIRST(LPF_SITES))[at].runtime =
        string(given(argc, argv, "runtime", "tbb"));
    struct lpf_context *c = context(LPF_NONE, at, 0, work, span, span);
    c->node = boundary;
    c->tasks = tasks;
    c->invocations = c->top_count = N("invocations", given(argc, argv, "tasks", "100"));
    c->top_work_cost = work;
    if (N("recursive", "0"))            /* all of them inside others of the site */
        c->top_count = c->top_work_cost = 0;
    c->on_count = N("on", "1");
    if (*given(argc, argv, "on-work", ""))
        c->on_work_local_cost = MS("on-work", "0");
    c->steals = N("steals", "0");
    c->blocked_ns = MS("blocked", "0");
    if (*given(argc, argv, "longest", "")) {
        struct lpf_spread s = { .threads = N("threads", "2"), .longest_cost = MS("longest", "0"),
                                .busiest_tid = 7 };
        s.busiest_work_cost = work / 100 * N("busiest", "50");
        s.busiest_tasks = tasks * N("busiest", "50") / 100;
        add(LPF_SPREAD, &s, sizeof s);
    }
    uint64_t one = N("one", "0"); /* so many of its executions ran in teams of one */
    if (one) {
        struct lpf_team_of_one o = { .executions = one, .work_cost = MS("of-one", "0") };
        add(LPF_TEAMS_OF_ONE, &o, sizeof o);
    }
    uint64_t divided = MS("divided", "0"); /* its tasks are chunks of a loop, so long is the path */
    if (divided) {
        struct lpf_loops l = { .span_cost = MS("root", "1") + divided, .chunks = tasks,
                               .chunks_divided = tasks, .iterations = 100 * tasks };
        add(LPF_LOOPS, &l, sizeof l);
        if (*given(argc, argv, "grain", "")) /* the program chose the size of so many */
            chunks(0, tasks - N("grain", "0"), N("grain", "0"),
                   N("sized", "0") ? LPF_CHUNKS_SIZED : 0); /* and of the others */
    }
    uint64_t handed = N("handed", "0"); /* so many are chunks of one iteration each */
    if (handed) {
        struct lpf_loops l = { .span_cost = MS("root", "1") + span, .chunks = handed,
                               .iterations = handed };
        add(LPF_LOOPS, &l, sizeof l);
        struct lpf_handed h = { .chunks = handed, .work_cost = MS("handed-work", "0"),
                                .longest_cost = MS("handed-longest", "0") };
        if (h.work_cost)        /* older profiles do not state that */
            add(LPF_HANDED, &h, sizeof h);
    }
    /* if none of its strands took far longer than its like, of which OUTLIERS did; 0: it has no
     * outliers */
    if (*given(argc, argv, "typical", ""))
        typical(MS("root", "1") + (MS("typical", "0") ? MS("typical", "0") : span),
                N("outliers", "0"));
}

/* libc, a shared object PATH that has the functions in question at the addresses that the caller
 * gives: YIELD is where YIELDED samples hit, and LOCK, below CONDITION if it is given, is where the
 * off-CPU samples WAITED found the tasks. Returns that node. */
static uint32_t grain_libc(uint32_t body, int argc, char **argv)
{
    const char *path = given(argc, argv, "libc", "");
    uint32_t at = body;
    if (!*path)
        return node(body, LPF_NODE_LEAF, 0x404000);
    module(0x800000, 0x810000, path, 0)->bias = 0x800000;
    if (N("yielded", "0"))
        sample(node(body, LPF_NODE_LEAF, 0x800000 + N("yield", "0")), N("yielded", "0"), 0, 0);
    if (N("condition", "0"))
        at = node(at, LPF_NODE_FRAME, 0x800001 + N("condition", "0"));
    return node(at, LPF_NODE_LEAF, 0x800000 + N("lock", "0"));
}

/* The strands at BODY waited so long, if they did. */
static void grain_wait(uint32_t body, const char *construct, uint32_t flags, uint64_t cost)
{
    if (!cost)
        return;
    uint32_t at = site(construct, LPF_SITE_WAIT | flags, 0x402010);
    struct lpf_context *c = context(LPF_NONE, at, 0, 0, 0, 0);
    c->node = node(body, LPF_NODE_TASK, 0);
    c->top_count = c->invocations = 10;
    c->top_work_cost = cost;
}

/* If THEN is given, three tasks of another site, which no sample hit, follow. Returns their
 * boundary. */
static uint32_t grain_then(uint32_t main_, int argc, char **argv)
{
    uint64_t work = MS("then", "0"), span = MS("then-span", "0");
    if (!work)
        return 0;
    uint32_t at = site(given(argc, argv, "then-construct", "task_group"), 0, 0x401800);
    struct lpf_context *c = context(LPF_NONE, at, 0, work, span, span);
    c->node = node(main_, LPF_NODE_TASK, 1);
    c->tasks = 3;
    c->invocations = c->top_count = c->on_count = 1;
    c->top_work_cost = work;
    return c->node;
}

/* What the profile has as settings: of the machine, and of child processes. */
static void grain_settings(int argc, char **argv)
{
    if (*given(argc, argv, "children", "")) {
        setting("children", given(argc, argv, "children", ""));
        setting("cpu-children-ns", given(argc, argv, "cpu", "0"));
    }
    if (*given(argc, argv, "processors", ""))
        setting("processors", given(argc, argv, "processors", ""));
    if (*given(argc, argv, "delay", ""))
        setting("run-delay-ns", given(argc, argv, "delay", ""));
    if (*given(argc, argv, "ready", ""))
        setting("run-delay-idle-ns", given(argc, argv, "ready", ""));
    if (*given(argc, argv, "alone", ""))
        setting("waited-alone-ns", given(argc, argv, "alone", ""));
    if (*given(argc, argv, "event", "")) {
        setting("event:page-faults", given(argc, argv, "event", ""));
        setting("event:a\033[31m-very-long-name-that-no-figure-has-room-for-on-one-line", "7");
    }
}

/* One site's tasks below main, which has work of its own before them: app+0x402000 is what the
 * tasks do, app+0x403000 what main does. BESIDE is what one of the tasks does besides, in
 * app+0x405000, on the critical path. ASIDE is what they do in app+0x406000, off it. HITS: so many
 * samples on the critical path hit app+0x402000. LOCKED, TURNS: they waited so long for a section,
 * or for their turn. BLOCKED, OUTSIDE: tasks and main were off the CPU for so long; WAITED, SLEPT
 * off-CPU samples found them, in app+0x404000 and app+0x407000. STARTED is the share of main's in
 * the runtime. IN-MAIN: main's work is in app+0x401000, which spawns, and that share of it in
 * app+0x403000. SPLIT is of the tasks' work, in the runtime's own code. THEN, THEN-SPAN are the
 * work and span of other tasks, after these, for which UNHIT samples off the critical path hit
 * app+0x402000. ALSO: main's work is there, too. VIA: on the critical path, tasks call app+0x402000
 * from app+0x403000. APP is the program's file, with code there. Times in ms; shares in percent. */
void grain(int argc, char **argv)
{
    uint64_t root = MS("root", "1"), work = MS("work", "1000"), span = MS("span", "100");
    uint64_t in_runtime = work / 1000000 * N("inside", "0") / 100;
    grain_totals(argc, argv);
    grain_modules(argc, argv);
    uint32_t main_ = node(node(LPF_NONE, LPF_NODE_ROOT, 0), LPF_NODE_FRAME, 0x401001);
    /* of a flow graph's node: nothing but its body's function, the runtime's, is above its tasks */
    uint32_t above = N("rootless", "0") ? node(0, LPF_NODE_FRAME, 0x700101) : main_;
    uint32_t boundary = node(above, LPF_NODE_TASK, 0),
        body = node(boundary, LPF_NODE_FRAME, 0x402001);
    uint32_t called = node(body, LPF_NODE_LEAF, 0x700200),
             serial = N("also", "0") ? node(main_, LPF_NODE_FRAME, 0x402001)
                                     : node(main_, LPF_NODE_LEAF,
                                            N("in-main", "0") ? 0x401000 : 0x403000);
    grain_context(boundary, argc, argv);
    uint32_t then = grain_then(main_, argc, argv);
    if (*given(argc, argv, "note", ""))
        note(N("note", "1"), "two groups", "why", 1);
    if (*given(argc, argv, "ordered", ""))
        note(LPF_NOTE_EXECUTED, given(argc, argv, "ordered", ""), "the order", 1);
    /* idleness beside the tasks, beside main, or beside no sample */
    bool beside_main = !strcmp(given(argc, argv, "idle", "tasks"), "main"),
         beside_tasks = !strcmp(given(argc, argv, "idle", "tasks"), "tasks");
    uint64_t aside = MS("aside", "0") / 1000000, split = MS("split", "0") / 1000000;
    uint64_t own = work / 1000000 - in_runtime - aside - split - N("yielded", "0");
    uint64_t hits = *given(argc, argv, "hits", "") ? N("hits", "0") : span / 1000000;
    bool via = N("via", "0");
    sample(body, own - (via ? hits : 0), beside_tasks ? 900 : 0, via ? 0 : hits);
    grain_wait(body, "critical", 0, MS("locked", "0"));
    grain_wait(body, "ordered", LPF_SITE_IN_ORDER, MS("turns", "0"));
    sample(called, in_runtime, 0, 0);
    uint64_t started = root / 1000000 * N("started", "0") / 100;
    sample(serial, root / 1000000 - started, beside_main ? 900 : 0, root / 1000000 - started);
    if (started)
        sample(node(main_, LPF_NODE_LEAF, N("in-main", "0") ? 0x403000 : 0x700300), started, 0,
               started);
    uint64_t beside = MS("beside", "0") / 1000000;
    if (beside)
        sample(node(boundary, LPF_NODE_LEAF, 0x405000), beside, 0, beside);
    if (aside) /* what a task does off the critical path, mostly */
        sample(node(boundary, LPF_NODE_LEAF, 0x406000), aside, 0, N("astray", "0"));
    if (split) /* main calls what splits a loop */
        sample(node(boundary, LPF_NODE_LEAF, 0x700400), split, 0, 0);
    uint32_t off = grain_libc(body, argc, argv);
    if (*given(argc, argv, "waited", "")) { /* so many off-CPU samples found the tasks there */
        struct lpf_sample wait = { .node = off, .blocked = N("waited", "0") };
        add(LPF_SAMPLES, &wait, sizeof wait);
    }
    if (*given(argc, argv, "slept", "")) {  /* so many found main there, outside every task */
        struct lpf_sample wait = { .node = node(main_, LPF_NODE_LEAF, 0x407000),
                                   .blocked = N("slept", "0") };
        add(LPF_SAMPLES, &wait, sizeof wait);
    }
    if (N("unhit", "0")) /* so many hit the other tasks, off the critical path, in the same code */
        sample(node(then, LPF_NODE_LEAF, 0x402000), N("unhit", "0"), 0, 0);
    if (via)
        sample(node(node(boundary, LPF_NODE_FRAME, 0x403001), LPF_NODE_FRAME, 0x402001), hits, 0,
               hits);
    if (N("filter", "0")) { /* the tasks execute a serial filter */
        uint32_t at = site("serial filter", LPF_SITE_WAIT | LPF_SITE_SERIAL, 0x402001);
        context(LPF_NONE, at, 0, 0, 0, 0)->node = node(main_, LPF_NODE_TASK, 0);
    }
    grain_settings(argc, argv);
}
