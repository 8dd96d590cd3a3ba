/* libprof_format.h - the profile file, version 1. preload/ and report/ share only this header,
 * unwind/rust_crate.h, and what they know of the processor (arch/).
 *
 * Layout: struct lpf_header | struct lpf_section[section_count] | sections, each 8-byte aligned.
 * All integers are little-endian. A reader must treat every byte as hostile: check the magic, the
 * version, header_size, that file_size equals the size of the file, every section's bounds, entry
 * size and CRC, every index and every string offset. A section of an unknown type is skipped; an
 * entry larger than the reader's struct is read by its known prefix (fields are only appended); a
 * smaller one is an error, but totals may end before off_cpu_ns. docs/PROFILE-FORMAT.md is the
 * prose form of this header.
 *
 * Quantities named *_cost are in units of the profile's clock. For clocks in time units
 * ns = cost * ns_num / ns_den (lpf_totals); for counters (instructions, cycles) ns_num = 0 and the
 * unit's name is the clock's name. The raw units are kept so that sums stay exact:
 *   sum over contexts of span_local_cost + totals.root_span_cost == totals.span_cost
 *   sum over contexts of work_local_cost + totals.root_work_cost == totals.work_cost
 */
#ifndef LIBPROF_FORMAT_H
#define LIBPROF_FORMAT_H

#include <stdint.h>

#define LPF_MAGIC "LIBPROF\n"
#define LPF_VERSION 1u
#define LPF_NONE 0xffffffffu /* "no index" in every uint32_t index field */

struct lpf_header {
    char magic[8];           /* LPF_MAGIC */
    uint32_t version;        /* LPF_VERSION */
    uint32_t header_size;    /* sizeof(struct lpf_header) */
    uint64_t file_size;      /* bytes of the whole file */
    uint32_t section_count;  /* at most 64 */
    uint32_t section_size;   /* sizeof(struct lpf_section) */
    uint32_t flags;          /* LPF_F_* */
    uint32_t header_crc;     /* CRC-32 (IEEE 802.3, as zlib's) of this header with header_crc = 0,
                                followed by the section table */
};
#define LPF_F_CHECKPOINT 1u  /* the process had not ended: values up to the last checkpoint */
#define LPF_F_CRASHED 2u     /* written from a fatal signal or abort */

struct lpf_section {
    uint32_t type;           /* enum lpf_section_type */
    uint32_t entry_size;     /* bytes an entry; 1 for LPF_STRINGS */
    uint64_t offset;         /* from the start of the file, multiple of 8 */
    uint64_t count;          /* entries */
    uint32_t crc;            /* CRC-32 of the section's bytes */
    uint32_t reserved;
};

enum lpf_section_type {
    LPF_STRINGS = 1,         /* NUL-terminated UTF-8 or raw bytes; offset 0 is "" */
    LPF_SETTINGS = 2,        /* struct lpf_setting */
    LPF_TOTALS = 3,          /* struct lpf_totals, exactly one */
    LPF_MODULES = 4,         /* struct lpf_module: the load map */
    LPF_SITES = 5,           /* struct lpf_site: spawn sites */
    LPF_CONTEXTS = 6,        /* struct lpf_context: contexts with their metrics */
    LPF_REGIONS = 7,         /* struct lpf_region: annotated regions */
    LPF_NOTES = 8,           /* struct lpf_note: lower bounds, losses, hints, facts */
    LPF_THREADS = 9,         /* struct lpf_thread */
    LPF_NODES = 10,          /* struct lpf_node: the calling context tree */
    LPF_SAMPLES = 11,        /* struct lpf_sample: what was sampled, by node */
    LPF_CANDIDATES = 12,     /* struct lpf_candidate: code of what-if scenarios */
    LPF_SCENARIOS = 13,      /* struct lpf_scenario */
    LPF_TERMS = 14,          /* struct lpf_term: what a scenario makes cheaper */
    LPF_DAG = 15,            /* struct lpf_dag: at most one. A file has both LPF_DAG and
                                LPF_DAG_OPS, or neither */
    LPF_INPUTS = 16,         /* struct lpf_input: what this file was merged from (prof merge);
                                optional */
    LPF_DAG_OPS = 17,        /* struct lpf_dag_op: the contracted dag */
    LPF_DAG_ARCS = 18,       /* struct lpf_dag_arc: its dependences that are not joins; optional */
    LPF_LOOPS = 19,          /* struct lpf_loops: at most one; none: the program's loops were not
                                measured */
    LPF_SPREAD = 20,         /* struct lpf_spread: how a context's work is spread over tasks and
                                threads; optional */
    LPF_SQUARES = 21,        /* struct lpf_squares: how unequal the weights of samples are;
                                optional */
    LPF_TYPICAL = 22,        /* struct lpf_typical: at most one; none: it was not measured */
    LPF_OUTLIERS = 23,       /* struct lpf_outliers: contexts some of whose strands took far longer
                                than comparable ones; optional */
    LPF_CHUNKS = 24,         /* struct lpf_chunks: who chose the size of a context's chunks;
                                optional */
    LPF_TIMELINE = 25,       /* struct lpf_timeline: at most one; none: it was not measured */
    LPF_TIMELINE_ROWS = 26,  /* struct lpf_timeline_row: its threads */
    LPF_TIMELINE_BINS = 27,  /* struct lpf_timeline_bin: what was sampled of them, and when */
    LPF_TIMED = 28,          /* struct lpf_timed: at most one, beside a timeline; optional */
    LPF_TIMED_SAMPLES = 29,  /* struct lpf_timed_sample: samples with their times */
    LPF_RANKS = 30,          /* struct lpf_rank: the ranks of an MPI job that this file is of;
                                optional */
    LPF_RANK_SAMPLES = 31,   /* struct lpf_rank_sample: of a job's file, where each rank was
                                sampled; optional */
    LPF_REGION_RANKS = 32,   /* struct lpf_region_rank: how ranks spent their time in a region;
                                optional */
    LPF_TEAMS_OF_ONE = 33,   /* struct lpf_team_of_one: parallel regions that ran on one thread;
                                optional */
    LPF_HANDED = 34,         /* struct lpf_handed: chunks that the loops of a region handed out;
                                optional */
    LPF_READY = 35,          /* struct lpf_ready: at most one, beside a timeline; optional */
    LPF_READY_BINS = 36,     /* struct lpf_ready_bin: how many tasks were ready, and when */
    LPF_CPUS = 37,           /* struct lpf_cpu: the machine's CPUs, beside LPF_MACHINE; optional */
    LPF_MACHINE = 38,        /* struct lpf_machine: at most one; optional */
    LPF_WAITS = 41,          /* struct lpf_wait: what strands waited for off the CPU, by node;
                                optional */
    LPF_SWITCHES = 42,       /* struct lpf_switches: context switches of threads, and what they
                                waited for a CPU after them; optional */
    LPF_IDLE = 39,           /* struct lpf_idle: how long threads were idle at a time, and for
                                what */
    LPF_PHASES = 40,         /* struct lpf_phases: what the runtime took to start strands, and to
                                return from joins; optional */
    LPF_IDLE_SUM = 43,       /* struct lpf_idle_sum: at most one; none: intervals of idle time were
                                not counted */
    LPF_AWAITED = 44,        /* struct lpf_awaited: which ranks calls of MPI waited for; optional */
};

struct lpf_setting {         /* PROF_* settings in force and facts of the machine */
    uint32_t key;            /* string offset, e.g. "PROF_CLOCK", "host", "clock" */
    uint32_t value;          /* string offset */
};

struct lpf_totals {
    uint64_t work_cost;            /* T1 */
    uint64_t span_cost;            /* T_inf */
    uint64_t burdened_len_cost;    /* burdened span without its burdens: T^_inf = len + edges *
                                      burden */
    uint64_t burdened_edges;       /* burdened edges on the burdened critical path */
    uint64_t burden_cost;          /* burden of one edge */
    uint64_t root_work_cost;       /* the part of the work outside all spawned tasks */
    uint64_t root_span_cost;       /* the part of the span outside all spawned tasks */
    uint64_t tasks;                /* task instances executed */
    uint64_t spawns;               /* parallel spawns; calls do not count: tasks that their spawner
                                      waits for at once */
    uint64_t syncs;
    uint64_t steals;               /* tasks that ran on another thread than the one that spawned
                                      them */
    uint64_t elapsed_ns;           /* wall time covered */
    uint64_t cpu_ns;               /* CPU time of the process */
    uint64_t idle_ns;              /* time of worker slots without a strand, summed. It contains
                                      dispatch_ns. Not the report's idle time, which is search +
                                      sleep + slots without a thread */
    uint64_t own_ns;               /* profiler overhead, partly measured, partly estimated from the
                                      calibrated costs of events and from samples; and the idle
                                      time of threads that waited meanwhile */
    uint64_t start_unix_ns;        /* CLOCK_REALTIME at start */
    uint64_t ns_num, ns_den;       /* cost -> ns; ns_num = 0: the clock does not count time */
    uint64_t burden_steals;        /* steals the burden was measured from; 0: see burden_source */
    uint32_t burden_source;        /* enum lpf_burden_source */
    uint32_t workers;              /* P, the runtime's worker slots (max over runtimes); of threads
                                      alone: most at work at once */
    uint32_t pid, ppid;
    uint32_t clock;                /* string offset: "tsc", "virtual", "wall", "instructions",
                                      "cycles" */
    uint32_t exact;                /* 1: the span is exact; 0: a lower bound or not exact, see
                                      notes */
    uint32_t exe;                  /* string offset: path of the program */
    uint32_t cmdline;              /* string offset: arguments separated by spaces */
    uint32_t end;                  /* enum lpf_end */
    uint32_t exit_status;          /* as passed to exit(), or the signal number */
    uint64_t min_strand_cost;      /* a strand's own cost below which timing is mostly noise; 0:
                                      none */
    /* The threads' time that is not work: wall time, summed over threads. Measured: threads,
     * strands, idle time, time off the CPU. dispatch is a remainder of these. So is own, with an
     * estimate for the overhead between strands. */
    uint64_t search_ns;            /* idle, on the CPU: looking for work */
    uint64_t sleep_ns;             /* between strands, off the CPU: idle and blocked, or
                                      preempted */
    uint64_t dispatch_ns;          /* in the runtime between two strands without being idle:
                                      overhead */
    uint64_t threads_ns;           /* lifetimes of all threads that ran strands, within elapsed_ns,
                                      less their waits in pthread_join */
    uint64_t blocked_ns;           /* inside strands, off the CPU (waits, preemption); 0: the
                                      clock cannot measure it. Summed over all contexts */
    /* Sampling; all 0: there was none. */
    uint64_t sample_period_ns;     /* of CPU time of a thread, nominal */
    uint64_t samples;              /* weight of all samples that hit a strand */
    uint64_t samples_outside;      /* weight of samples that hit no strand: idle or in the
                                      dispatcher */
    uint64_t samples_lost;         /* weight of samples whose call path is not known */
    uint64_t samples_cut;          /* of those with a path: weight of paths that are incomplete */
    uint64_t nodes_lost;           /* paths cut short because the node budget was used up */
    uint32_t sample_source;        /* string offset: "thread CPU timer", "task-clock",
                                      "page-faults", ... */
    uint32_t sample_period_events; /* not 0: one sample every so many events, and sample_period_ns
                                      is 0 */
    uint64_t off_cpu_ns;           /* for which an off-CPU sample of weight 1 stands. 0, or missing
                                      as in older files: LPF_OFF_CPU_NS */
};

enum lpf_burden_source { LPF_BURDEN_DEFAULT = 0, LPF_BURDEN_SETTING = 1, LPF_BURDEN_MEASURED = 2 };
enum lpf_end {
    LPF_END_RUNNING = 0,     /* it had not ended: a checkpoint */
    LPF_END_EXIT = 1,        /* exit, or the end of main */
    LPF_END_SIGNAL = 2,
    LPF_END_QUICK = 3,       /* quick_exit, _exit, or the parent process of daemon */
    LPF_END_EXEC = 4         /* another program replaced it */
};

struct lpf_module {
    uint64_t start, end;     /* address range of its executable mapping */
    uint64_t bias;           /* run-time address - address in the ELF file */
    uint32_t path;           /* string offset */
    uint32_t build_id_len;   /* 0..32 */
    uint8_t build_id[32];
    uint32_t flags;          /* LPF_MODULE_* */
    uint32_t reserved;
};
#define LPF_MODULE_RUNTIME 1u /* a task runtime's library: its frames are overhead, not the
                                 program's */
#define LPF_MODULE_LIBPROF 2u

/* A spawn site: a place in the program that spawns tasks. */
struct lpf_site {
    /* address[0]: return address of the spawn; the rest: its callers' return addresses, innermost
     * first, kept while a frame belongs to the runtime's headers; 0 ends the list. For the
     * call itself look up the address minus 1. */
    uint64_t address[4];
    uint32_t runtime;        /* string offset: "tbb", "thread", ... */
    uint32_t construct;      /* string offset: "task_group", "parallel_for", "pthread_create",
                                ... */
    uint32_t flags;          /* LPF_SITE_* */
    uint32_t reserved;
};
#define LPF_SITE_LOWER_BOUND 1u /* the span of this construct is only a lower bound */
#define LPF_SITE_AS_EXECUTED 4u /* its strands are as executed: parallelism inside a thread's share
                                   of a static loop, or inside a chunk of another loop, is
                                   invisible */
#define LPF_SITE_WAIT 8u        /* nothing was spawned here: strands waited to enter `construct`, a
                                   critical section or a lock. Its contexts count the waits
                                   (top_count) and sum their time (top_work_cost). The time is idle
                                   time and part of no work */
#define LPF_SITE_IN_ORDER 16u   /* with WAIT: waits for a turn or a source, which the span contains.
                                   WAIT without this flag: for exclusive entry; the span does not
                                   contain these waits */
#define LPF_SITE_SERIAL 32u     /* with WAIT: nobody waited here, and address[0] - 1 is where the
                                   body of a serial filter starts: one item at a time */
/* With WAIT: strands were in `construct`, a function of MPI. What for: */
#define LPF_SITE_LATE_SENDER 64u /* the sender of a message had not come to its send */
#define LPF_SITE_COLLECTIVE 128u /* other ranks had not come to the collective operation */
#define LPF_SITE_SENT 256u      /* a send: the receiver had not come to its receive, or the message
                                   was transferred. Which of both is not known */
#define LPF_SITE_TRANSFER 512u  /* none of these: nobody was late, or that is not known. Transfers,
                                   and MPI's own work */
#define LPF_SITE_LATE_RECEIVER 2048u /* a send: the receiver had not come to its receive */
#define LPF_SITE_MPI                                                                               \
    (LPF_SITE_LATE_SENDER | LPF_SITE_LATE_RECEIVER | LPF_SITE_COLLECTIVE | LPF_SITE_SENT |         \
     LPF_SITE_TRANSFER)
#define LPF_SITE_ELSEWHERE 1024u /* not a place: what of the critical path was in other ranks. Its
                                   context has no work */
#define LPF_SITE_TOOK_OTHERS 4096u /* its invocations, or tasks inside of them, joined tasks that
                                   they did not spawn. So its top_work_cost and topcaller_work_cost
                                   may have the work of one task several times */
#define LPF_SITE_FIRST_CALLER 2u /* address[0] alone is the site; the rest are its first callers */

/* A context: a spawn site reached with a given history. Metrics of a site are the sums over its
 * contexts. An INVOCATION is one execution of a spawn site; tasks that a construct makes by itself
 * (the splits of a parallel_for) belong to the invocation that started the construct.
 * work of an invocation: cost of its tasks and of everything joined into them;
 * span of an invocation: longest path from its start to its end;
 * local: without what its own invocations contribute (Cilkprof section 6).
 * top: invocations with no invocation of the same site among their ancestors (top-call-site);
 * topcaller: with no ancestor invocation made from the same function (top-caller).
 * on_*: the same sums over the invocations on the critical path only. */
struct lpf_context {
    uint32_t id;             /* index in this section */
    uint32_t parent;         /* context that first reached this one, LPF_NONE: the program's own
                                strands */
    uint32_t site;           /* index in LPF_SITES */
    uint32_t flags;          /* LPF_CTX_* */
    uint64_t tasks, invocations, steals;
    uint64_t work_local_cost, span_local_cost_all; /* local T1 and T_inf, all invocations */
    uint64_t top_count, top_work_cost, top_span_cost;
    uint64_t topcaller_count, topcaller_work_cost, topcaller_span_cost;
    uint64_t on_count;       /* invocations on the critical path */
    uint64_t on_work_local_cost, span_local_cost;  /* local T1 on span; local T_inf on span */
    uint64_t on_top_count, on_top_work_cost, on_top_span_cost;
    uint64_t on_topcaller_count, on_topcaller_work_cost, on_topcaller_span_cost;
    uint32_t node;           /* index in LPF_NODES, of kind TASK: its tasks' paths begin there. Or
                                LPF_NONE */
    uint32_t reserved;
    uint64_t blocked_ns;     /* time of its strands off the CPU: blocked in the kernel, or
                                preempted */
};
#define LPF_CTX_OVERFLOW 1u  /* the context budget was hit: histories were merged */

/* How the work of a context is spread over its tasks, and over the threads that executed them.
 * Entries ascend by context. Contexts without tasks have no entry. A task here is its own strands
 * alone, without the tasks that it spawned. A task that ended before those counts for the thread
 * that ended the last of them. */
struct lpf_spread {
    uint32_t context;        /* index in LPF_CONTEXTS */
    uint32_t threads;        /* threads that executed its tasks; in a merged file: the most of any
                                input */
    uint64_t longest_cost;   /* the longest task */
    uint64_t busiest_tid;    /* the thread that did most of its work; 0: merged from several */
    uint64_t busiest_tasks, busiest_work_cost;
};

struct lpf_region {
    uint32_t name;           /* string offset */
    uint32_t reserved;
    uint64_t count;          /* times entered, outermost */
    uint64_t work_cost, span_cost, burdened_len_cost, burdened_edges;
    uint64_t max_span_cost;  /* longest single instance */
};

/* Intervals of idle time. An interval is the time of a thread between two strands, as far as it was
 * idle. Entries ascend by context, then by kind, then by octave; LPF_NONE is the last context. */
struct lpf_idle {
    uint32_t context;        /* index in LPF_CONTEXTS, of a strand or of the tasks that a strand
                                waited for; LPF_NONE: the program's own strands, or, of START and
                                END, none */
    uint16_t kind;           /* enum lpf_idle_kind */
    uint16_t octave;         /* the intervals took from 2^octave ns up to twice that. LPF_IDLE_LEAST
                                has the shorter ones too, LPF_IDLE_MOST the longer ones. The bounds
                                are correct to some parts in a thousand */
    uint64_t count;          /* at least 1 */
    uint64_t ns;             /* their sum */
};
#define LPF_IDLE_LEAST 6u
#define LPF_IDLE_MOST 29u
enum lpf_idle_kind {
    LPF_IDLE_WORK = 0,       /* until a strand of the context began on the thread, or became
                                ready */
    LPF_IDLE_WAIT = 1,       /* a strand waited in a join, a barrier, a lock or MPI: for tasks of
                                the context; where these are not known, the strand is of the
                                context */
    LPF_IDLE_START = 2,      /* from the thread's start to its first strand */
    LPF_IDLE_END = 3         /* from the thread's last strand to its end, or to the program's */
};

/* The sum of LPF_IDLE.ns ==
 *     totals.search_ns + totals.sleep_ns - off_dispatch_ns + own_ns
 * In a merged file too; it has no section 39, 40 and 43 if one of its inputs has no section 43. */
struct lpf_idle_sum {
    uint64_t off_dispatch_ns; /* of sleep_ns: off the CPU between strands, in no interval */
    uint64_t own_ns;         /* in intervals, but of totals.own_ns */
};

/* Of a parallel region or tasks: what the runtime took. Entries ascend by context; LPF_NONE, the
 * program's own strands, is last. All of this is part of the intervals of LPF_IDLE. */
struct lpf_phases {
    uint32_t context, reserved;
    uint64_t starts, start_ns; /* strands that began on another thread than the one that spawned
                                them: from when there was work and the thread was idle */
    uint64_t ends, end_ns;   /* joins that waited: from when the last task ended, and the joiner had
                                nothing else to do, until the join returned */
};

/* Chunks: a runtime cuts a loop into chunks by the number of its threads. A chunk's iterations
 * divide further. In the divided dag a chunk costs as much as one of its iterations on average. */
struct lpf_loops {
    uint64_t span_cost;      /* longest path of the divided dag: at most totals.span_cost */
    uint64_t chunks;         /* executed */
    uint64_t chunks_divided; /* of these, with more than one iteration */
    uint64_t chunks_unknown; /* of these, with an unknown number of iterations: not divided */
    uint64_t iterations;     /* of all chunks where the number is known */
};

/* Who chose the size of the chunks that divide further, or may: those of more than one iteration,
 * or of an unknown number. A chunk by the program is the same on any number of workers. Entries
 * ascend by context. If a profile has such chunks (LPF_LOOPS) but no entry, it is not known who
 * chose: readers take all for the runtime's. */
#define LPF_CHUNKS_SIZED 1u /* the program chose the size of all `by_runtime` chunks, too */
struct lpf_chunks {
    uint32_t context;        /* index in LPF_CONTEXTS; LPF_NONE: the program's own strands */
    uint32_t flags;          /* LPF_CHUNKS_...; older files have 0 */
    uint64_t by_runtime;     /* all others: the runtime chose their size by the number of its
                                workers, or which threads got them decides on what follows them */
    uint64_t by_program;     /* a grain size of the program fixes their size and what follows
                                them */
};

/* Executions of a parallel region in a team of one thread, although the run had more workers: by an
 * `if` clause, a number of threads, or in another region. In the dag, the tasks of such an
 * execution, and chunks that the runtime handed out, are parallel to each other; but no other
 * thread could take one. Entries ascend by context. A run with one worker has none. */
struct lpf_team_of_one {
    uint32_t context;        /* index in LPF_CONTEXTS */
    uint32_t reserved;
    uint64_t executions;     /* of the context's invocations, at least 1 */
    uint64_t work_cost;      /* of these, with all that was joined into them but inner regions */
};

/* Chunks that the loops of a parallel region handed out to its threads one by one: each is a task
 * of the region's context. The threads' other strands are tasks of that context, too: lpf_spread
 * does not tell which is longest. Costs are the chunks' own, without what they spawned. Entries
 * ascend by context. */
struct lpf_handed {
    uint32_t context;        /* index in LPF_CONTEXTS */
    uint32_t reserved;
    uint64_t chunks;         /* executed, at least 1 */
    uint64_t work_cost;      /* of all: at most the context's own */
    uint64_t longest_cost;   /* of the longest */
};

/* The typical span: the longest path if no part of a strand took far longer than comparable parts,
 * which are most parts of its context. */
struct lpf_typical {
    uint64_t span_cost;      /* at most totals.span_cost */
    uint64_t least_cost;     /* a part that costs less is never an outlier */
    uint64_t most_cost;      /* the most that is taken off one part */
    uint32_t flags;          /* LPF_TYPICAL_* */
    uint32_t reserved;
};
#define LPF_TYPICAL_CLEAN 1u /* the clock counts only the program itself: span_cost is
                                totals.span_cost */

/* Outliers: parts that took at least 1.5 times as long as comparable parts, but at most most_cost
 * longer. Entries ascend by context. */
struct lpf_outliers {
    uint32_t context;        /* index in LPF_CONTEXTS */
    uint32_t reserved;
    uint64_t parts;          /* the context's parts of the kinds that have outliers */
    uint64_t outliers;       /* of these, outliers: at least 1 */
    uint64_t excess_cost;    /* the sum over the outliers of cost - cost of comparable parts */
    uint64_t longest_cost;   /* the longest outlier, exact to a sixteenth */
};

struct lpf_note {
    uint32_t kind;           /* enum lpf_note_kind */
    uint32_t name;           /* string offset: construct, loss reason, hint */
    uint32_t text;           /* string offset: one line for people */
    uint32_t reserved;
    uint64_t count;
};
enum lpf_note_kind {
    LPF_NOTE_LOWER_BOUND = 1,
    LPF_NOTE_LOSS = 2,
    LPF_NOTE_HINT = 3,
    LPF_NOTE_DAG = 4,       /* what makes the dag an approximation */
    LPF_NOTE_NOT_EXACT = 5, /* a construct for which the span may be less or more */
    LPF_NOTE_EXECUTED = 6,  /* a construct for which the span is exact for this run alone */
};

struct lpf_thread {
    uint64_t tid;
    uint64_t busy_ns;        /* wall time inside strands */
    uint64_t work_cost;
    uint64_t tasks, steals;
    uint32_t kind;           /* enum lpf_thread_kind */
    uint32_t reserved;
};
enum lpf_thread_kind {
    LPF_THREAD_MAIN = 0,
    LPF_THREAD_USER = 1,
    LPF_THREAD_WORKER = 2,
    LPF_THREAD_UNKNOWN = 3
};

/* The logical calling context tree (L-CCT; Tallent & Mellor-Crummey, PPoPP 2009, section 3). Node 0
 * is the program. From the root down, a path consists of the frames of the program's own strand,
 * the spawn, the frames of the task that was spawned there, the next spawn, ..., the innermost
 * frame. Recursion through tasks is folded: a spawn path that is also among its own ancestors leads
 * back to that ancestor. Frames of the runtime, and of its headers, are in the tree. A logical view
 * leaves them out.
 *
 * The OWNER of a node is the nearest LPF_NODE_TASK (or node 0) at or above it. The tasks of the
 * contexts whose `node` is the owner executed this node. Their exact work_local and span_local are
 * the cost of all nodes of the owner. Samples show how this cost is split. */
struct lpf_node {
    uint32_t parent;         /* index, smaller than this node's own; LPF_NONE: node 0 */
    uint32_t kind;           /* enum lpf_node_kind */
    uint64_t address;        /* FRAME: return address (look up address - 1); LEAF: the instruction
                                itself */
};
enum lpf_node_kind {
    LPF_NODE_FRAME = 0,      /* a call */
    LPF_NODE_LEAF = 1,       /* where a sample hit; or a frame that a signal interrupted */
    LPF_NODE_TASK = 2,       /* boundary: below it are the frames of the task spawned by the frame
                                above */
    LPF_NODE_CUT = 3,        /* frames between are not known (unwinding ended, or the depth
                                limit) */
    LPF_NODE_ROOT = 4,       /* node 0 */
};

/* Samples that hit exactly this node as the innermost one. Ascending by node. */
struct lpf_sample {
    uint32_t node;
    uint32_t blocked;        /* weight of off-CPU samples that found a strand blocked here, or woken
                                and not yet on a CPU. idleness contains them, too, in proportion to
                                their time */
    uint64_t weight;         /* samples; a delayed one stands for several */
    uint64_t idleness;       /* sum over them of idle / working worker slots, times 2^16 (Tallent,
                                2.1) */
    uint64_t on_span;        /* weight of those whose strand is on the critical path */
};
#define LPF_OFF_CPU_NS 10000000u    /* off_cpu_ns of files that do not have it */

/* What strands waited for at a node: the system call in which off-CPU samples found them. Entries
 * ascend by node, then by kind. Their sum over all kinds but LPF_WAIT_CPU is the node's `blocked`
 * in LPF_SAMPLES, unless that is UINT32_MAX; a merged file may have less. */
struct lpf_wait {
    uint32_t node;
    uint32_t kind;           /* enum lpf_wait_kind */
    uint64_t weight;         /* off-CPU samples; a late one stands for several */
    uint64_t idleness;       /* as in struct lpf_sample, which contains it */
};
/* A strand that was woken from a wait and has no CPU yet still counts as waiting, by that wait's
 * kind. */
enum lpf_wait_kind {
    LPF_WAIT_OTHER = 0,      /* other system calls; or it is not known */
    LPF_WAIT_FUTEX = 1,      /* locks, condition variables, joins of threads */
    LPF_WAIT_SLEEP = 2,      /* nanosleep, clock_nanosleep */
    LPF_WAIT_IO = 3,         /* reading, writing, sending, receiving, opening, syncing */
    LPF_WAIT_POLL = 4,       /* poll, select, epoll_wait */
    LPF_WAIT_CHILD = 5,      /* wait4, waitid */
    LPF_WAIT_MEMORY = 6,     /* mmap, munmap, mprotect, mremap, madvise, brk */
    LPF_WAIT_FAULT = 7,      /* in the kernel without a system call: a page fault */
    LPF_WAIT_CPU = 8,        /* preempted: the strand was ready, but had no CPU. The node is where
                                its last sample hit it on the CPU. Not in `blocked` */
    LPF_WAIT_KINDS = 9,
};

/* The context switches of a thread of LPF_THREADS, and how long it was ready without a CPU (the
 * kernel's run delay). What follows a voluntary switch is wake-up latency, and part of the wait;
 * what follows an involuntary one is preemption. Where a run delay follows both kinds, it is split
 * in proportion to their counts. In strands and between strands. Entries ascend by thread. A merged
 * file has entries only if each of its inputs has. */
struct lpf_switches {
    uint32_t thread;         /* index in LPF_THREADS */
    uint32_t reserved;
    uint64_t voluntary, involuntary;            /* in strands: estimated from off-CPU samples */
    uint64_t wakeup_ns, preempted_ns;
    uint64_t idle_voluntary, idle_involuntary;  /* between strands: the rest of all */
    uint64_t idle_wakeup_ns, idle_preempted_ns;
};

/* Sums of the squares of the samples' weights at a node, for error bounds: a delayed sample of
 * weight W has no more information than one sample, and W times the error. Entries ascend by node,
 * and each is a node with samples. Where there is no entry, each sample has weight 1. */
struct lpf_squares {
    uint32_t node;
    uint32_t reserved;
    uint64_t weight;         /* for all samples of the node */
    uint64_t on_span;        /* for those on the critical path */
};

/* The timeline: what the threads did over the run, in bins of one width. */
struct lpf_timeline {
    uint64_t bin_ns;         /* of wall time, at least 1. The first bin begins with the run */
    uint32_t bins;           /* up to the end of the run: 1 to LPF_TIMELINE_MOST */
    uint32_t unplaced;       /* samples of threads beyond those that have rows */
};
#define LPF_TIMELINE_MOST 512u

/* A thread that was sampled: a slot, which several threads may have had one after the other. */
struct lpf_timeline_row {
    uint64_t tid;            /* of its last thread */
    uint32_t name;           /* string offset: the thread's name; "": not known */
    uint32_t kind;           /* enum lpf_thread_kind */
};
#define LPF_TIMELINE_ROWS_MOST 256u

/* Samples of a row in a bin. Entries ascend by row, then by bin, and each has at least one sample.
 * Where there is no entry, nothing was sampled: it is not known what the thread did. */
struct lpf_timeline_bin {
    uint32_t row;            /* index in LPF_TIMELINE_ROWS */
    uint32_t bin;            /* from 0 */
    /* weights of samples on the CPU, each of totals.sample_period_ns. In strands, by whose code the
     * innermost frame is: the program's or a library's, a runtime's, libprof's. If none is
     * unplaced, their sum over all rows and bins is totals.samples + totals.samples_lost */
    uint32_t work, overhead, own;
    uint32_t between;        /* in no strand: totals.samples_outside */
    /* weights of off-CPU samples, each of totals.off_cpu_ns */
    uint32_t blocked;        /* in a strand */
    uint32_t asleep;         /* in no strand */
};

/* Samples with their times. If the run had many, those in the profile are a random subset, in which
 * each sample of a kind is as likely as any other. */
struct lpf_timed {
    uint64_t unit_ns;        /* of the entries' times: 1 to the timeline's bin_ns */
    uint64_t on_cpu, off_cpu; /* samples of each kind in all: at least as many as there are
                                entries */
};

/* A sample in a strand. Entries are in no order. */
struct lpf_timed_sample {
    uint32_t node;
    uint32_t at;             /* the middle of the time that it stands for, in units since the run
                                began; in one of the timeline's bins */
    uint16_t weight;         /* at least 1. It stands for so many times totals.sample_period_ns,
                                off the CPU totals.off_cpu_ns. Above 63 it is rounded down,
                                to a 32nd */
    uint16_t kind;           /* enum lpf_timed_kind */
};
enum lpf_timed_kind {
    LPF_TIMED_ON_CPU = 0,
    LPF_TIMED_OFF_CPU = 1,
};
#define LPF_TIMED_MOST 0x100000u

/* How many tasks were ready over the run, in the timeline's bins: spawned, and not begun. Tasks
 * that begin where they are made never are, nor are threads. */
struct lpf_ready {
    uint64_t unknown;        /* tasks that are not counted, because it is not known when they were
                                ready: tasks that had to wait for others when they were created
                                (depend), and libgomp's taskloops */
    uint64_t reserved;
};

/* The counts in a bin. Entries ascend by bin. Where there is no entry, nobody counted. */
struct lpf_ready_bin {
    uint32_t bin;            /* from 0 */
    uint32_t samples;        /* how often the tasks were counted, at least once */
    uint64_t sum;            /* of these counts */
    uint64_t most;           /* the largest: sum / samples at least, and sum at most */
};

/* Who had the processors, from the program's first event to the profile. */
struct lpf_machine {
    uint32_t flags;          /* LPF_MACHINE_*: what is known. What is not known is 0 */
    uint32_t threads;        /* that did a good part of the work, and whose CPUs are known: samples
                                hit their strands, since they first created or joined threads if
                                they did, a tenth as often as those of any thread, or more */
    uint64_t wall_ns;        /* of the interval, at least 1 with LPF_MACHINE_TIMES */
    uint64_t own_cpu_ns;     /* CPU time of this process in it */
    uint64_t unit_ns;        /* resolution of the CPUs' times, at least 1 with LPF_MACHINE_TIMES */
    uint64_t throttled;      /* periods in which a quota of CPU time (cgroup) was used up; and */
    uint64_t throttled_ns;   /* for how long, summed over CPUs. Of the process's group and those
                                above it, the one with the most ns */
    uint64_t quota_ns, quota_period_ns; /* of these groups' quotas, the least CPU time in a period;
                                           both 0: there is none */
    uint64_t samples_unplaced; /* weight of samples on the CPU that are in no entry of LPF_CPUS */
    uint64_t own_system_ns;  /* the part of own_cpu_ns in the kernel; and page faults of the process
                                that needed no transfer, both in the interval */
    uint64_t own_faults;
};
#define LPF_MACHINE_TIMES 1u /* wall_ns to unit_ns, and the CPUs' times */
#define LPF_MACHINE_QUOTA 2u /* throttled to quota_period_ns */
#define LPF_MACHINE_MASKS 4u /* threads, and the CPUs' threads */

/* A CPU that was online, that the process might use, or where a sample hit it. Entries ascend by
 * cpu. If samples_unplaced is 0, the sums of samples and samples_outside over all CPUs are those of
 * the totals, unless threads ran while the profile was written. */
struct lpf_cpu {
    uint32_t cpu;            /* the kernel's number, below LPF_CPUS_MOST */
    uint32_t flags;          /* LPF_CPU_* */
    uint32_t threads;        /* of machine.threads: those that might run here whenever their masks
                                were read */
    uint32_t reserved;
    /* what the kernel counted in the interval, of all processes: busy (user, nice, system, irq,
     * softirq); taken by the host; idle, or waiting for a disk */
    uint64_t busy_ns, steal_ns, idle_ns;
    uint64_t samples;        /* weight of samples that hit strands here */
    uint64_t samples_outside; /* that hit no strand */
};
#define LPF_CPU_ALLOWED 1u   /* the process might use it when it started */
#define LPF_CPU_ONLINE 2u    /* at both ends of the interval; else its times are 0 */
#define LPF_CPUS_MOST 1024u

/* What-if (TaskProf, FSE 2017, section 4): the work and span of this run if some of its code cost
 * less. A candidate covers what ran between start and stop of the region of its name, and below
 * frames of its code, including tasks spawned there. Where candidates of one scenario nest, the
 * outermost counts. */
struct lpf_candidate {
    uint32_t name;           /* string offset: of a region, a function, FUNCTION@FILE:LINE,
                                @FILE:LINE */
    uint32_t flags;          /* LPF_CANDIDATE_* */
    uint64_t regions;        /* times its region was entered, outermost */
    uint64_t contexts;       /* contexts spawned below its code */
    uint64_t samples;        /* samples of the candidate in strands that it covers only in part.
                                From them libprof estimates its share of those strands. The number
                                is that of samples of weight 1 with the same information: the
                                square of the sum of the weights, divided by the sum of their
                                squares */
};
#define LPF_CANDIDATE_CODE 1u /* there was code of that name */
/* Bit LPF_CANDIDATE_MIXED + i: samples of it and of candidate i hit parts of strands that are
 * alike, but no sample shows that one part has both. All such parts count by the mean of both.
 * They are more than the program's work divided by LPF_CANDIDATE_MIXED_PART. */
#define LPF_CANDIDATE_MIXED 16
#define LPF_CANDIDATE_MIXED_PART 20

struct lpf_scenario {
    uint32_t first_term, terms; /* in LPF_TERMS; at least 1 */
    uint32_t flags;          /* LPF_SCENARIO_* */
    uint32_t reserved;
    uint64_t work_cost;      /* rounded */
    uint64_t span_cost;      /* length of the longest path of the dag with the changed costs;
                                rounded */
};
#define LPF_SCENARIO_LIMIT 1u /* one candidate costs nothing: the limit of what it can bring */

struct lpf_term {            /* the cost of candidate is multiplied by den and divided by num */
    uint32_t candidate;      /* index in LPF_CANDIDATES */
    uint32_t num, den;       /* num > 0 */
    uint32_t reserved;
};

/* A profile that was merged into this one. All entries of a file have one mode.
 * RUNS: as if the inputs had run one after the other. So every cost, time and count of the file is
 * a sum, also the span.
 * PROCESSES: side by side, in an unknown order. Work, times of threads and counts are sums. The
 * span, and what is on it, is that of the input with the longest span. elapsed_ns is the time in
 * which at least one process lived. workers is the most slots at one time.
 * Addresses of a merged file are those of no process. */
struct lpf_input {
    uint32_t mode;           /* enum lpf_merge_mode */
    uint32_t name;           /* string offset: the file, as it was given */
    uint32_t exe, cmdline;   /* string offsets */
    uint32_t pid, workers;
    uint32_t flags;          /* LPF_F_* of its header */
    uint32_t profiles;       /* 1: the input is the profile of one process. Else a merge in the
                                other mode has made it, from so many profiles */
    uint64_t start_unix_ns, elapsed_ns;
    uint64_t work_cost, span_cost;
    uint32_t end, exit_status;
};
enum lpf_merge_mode { LPF_MERGE_RUNS = 1, LPF_MERGE_PROCESSES = 2, LPF_MERGE_JOB = 3 };

/* A rank of an MPI job. If FINISHED, all ranks came to MPI_Finalize and agreed on the job's
 * critical path. Then the contexts' span_local_cost, and the samples on the span, are the part of
 * that path in this rank; the rest is the context of the site with LPF_SITE_ELSEWHERE. Of a job's
 * file (LPF_MERGE_JOB) it has the missing ranks' parts. */
struct lpf_rank {
    uint32_t rank, size;     /* in MPI_COMM_WORLD */
    uint32_t flags;          /* LPF_RANK_* */
    uint32_t pid;
    uint32_t host;           /* string offset */
    uint32_t reserved;
    uint64_t job_span_cost;  /* where MPI_Finalize began; 0: not FINISHED */
    uint64_t work_cost;
    uint64_t on_path_cost;   /* the part of the span in this rank */
    uint64_t threads_ns;     /* lifetimes of its threads (lpf_totals) */
    uint64_t calls;          /* of MPI, by strands */
    /* Time of strands in these calls, by what it was for: LPF_SITE_LATE_SENDER and so on. It is
     * part of the idle time, but transfer_ns of dispatch_ns */
    uint64_t late_sender_ns, collective_ns, sent_ns, transfer_ns;
    uint64_t samples;        /* weight of all samples that hit one of its strands (lpf_totals) */
    uint32_t workers;        /* as in lpf_totals */
    uint32_t reserved2;
    uint64_t late_receiver_ns;  /* as late_sender_ns */
};
#define LPF_RANK_JOINED 1u   /* the paths of all ranks are one dag; else this rank's alone */
#define LPF_RANK_FINISHED 2u
#define LPF_RANK_LAST 4u     /* of a job's file: the path ends in it, after MPI_Finalize */

/* The nodes at which the most samples hit a rank: at most LPF_RANK_SAMPLES_MOST / its size, but at
 * least LPF_RANK_SAMPLES_LEAST of them. What of the rank's samples is in no entry hit other nodes.
 * Entries ascend by rank. */
struct lpf_rank_sample {
    uint32_t rank;           /* index in LPF_RANKS */
    uint32_t node;           /* index in LPF_NODES */
    uint64_t weight;         /* as in struct lpf_sample */
};
#define LPF_RANK_SAMPLES_MOST 0x20000u
#define LPF_RANK_SAMPLES_LEAST 8u

/* What a context of a call of MPI waited for: a late sender (LPF_SITE_LATE_SENDER), or the rank
 * that came last to a collective operation (LPF_SITE_COLLECTIVE). The rest of the context's time
 * was for ranks that are not listed, or not known. Entries ascend by context, then by rank. */
struct lpf_awaited {
    uint32_t context;        /* index in LPF_CONTEXTS */
    uint32_t rank;           /* in MPI_COMM_WORLD */
    uint64_t count;          /* waits, at least 1 */
    uint64_t wait_cost;      /* their time: a part of the context's top_work_cost */
};
/* A rank's own file has at most LPF_AWAITED_MOST / its size, but at least LPF_AWAITED_LEAST
 * entries: those of the most time. */
#define LPF_AWAITED_MOST 0x20000u
#define LPF_AWAITED_LEAST 64u

/* A region in the strands that began the ranks' paths: their main threads'. Entries ascend by
 * region. */
struct lpf_region_rank {
    uint32_t region;         /* index in LPF_REGIONS */
    uint32_t ranks;          /* that were in it: at least 1 */
    uint64_t workers;        /* their workers, as in lpf_totals: a sum */
    uint64_t work_cost;      /* of all ranks, as in lpf_region */
    uint64_t elapsed_ns, outside_ns;    /* of all ranks; outside_ns: without the time in MPI */
    /* of the rank that has most */
    uint64_t most_work_cost, most_elapsed_ns, most_outside_ns;
};

/* The dag of strands, contracted (PROF_DAG). Entry 0 is a task that stands for the program: it
 * spawns the strands that nobody spawned. The operations of a task are the entries first .. first +
 * count - 1, in the order in which its strand executed them. The operations of all tasks follow one
 * another in the order of the tasks' own entries. So a task comes before what it spawns, and every
 * entry but 0 belongs to one task. Contraction keeps work and longest path. A task of less work
 * than `grain` has a work and a span, but no operations of its own. Neighbours among such tasks
 * that were spawned into one scope are a bundle. */
struct lpf_dag {
    uint64_t budget_bytes, grain_cost, first_grain_cost; /* grain at the end, and at the start */
    uint64_t records;        /* kept at the end */
    uint64_t lost;           /* tasks without a record: no memory */
    uint32_t flags, reserved;
};

struct lpf_dag_op {
    uint32_t kind;           /* enum lpf_dag_kind */
    uint32_t scope;          /* TASK, BUNDLE: the scope whose join waits for it; 0: the program's
                                end. JOIN: the scope that is joined. In one task's operations, a
                                number means one scope until its join */
    uint64_t before_cost;    /* cost of the task's own strand since the operation before. BUNDLE: up
                                to its last spawn */
    uint64_t work_cost;      /* TASK without operations, BUNDLE, BLOCK: the work of the subtrees,
                                without before_cost */
    uint64_t span_cost;      /* for the same kinds: the span. BUNDLE: from the operation before to
                                the end of its task that ends last */
    uint64_t not_before_cost; /* WAIT: the earliest time, from the program's start and with any
                                 number of workers, at which a strand can get here. Other kinds:
                                 the earliest time at which they can end. 0: not known */
    uint64_t tasks;          /* tasks executed in its subtree, itself included */
    uint64_t count;          /* TASK: operations; BUNDLE: tasks spawned, at least 1 */
    uint64_t first;          /* TASK: its operations. BUNDLE: cost from its start to the spawn of
                                the task that ends last */
    uint64_t after_cost;     /* TASK: own cost after its last operation. BUNDLE: work of the task
                                that ends last */
    uint64_t spans_cost;     /* BUNDLE: sum of its tasks' spans */
};
enum lpf_dag_kind {
    LPF_DAG_TASK = 0,        /* spawn of a task */
    LPF_DAG_BUNDLE = 1,      /* spawns of several tasks */
    LPF_DAG_JOIN = 2,
    LPF_DAG_BLOCK = 3,       /* tasks that were spawned and joined again, in series with the rest */
    LPF_DAG_WAIT = 4,        /* where arcs begin and end. With a time: for dependences without an
                                arc, and for readers that ignore arcs */
};

/* A dependence. There are two forms.
 * `from` and `to` are WAITs: the strand of `to` does not pass it before the strand of `from` has
 * passed that.
 * `from` is 0, `to` a TASK with operations: no strand spawns the task. It starts with the program,
 * and its own waits determine when it goes on. It is in the list of the task that joins it. */
struct lpf_dag_arc {
    uint32_t from, to;       /* entries of LPF_DAG_OPS */
};

#define LPF_ASSERT_SIZE(type, size) \
    typedef char lpf_assert_##type[sizeof(struct type) == (size) ? 1 : -1] __attribute__((unused))
LPF_ASSERT_SIZE(lpf_header, 40);
LPF_ASSERT_SIZE(lpf_section, 32);
LPF_ASSERT_SIZE(lpf_setting, 8);
LPF_ASSERT_SIZE(lpf_totals, 304);
LPF_ASSERT_SIZE(lpf_module, 72);
LPF_ASSERT_SIZE(lpf_site, 48);
LPF_ASSERT_SIZE(lpf_context, 192);
LPF_ASSERT_SIZE(lpf_spread, 40);
LPF_ASSERT_SIZE(lpf_region, 56);
LPF_ASSERT_SIZE(lpf_idle, 24);
LPF_ASSERT_SIZE(lpf_idle_sum, 16);
LPF_ASSERT_SIZE(lpf_phases, 40);
LPF_ASSERT_SIZE(lpf_rank, 120);
LPF_ASSERT_SIZE(lpf_rank_sample, 16);
LPF_ASSERT_SIZE(lpf_awaited, 24);
LPF_ASSERT_SIZE(lpf_typical, 32);
LPF_ASSERT_SIZE(lpf_outliers, 40);
LPF_ASSERT_SIZE(lpf_note, 24);
LPF_ASSERT_SIZE(lpf_thread, 48);
LPF_ASSERT_SIZE(lpf_node, 16);
LPF_ASSERT_SIZE(lpf_sample, 32);
LPF_ASSERT_SIZE(lpf_wait, 24);
LPF_ASSERT_SIZE(lpf_switches, 72);
LPF_ASSERT_SIZE(lpf_squares, 24);
LPF_ASSERT_SIZE(lpf_timeline, 16);
LPF_ASSERT_SIZE(lpf_timeline_row, 16);
LPF_ASSERT_SIZE(lpf_timeline_bin, 32);
LPF_ASSERT_SIZE(lpf_timed, 24);
LPF_ASSERT_SIZE(lpf_timed_sample, 12);
LPF_ASSERT_SIZE(lpf_ready, 16);
LPF_ASSERT_SIZE(lpf_ready_bin, 24);
LPF_ASSERT_SIZE(lpf_machine, 88);
LPF_ASSERT_SIZE(lpf_cpu, 56);
LPF_ASSERT_SIZE(lpf_candidate, 32);
LPF_ASSERT_SIZE(lpf_scenario, 32);
LPF_ASSERT_SIZE(lpf_term, 16);
LPF_ASSERT_SIZE(lpf_input, 72);
LPF_ASSERT_SIZE(lpf_dag, 48);
LPF_ASSERT_SIZE(lpf_dag_op, 80);
LPF_ASSERT_SIZE(lpf_dag_arc, 8);

#endif /* LIBPROF_FORMAT_H */
