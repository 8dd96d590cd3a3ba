/* main.c - writes valid profiles of known content, for tests/report/run.sh.
 *
 *     gen_profile KIND [ARGUMENTS] > FILE
 *
 *   basic        two sites, three contexts, a region, notes: totals that run.sh knows by heart
 *   empty        no tasks, no sites, span 0
 *   big          100000 contexts over 1000 sites
 *   large [PATH BIAS START END CODES N]   N contexts (100000) on call paths, each with two frames,
 *                of CODES addresses (10000) between START and END in a module
 *   hostile      strings with markup, control characters, terminal escapes, invalid UTF-8
 *   bound        a lower bound, two constructs; crashed
 *   counter      clock "instructions" (ns_num 0), short strands
 *   wide         the largest numbers everywhere: sums must not wrap into small ones
 *   longer       entries, header and section table longer than version 1's, an unknown section
 *   paths, deep, flat, steep   call paths: a few known ones; as deep, as wide as there are nodes;
 *                              2000 deep
 *   off-cpu      paths, with off-CPU samples: they split most of the blocked time, the rest was a
 *                wait for a CPU
 *   timeline     off-cpu, with what its threads did over the run
 *   wait-kinds [WRONG]   off-cpu, with kinds of waits and with switches; WRONG: which is not sound
 *   timed        timeline, with the times of samples
 *   tasks-ready  timeline, with how many tasks were ready
 *   tasks-ready-unknown  the same, where that is not known of any task
 *   cpus         paths, and who had the processors: four, of which it might use three
 *   scaled       paths, of a clock with 3 ticks a ns, and costs that no whole number of ns is
 *   recursion    f calls g calls f calls g
 *   names        hostile, with call paths through its modules
 *   self [PC [unhit]]   paths, whose program is whoever reads it, from PC on (0x10000); unhit: no
 *                sample on the critical path
 *   sites PATH BIAS START END CONSTRUCT=ADDR[,ADDR...] ...   real addresses of a real module
 *   late         paths, whose samples came late; late-wrong: a square of theirs has no node
 *   chosen N     paths, with N times as many samples: more of them hit the critical path than can
 *                be by chance
 *   unhit        paths, where all samples hit libprof
 *   halves A B   one function in tasks of two sites, with so many samples on the critical path
 *   own-share N [CLOCK]  paths, with N samples in libprof in the first task, 3 of 4 in the second
 *   whatif       paths, with three candidates and four scenarios; whatif-few: 15 samples of one
 *   lines ...    the same arguments: samples at those addresses, the i-th hit i times; 5 more in
 *                code without lines; a context that no sample hit
 *   run F G THREADS [CLOCK [EXE]]   a program of two functions, F and G ms of work, F of span, at
 *                                   1000 samples a ms; as if so many threads had
 *                shared the work; the rest of 2 slots idled while f ran
 *   grain KEY=VALUE...   one site's tasks, which have a length, a number, threads; a ledger: see
 *                        grain()
 *   waits MS N [MS N [MS N]]   run 100 300 2, in which f waited N times, for MS ms in all, to enter
 *                              a critical section, g for a lock, h for its turn
 *   rank R SIZE F G WAIT SPAN [LEAVES [WORKERS]]   run F G 1, of a rank of an MPI job: it was
 *                so many ms at collectives; LEAVES instructions of the second function were
 *                sampled alike; WORKERS are its slots
 *   cpu KERNEL [BEFORE START WRITING]   run 60 40 1: the kernel counted so many ms for it, and so
 *                                       many ns were before libprof, its start, its writing
 *   dag SEED TASKS   a random dag of about so many tasks; its work and span are the totals
 *   dag-arcs SEED TASKS   the same with tasks that wait for parts of others
 *   dag-after    three strands of 100, and one of 50 after all of them
 *   dag-unsure   dag-after, with a typical span of 130, in a profile that is not exact
 *   dag-own NS   dag-after in ms, mostly libprof's; so many ns between strands
 *   dag-locked PATH LOCK   dag-after in ms, and a second off the CPU, 400 ms of it in a lock there
 *   dag-circle   the same, and the first after the last
 *   dag-wait     two strands of 100, and one of 10 that is not before 90
 *   dag-wrong    dag-wait, in a profile whose span is all its work
 *   dag-buried   a task waits for a time, goes on on top of what it spawned before, and joins that
 *   bad WHAT     damage with correct checksums: see bad()
 *   STARTED=NS in the environment: when the process started
 *   STOLEN=N in the environment: the burden was measured from so many steals
 *   OWN=NS,TASKS in the environment: what libprof took off so many tasks
 *   END=HOW,STATUS in the environment: how it ended
 *   OMIT=TYPE[,TYPE...]: those sections have no entries
 *   ZERO=BYTE[,BYTE...]: the words of the totals at those offsets are 0
 *   sections FILE   prints "TYPE OFFSET BYTES" of each section of a profile, for truncation
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

/* ---- kinds that are a few words different from one of the other files ---- */

static void kind_basic(int argc, char **argv)
{
    basic("tsc");
    note(LPF_NOTE_HINT, "hint-name", "a hint", 3);
}

static void kind_empty(int argc, char **argv)
{
    totals("tsc", "/nowhere/empty");
}

static void kind_bound(int argc, char **argv)
{
    basic("tsc");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->exact = 0;
    t->end = LPF_END_SIGNAL;
    t->exit_status = 11;
    ((struct lpf_site *)FIRST(LPF_SITES))->flags = LPF_SITE_LOWER_BOUND;
    note(LPF_NOTE_LOWER_BOUND, "parallel_pipeline", "serial filters", 7);
    note(LPF_NOTE_LOWER_BOUND, "flow_graph", "continue_node", 2);
    note(LPF_NOTE_LOSS, "memory", "events dropped", 5);
    layout.flags = LPF_F_CRASHED;
}

static void kind_counter(int argc, char **argv)
{
    basic("instructions");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->ns_num = 0;
    t->spawns = 20000000;
    t->burden_source = LPF_BURDEN_DEFAULT;
    t->steals = t->burden_steals = 0;
}

/* In the first task, argv[0] samples hit libprof; in the second, 3 of 4. */
static void kind_own_share(int argc, char **argv)
{
    paths();
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->clock = string(argc > 1 ? argv[1] : "tsc");
    sample(node(c[0].node, LPF_NODE_LEAF, 0x800020), strtoul(argv[0], 0, 10), 0, 0);
    sample(node(c[1].node, LPF_NODE_LEAF, 0x800030), 3, 0, 0);
    sample(node(c[1].node, LPF_NODE_LEAF, 0x402000), 1, 0, 0);
}

/* All samples hit libprof, outside every task: the tasks are too short for samples. */
static void kind_own_outside(int argc, char **argv)
{
    basic("tsc");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    t->sample_period_ns = 4000000;
    t->samples = 12;
    t->sample_source = string("thread CPU timer");
    module(0x800000, 0x810000, "/nowhere/libprof.so", LPF_MODULE_LIBPROF);
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0),
             main_ = node(root, LPF_NODE_FRAME, 0x401011);
    c[0].node = node(main_, LPF_NODE_TASK, 0);
    c[1].node = node(main_, LPF_NODE_TASK, 1);
    sample(node(main_, LPF_NODE_LEAF, 0x800020), 12, 0, 0);
}

/* A job of two ranks of one worker each, with 400 and 600 ms of work in 1 s, in which one of them
 * was off the CPU for argv[1] ms outside MPI. Its span is argv[0] ms. argv[2]: its clock. argv[3]:
 * the workers of a rank; the job has as many on the whole, in as much time. */
static void kind_ranks(int argc, char **argv)
{
    basic(argc > 2 ? argv[2] : "tsc");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    uint64_t span = strtoul(argv[0], 0, 10) * 1000000;
    t->work_cost = t->elapsed_ns = 1000000000;
    t->threads_ns = 2 * t->elapsed_ns;
    t->span_cost = span;
    t->dispatch_ns = 2 * 100000000;     /* in MPI; half of the sleep, too */
    t->sleep_ns = 4 * 100000000;
    t->search_ns = 0;
    t->blocked_ns = strtoul(argv[1], 0, 10) * 1000000;
    uint32_t workers = argc > 3 ? strtoul(argv[3], 0, 10) : 1;
    t->workers = 2 * workers;
    t->elapsed_ns /= workers;
    for (uint32_t i = 0; i < 2; i++)
        add(LPF_RANKS,
            &(struct lpf_rank){ .rank = i, .size = 2, .workers = workers, .host = string("host"),
                                .flags = LPF_RANK_JOINED | LPF_RANK_FINISHED,
                                .job_span_cost = span, .work_cost = (4 + 2 * i) * 100000000,
                                .on_path_cost = span / 2, .transfer_ns = 100000000,
                                .collective_ns = 100000000,
                                .threads_ns = t->elapsed_ns },
            sizeof(struct lpf_rank));
}

/* The arguments, if any: ms of work and of span of the program's own strand, which ten times as
 * many samples hit. */
static void kind_paths(int argc, char **argv)
{
    paths();
    if (argc < 2)
        return;
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    uint64_t work = strtoul(argv[0], 0, 10) * 1000000, span = strtoul(argv[1], 0, 10) * 1000000;
    t->work_cost += work - t->root_work_cost;
    t->span_cost += span - t->root_span_cost;
    t->root_work_cost = work;
    t->root_span_cost = span;
    struct lpf_sample *serial = (struct lpf_sample *)FIRST(LPF_SAMPLES) + 2;
    serial->weight *= 10;
    serial->on_span *= 10;
}

static void kind_self(int argc, char **argv)
{
    program = "/proc/self/exe";
    paths();
    /* somewhere in its code */
    ((struct lpf_module *)FIRST(LPF_MODULES))->bias =
        0x401000 - strtoull(argc ? argv[0] : "0x10000", 0, 0);
    struct lpf_sample *x = FIRST(LPF_SAMPLES);
    for (size_t i = 0; argc > 1 && i < sections[LPF_SAMPLES - 1].used / sizeof *x; i++)
        x[i].on_span = 0;
}

static void kind_longer(int argc, char **argv)
{
    basic("tsc");
    layout.extra_entry = 8;
    layout.extra_header = 24;
    layout.extra_table = 16;
    layout.unknown_section = true;
}

static void kind_dag(int argc, char **argv)
{
    dag(strtoull(argv[0], 0, 10), strtol(argv[1], 0, 10));
}

static void kind_dag_arcs(int argc, char **argv)
{
    dag_arcs(strtoull(argv[0], 0, 10), strtoul(argv[1], 0, 10));
}

static void kind_dag_own(int argc, char **argv)
{
    dag_own(strtoull(argv[0], 0, 10));
}

static void kind_dag_locked(int argc, char **argv)
{
    dag_locked(argv[0], strtoull(argv[1], 0, 0));
}

static void kind_dag_wrong(int argc, char **argv)
{
    dag_wait();
    ((struct lpf_totals *)FIRST(LPF_TOTALS))->span_cost = 210;
}

static void kind_run(int argc, char **argv)
{
    run(strtod(argv[0], 0), strtod(argv[1], 0), atoi(argv[2]), argc > 3 ? argv[3] : "tsc",
        argc > 4 ? argv[4] : "/nowhere/app");
}

static void kind_bad(int argc, char **argv)
{
    if (bad(argv[0]))
        die("no such damage");
}

/* A kind that is one call. */
static void not_exact(void)
{
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->exact = 0;
    note(LPF_NOTE_NOT_EXACT, "two groups", "why", 1);
}

#define CALL(name, call) static void kind_##name(int argc, char **argv) { call; }
CALL(late, late(false))
CALL(late_wrong, late(true))
CALL(wait_kinds, wait_kinds(argc ? argv[0] : ""))
CALL(chosen, chosen(atoi(argv[0])))
CALL(halves, halves(atoi(argv[0]), atoi(argv[1])))
CALL(dag_after, dag_after(false))
CALL(dag_circle, dag_after(true))
CALL(dag_unsure, (dag_after(false), typical(130, 0), not_exact()))
CALL(deep, deep(20000, false))
CALL(flat, deep(100000, true))
CALL(steep, deep(2000, false))

enum { ANY = 1000 };

/* A kind takes LEAST to MOST arguments. It has a function of its arguments, or of none. */
static const struct kind {
    const char *name;
    int least, most;
    void (*make)(int argc, char **argv);
    void (*simple)(void);
} kinds[] = {
    { "basic", 0, ANY, kind_basic }, { "empty", 0, ANY, kind_empty },
    { "bound", 0, ANY, kind_bound }, { "counter", 0, ANY, kind_counter },
    { "longer", 0, ANY, kind_longer }, { "big", 0, ANY, .simple = big },
    { "large", 0, ANY, large }, { "wide", 0, ANY, .simple = wide },
    { "deep", 0, ANY, kind_deep }, { "flat", 0, ANY, kind_flat }, { "steep", 0, ANY, kind_steep },
    { "hostile", 0, ANY, .simple = hostile }, { "names", 0, ANY, .simple = names },
    { "paths", 0, ANY, kind_paths }, { "self", 0, ANY, kind_self },
    { "own-share", 1, ANY, kind_own_share }, { "own-outside", 0, ANY, kind_own_outside },
    { "late", 0, ANY, kind_late }, { "ranks", 2, 4, kind_ranks },
    { "chosen", 1, 1, kind_chosen }, { "late-wrong", 0, ANY, kind_late_wrong },
    { "unhit", 0, ANY, .simple = unhit }, { "halves", 2, 2, kind_halves },
    { "wait-kinds", 0, 1, kind_wait_kinds },
    { "off-cpu", 0, ANY, .simple = off_cpu }, { "timeline", 0, ANY, .simple = timeline },
    { "timed", 0, ANY, .simple = timed },
    { "tasks-ready", 0, ANY, .simple = ready },
    { "tasks-ready-unknown", 0, ANY, .simple = ready_unknown },
    { "cpus", 0, ANY, .simple = cpus }, { "scaled", 0, ANY, .simple = scaled },
    { "recursion", 0, ANY, .simple = recursion }, { "whatif", 0, ANY, .simple = whatif },
    { "whatif-few", 0, ANY, .simple = whatif_few },
    { "dag", 2, 2, kind_dag }, { "dag-arcs", 2, 2, kind_dag_arcs },
    { "dag-after", 0, ANY, kind_dag_after }, { "dag-circle", 0, ANY, kind_dag_circle },
    { "dag-unsure", 0, ANY, kind_dag_unsure }, { "dag-own", 1, 1, kind_dag_own },
    { "dag-locked", 2, 2, kind_dag_locked },
    { "dag-buried", 0, ANY, .simple = dag_buried }, { "dag-wait", 0, ANY, .simple = dag_wait },
    { "dag-wrong", 0, ANY, kind_dag_wrong }, { "sites", 0, ANY, real_sites },
    { "lines", 5, 61, lines }, { "run", 3, ANY, kind_run }, { "grain", 0, ANY, grain },
    { "rank", 6, 8, rank }, { "waits", 2, ANY, waits }, { "cpu", 1, ANY, cpu },
    { "bad", 1, 1, kind_bad },
};

static void make(const char *name, int argc, char **argv)
{
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof kinds[0]; k++)
        if (!strcmp(name, k->name) && argc >= k->least && argc <= k->most) {
            if (k->make)
                k->make(argc, argv);
            else
                k->simple();
            return;
        }
    die("which kind?");
}

/* ---- what the environment takes away, and what truncation asks ---- */

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
    if (argc == 3 && !strcmp(argv[1], "sections"))
        return print_sections(argv[2]);
    if (argc < 2)
        die("which kind?");
    make(argv[1], argc - 2, argv + 2);
    if (getenv("STARTED"))
        ((struct lpf_totals *)FIRST(LPF_TOTALS))->start_unix_ns =
            strtoull(getenv("STARTED"), 0, 0);
    if (getenv("STOLEN")) {
        struct lpf_totals *t = FIRST(LPF_TOTALS);
        t->burden_source = LPF_BURDEN_MEASURED;
        t->burden_steals = strtoull(getenv("STOLEN"), 0, 0);
    }
    if (getenv("OWN")) {
        struct lpf_totals *t = FIRST(LPF_TOTALS);
        if (sscanf(getenv("OWN"), "%lu,%lu", &t->own_ns, &t->tasks) != 2)
            die("OWN: ns, tasks");
    }
    if (getenv("END")) {
        struct lpf_totals *t = FIRST(LPF_TOTALS);
        if (sscanf(getenv("END"), "%u,%u", &t->end, &t->exit_status) != 2)
            die("END: how, status");
    }
    if (getenv("RUNNING")) {
        struct lpf_totals *t = FIRST(LPF_TOTALS);
        if (sscanf(getenv("RUNNING"), "%u,%lu,%lu,%lu", &t->pid, &t->elapsed_ns, &t->cpu_ns,
                   &t->tasks) != 4)
            die("RUNNING: pid, elapsed, CPU time, tasks");
        layout.flags |= LPF_F_CHECKPOINT;
        t->end = LPF_END_RUNNING;
        if (getenv("ON_HOST"))
            setting("host", getenv("ON_HOST"));
    }
    omit(getenv("OMIT"));
    zero(getenv("ZERO"));
    emit();
    return 0;
}
