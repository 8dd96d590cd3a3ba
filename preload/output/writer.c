/* writer.c - see writer.h. The whole file is built in one mapped buffer, then written to
 * NAME.PID.tmp in the same directory and renamed, so that a reader sees the old file or the new one.
 *
 * The name. PROF_OUTPUT is made absolute at the start: a daemon changes its directory. Where it does
 * not hold %p it means one process: a forked child, and under `prof run` every process but the one
 * that prof started, appends its pid instead of overwriting it.
 *
 * Rules: one writer at a time (lifecycle.c), signals blocked. System calls that touch the file go
 * through syscall(2): libc's are cancellation points and the program may interpose them. Only a
 * regular file is ever replaced: PROF_OUTPUT=/dev/null, written as root, would replace the device.
 */
#define _GNU_SOURCE
#include "extras/whatif.h"
#include "output/writer.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "model/block.h"
#include "sampling/blocked.h"
#include "engine/burden.h"
#include "base/config.h"
#include "base/program.h"
#include "context/modules.h"
#include "model/region.h"
#include "model/run.h"
#include "extras/dagrec.h"
#include "clock/events.h"
#include "libprof_format.h"
#include "base/message.h"
#include "unwind/runtime.h"
#include "sampling/sampler.h"
#include "model/thread.h"
#include "unwind/cct.h"
#include "unwind/path.h"
#include "unwind/place.h"
#include "base/forbid.h"

/* ---- a growing buffer ---- */

struct buffer {
    char *data;
    size_t used, size;
    bool failed;
};

static void *grow(struct buffer *b, size_t bytes)
{
    if (b->failed)
        return 0;
    if (b->used + bytes > b->size) {
        size_t size = b->size ? b->size * 2 : 1u << 12;
        while (size < b->used + bytes)
            size *= 2;
        char *data = memory_map(size);
        if (!data) {
            b->failed = true;
            return 0;
        }
        if (b->data)
            memcpy(data, b->data, b->used);
        memory_unmap(b->data, b->size);
        b->data = data;
        b->size = size;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

static void add(struct buffer *b, const void *p, size_t bytes)
{
    void *to = grow(b, bytes);
    if (to)
        memcpy(to, p, bytes);
}

static void release(struct buffer *b)
{
    memory_unmap(b->data, b->size);
    memset(b, 0, sizeof *b);
}

/* The string's offset in the strings section; 0 is "". */
static uint32_t string(struct buffer *strings, const char *s)
{
    if (!strings->used)
        add(strings, "", 1);
    if (!s || !*s)
        return 0;
    uint32_t at = strings->used;
    add(strings, s, strlen(s) + 1);
    return strings->failed ? 0 : at;
}

static uint32_t crc32(uint32_t crc, const void *data, size_t n)
{
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++)
                c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            table[i] = c;
        }
    const unsigned char *p = data;
    crc = ~crc;
    while (n--)
        crc = table[(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}

/* ---- system calls ---- */

static int sys_open(const char *name, int flags)
{
    return syscall(SYS_openat, AT_FDCWD, name, (long)flags, 0600L);
}

static int sys_close(int fd)
{
    return syscall(SYS_close, (long)fd);
}

/* ---- the file's name, facts of the process ---- */

static char path[CONFIG_STRING + 1400];
static uint64_t start_unix_ns, start_wall_ns;
/* CPU time of the process that no thread's life in the engine has: when libprof started (exec, the loader), from then until the engine
 * did; of the writing threads. By writer_setup, writer_recording, the one writer. */
static uint64_t cpu_before_ns, cpu_start_ns, cpu_written_ns, cpu_write_start;
static bool write_failed;       /* said once */

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

bool writer_wanted(void)
{
    return config.run == 1 || (config.run > 1 && config.run == getppid());
}

/* ALONE: the name is ours even if it does not hold the pid. */
static void make_path(bool alone)
{
    const char *base = strrchr(program.exe, '/');
    base = base ? base + 1 : program.exe;
    char *at = path, *end = path + sizeof path - 32;
    bool has_pid = false;
    if (*config.output != '/')
        at += message_format(at, end - at, "%s/", strcmp(program.directory, "/") ? program.directory : "");
    for (const char *f = config.output; *f && at < end; f++) {
        if (*f != '%' || !f[1]) {
            *at++ = *f;
            continue;
        }
        switch (*++f) {
        case 'e': at += message_format(at, end - at, "%s", *base ? base : "unknown"); break;
        case 'p':
            at += message_format(at, end - at, "%d", (int)getpid());
            has_pid = true;
            break;
        case 'h': at += message_format(at, end - at, "%s", program.host); break;
        case 't': at += message_format(at, end - at, "%lu", (unsigned long)(start_unix_ns / 1000000000u)); break;
        case '%': *at++ = '%'; break;
        default:
            *at++ = '%';
            *at++ = *f;
        }
    }
    *at = 0;
    if (!has_pid && !alone)
        message_format(at, 32, ".%d", (int)getpid());
}

static void start_clocks(void)
{
    cpu_before_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    cpu_start_ns = cpu_written_ns = 0;
    start_unix_ns = now_ns(CLOCK_REALTIME);
    start_wall_ns = now_ns(CLOCK_MONOTONIC);
}

void writer_recording(void)
{
    cpu_start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_before_ns;
}

void writer_add_cpu(uint64_t ns)
{
    __atomic_add_fetch(&cpu_written_ns, ns, __ATOMIC_RELAXED);
}

void writer_begin(void)
{
    cpu_write_start = now_ns(CLOCK_THREAD_CPUTIME_ID);
}

void writer_setup(void)
{
    int saved = errno;
    start_clocks();             /* first of all: what it does itself is libprof's start */
    program_setup();
    if (!*config.output) {
        message(MESSAGE_WARNING, "PROF_OUTPUT is empty: using \"%%e.%%p.prof\"");
        strcpy(config.output, "%e.%p.prof");
    }
    make_path(config.run <= 1 || writer_wanted());
    errno = saved;
}

void writer_forked(void)
{
    start_clocks();
    make_path(false);
    write_failed = false;
}

/* ---- sections ---- */

struct sections {
    struct buffer strings, settings, totals, modules, sites, contexts, regions, notes, threads, nodes, samples, candidates, scenarios,
        terms, dag, dag_ops, dag_arcs;
};

struct emit_closure {
    struct sections *s;
};

static void emit_setting(void *closure, const char *name, const char *value)
{
    struct sections *s = ((struct emit_closure *)closure)->s;
    struct lpf_setting e = { string(&s->strings, name), string(&s->strings, value) };
    add(&s->settings, &e, sizeof e);
}

static void emit_number(struct emit_closure *c, const char *name, uint64_t value)
{
    char text[24];
    message_format(text, sizeof text, "%lu", (unsigned long)value);
    emit_setting(c, name, text);
}

static void emit_settings(struct sections *s)
{
    struct emit_closure c = { s };
    config_each(emit_setting, &c);
    emit_setting(&c, "host", program.host);
    emit_setting(&c, "clock", clock_detail());
    emit_number(&c, "cpu-before-ns", cpu_before_ns);
    emit_number(&c, "cpu-start-ns", cpu_start_ns);
    emit_number(&c, "cpu-writing-ns", cpu_written_ns + now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_write_start);
    uint64_t delay;
    if (blocked_run_delay(&delay))
        emit_number(&c, "run-delay-ns", delay);
    const struct path_statistics *ps = &path_statistics;
    char paths[160];
    message_format(paths, sizeof paths, "%llu walks of the stack, %llu of them not kept; %llu starts, %llu states, %llu chains, %llu segments",
                   (unsigned long long)ps->walks, (unsigned long long)ps->uncacheable,
                   (unsigned long long)ps->entries, (unsigned long long)ps->states, (unsigned long long)ps->chains,
                   (unsigned long long)ps->segments);
    emit_setting(&c, "spawn-paths", paths);
    const char *name;
    uint64_t value;
    for (unsigned i = 0; !events_read(i, &name, &value); i++) {
        char key[80];
        message_format(key, sizeof key, "event:%s", name);
        emit_number(&c, key, value);
    }
}

static void emit_note(struct sections *s, uint32_t kind, const char *name, const char *text, uint64_t count)
{
    struct lpf_note n = { .kind = kind, .name = string(&s->strings, name),
                          .text = string(&s->strings, text), .count = count };
    add(&s->notes, &n, sizeof n);
}

static void emit_notes(struct sections *s, const struct snapshot *snap)
{
    static const struct { const char *name, *text; } loss[LOSSES] = {
        [LOSS_MEMORY] = { "memory", "events dropped because the kernel gave no memory" },
        [LOSS_CONTEXTS] = { "contexts", "spawns beyond PROF_CONTEXTS, or without memory for more: their histories are merged" },
        [LOSS_LATE_JOIN] = { "late-join", "joins that did not see a task's end in time: the span may be short" },
        [LOSS_REGION] = { "region", "regions stopped without a start, or open when their task ended" },
        [LOSS_UNBALANCED] = { "unbalanced", "tasks seen in an order the agent does not know" },
        [LOSS_NODES] = { "nodes", "frames of call paths beyond PROF_NODES: their paths end early" },
        [LOSS_PATHS] = { "paths", "contexts beyond half of PROF_CONTEXTS: each has one call path for several" },
        [LOSS_PREFIX] = { "prefix", "path prefixes not kept: the on-span split is approximate there" },
        [LOSS_SAMPLES] = { "samples", "threads that the kernel gave nothing to sample them by: their work is not split" },
    };
    for (unsigned i = 0; i < 16 && engine_lower_bounds[i].construct; i++)
        emit_note(s, LPF_NOTE_LOWER_BOUND, engine_lower_bounds[i].construct,
                  "not all dependences between these tasks are visible: the span is a lower bound",
                  engine_lower_bounds[i].count);
    for (unsigned i = 0; i < LOSSES; i++)
        if (snap->lost[i] && loss[i].name)
            emit_note(s, LPF_NOTE_LOSS, loss[i].name, loss[i].text, snap->lost[i]);
    for (unsigned i = 0; i < DAGREC_HIDDEN; i++)
        if (s->dag.used && dagrec_hidden_count(i))
            emit_note(s, LPF_NOTE_DAG, dagrec_hidden_name(i), "not in the recorded dag", dagrec_hidden_count(i));
    if (snap->running)
        emit_note(s, LPF_NOTE_HINT, "running",
                  snap->final ? "strands were still running when the program ended: what they had done is read off "
                                "their threads' CPU clocks"
                              : "strands were running at this checkpoint: what they had done is read off their "
                                "threads' CPU clocks, without the strands that wait for them",
                  snap->running);
    if (snap->approximate)
        emit_note(s, LPF_NOTE_HINT, "cross-join",
                  "joins of tasks that another strand spawned: the span is exact, its split over sites "
                  "charges what such a join added to the joined site", snap->approximate);
}

static void emit_sites(struct sections *s)
{
    /* Ids count up from the oldest; the list starts at the newest. */
    uint32_t n = site_list ? site_list->id + 1 : 0;
    struct lpf_site *out = grow(&s->sites, n * sizeof *out);
    if (!out)
        return;
    for (const struct site *x = __atomic_load_n(&site_list, __ATOMIC_ACQUIRE); x; x = x->next) {
        if (x->id >= n)
            continue;
        struct lpf_site e = { .runtime = string(&s->strings, x->runtime),
                              .construct = string(&s->strings, x->construct), .flags = x->flags };
        for (unsigned i = 0; i < SITE_ADDRESSES; i++)
            e.address[i] = x->address[i];
        out[x->id] = e;
    }
}

/* Context 0, the program's own strands, is in the totals; file index = id - 1. */
static void emit_contexts(struct sections *s, const struct snapshot *snap, struct clock_rate rate)
{
    uint32_t n = snap->context_count;
    struct lpf_context *out = n > 1 ? grow(&s->contexts, (n - 1) * sizeof *out) : 0;
    if (!out)
        return;
    for (const struct context *c = __atomic_load_n(&context_list, __ATOMIC_ACQUIRE); c; c = c->next) {
        if (!c->id || c->id >= n)
            continue;
        const struct metrics *m = &snap->metrics[c->id];
        const struct on_span *o = &snap->on_span[c->id];
        out[c->id - 1] = (struct lpf_context){
            .id = c->id - 1,
            .parent = c->parent && c->parent->id ? c->parent->id - 1 : LPF_NONE,
            .site = c->site->id,
            .node = c->path->node,
            .flags = c->overflow ? LPF_CTX_OVERFLOW : 0,
            .tasks = m->tasks, .invocations = m->invocations, .steals = m->steals,
            .work_local_cost = m->work_local, .span_local_cost_all = m->span_local,
            .top_count = c->top ? m->invocations : 0,
            .top_work_cost = c->top ? m->work : 0,
            .top_span_cost = c->top ? m->span : 0,
            .topcaller_count = c->topcaller ? m->invocations : 0,
            .topcaller_work_cost = c->topcaller ? m->work : 0,
            .topcaller_span_cost = c->topcaller ? m->span : 0,
            .on_count = o->count,
            .blocked_ns = clock_ns(rate, m->blocked),
            .on_work_local_cost = o->work_local, .span_local_cost = o->span_local,
            .on_top_count = c->top ? o->count : 0,
            .on_top_work_cost = c->top ? o->work : 0,
            .on_top_span_cost = c->top ? o->span : 0,
            .on_topcaller_count = c->topcaller ? o->count : 0,
            .on_topcaller_work_cost = c->topcaller ? o->work : 0,
            .on_topcaller_span_cost = c->topcaller ? o->span : 0,
        };
    }
}

static void emit_nodes(struct sections *s)
{
    uint32_t n = cct_count();
    modules_note_tree();
    struct lpf_node *out = grow(&s->nodes, n * sizeof *out);
    if (!out)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct cct_node *from = cct_node(i);
        out[i] = (struct lpf_node){ .parent = from->parent, .kind = from->kind, .address = from->address };
    }
}

static void emit_samples(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t i = 0; i < snap->node_count; i++) {
        const struct node_samples *n = &snap->samples[i];
        if (!n->weight && !n->on_span && !n->blocked)
            continue;
        struct lpf_sample e = { .node = i, .blocked = n->blocked < UINT32_MAX ? n->blocked : UINT32_MAX, .weight = n->weight,
                                .idleness = n->idleness, .on_span = n->on_span };
        add(&s->samples, &e, sizeof e);
    }
}

static void emit_regions(struct sections *s)
{
    for (const struct region_total *r = engine_regions; r; r = r->next) {
        if (!r->count)
            continue;
        struct lpf_region e = { .name = string(&s->strings, r->name), .count = r->count,
                                .work_cost = r->work, .span_cost = r->span, .burdened_len_cost = r->L,
                                .burdened_edges = r->K, .max_span_cost = r->max_span };
        add(&s->regions, &e, sizeof e);
    }
}

static void emit_whatif(struct sections *s, const struct snapshot *snap)
{
    for (uint32_t i = 0; i < whatif_candidates; i++) {
        const struct whatif_seen *w = &whatif_seen[i];
        struct lpf_candidate e = { .name = string(&s->strings, whatif_candidate[i]), .flags = w->code ? LPF_CANDIDATE_CODE : 0,
                                   .regions = w->regions, .contexts = w->contexts, .samples = w->samples };
        add(&s->candidates, &e, sizeof e);
    }
    for (uint32_t i = 0; snap->scaled_work && i < whatif_scenarios; i++) {
        const struct whatif_scenario *w = &whatif_scenario[i];
        struct lpf_scenario e = { .first_term = w->first, .terms = w->terms, .flags = w->limit ? LPF_SCENARIO_LIMIT : 0,
                                  .work_cost = (snap->scaled_work[i] + whatif_unit / 2) / whatif_unit,
                                  .span_cost = (snap->scaled_span[i] + whatif_unit / 2) / whatif_unit };
        add(&s->scenarios, &e, sizeof e);
        for (uint32_t k = w->first; k < w->first + w->terms; k++) {
            struct lpf_term t = { whatif_term[k].candidate, whatif_term[k].num, whatif_term[k].den, 0 };
            add(&s->terms, &t, sizeof t);
        }
    }
}

static void emit_dag_op(void *closure, const struct lpf_dag_op *op)
{
    struct sections *s = closure;
    add(&s->dag_ops, op, sizeof *op);
}

static void emit_dag_arc(void *closure, const struct lpf_dag_arc *arc)
{
    struct sections *s = closure;
    add(&s->dag_arcs, arc, sizeof *arc);
}

static void emit_dag(struct sections *s, const struct snapshot *snap)
{
    static const struct dagrec_emit emit = { emit_dag_op, emit_dag_arc };
    struct lpf_dag head;
    if (snap->final && dagrec_emit(&head, &emit, s))
        add(&s->dag, &head, sizeof head);
}

static void emit_threads(struct sections *s, struct clock_rate rate)
{
    for (const struct thread *th = engine_threads; th; th = th->next) {
        uint64_t work = 0, tasks = 0;
        for (uint32_t i = 0, n = context_count(); i < n; i++) {
            const struct metrics *m = thread_metrics(th, i);
            work += m ? m->work_local : 0;
            tasks += m ? m->tasks : 0;
        }
        const struct task *live = th == thread_self_ ? th->cur : th->open_task;
        if (live)
            work += live->own + th->open;
        if (th->root && th->root != live)
            work += th->root->own;
        struct lpf_thread e = { .tid = th->tid, .busy_ns = clock_ns(rate, th->busy_tsc),
                                .work_cost = work, .tasks = tasks, .steals = th->steals,
                                .kind = th->kind };
        add(&s->threads, &e, sizeof e);
    }
}

static void emit_modules(struct sections *s)
{
    modules_note_runtimes();
    for (const struct module *m = __atomic_load_n(&modules_list, __ATOMIC_ACQUIRE); m; m = m->next) {
        struct lpf_module e = m->m;
        e.path = string(&s->strings, m->path);
        add(&s->modules, &e, sizeof e);
    }
}

static void emit_totals(struct sections *s, const struct snapshot *snap, struct clock_rate rate, uint32_t end, uint32_t status)
{
    struct lpf_totals t = {
        .work_cost = snap->work, .span_cost = snap->span,
        .burdened_len_cost = snap->burdened_len, .burdened_edges = snap->burdened_edges,
        .burden_cost = snap->burden, .root_work_cost = snap->root_work, .root_span_cost = snap->root_span,
        .tasks = snap->tasks, .spawns = snap->spawns, .syncs = snap->syncs, .steals = snap->steals,
        .elapsed_ns = now_ns(CLOCK_MONOTONIC) - start_wall_ns,
        .cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
        .idle_ns = clock_ns(rate, snap->idle_tsc), .own_ns = clock_ns(rate, snap->own_tsc),
        .start_unix_ns = start_unix_ns, .burden_steals = snap->burden_steals,
        .burden_source = snap->burden_source,
        .workers = snap->workers,
        .pid = getpid(), .ppid = getppid(),
        .clock = string(&s->strings, clock_name()),
        .exact = !engine_lower_bounds[0].construct && !snap->lost[LOSS_LATE_JOIN] && !snap->lost[LOSS_MEMORY],
        .exe = string(&s->strings, program.exe), .cmdline = string(&s->strings, program.cmdline),
        .end = end, .exit_status = status,
        .min_strand_cost = calibrated.begin,
        .threads_ns = clock_ns(rate, snap->life_tsc),
        .search_ns = clock_ns(rate, snap->search_tsc), .sleep_ns = clock_ns(rate, snap->sleep_tsc),
        .dispatch_ns = clock_ns(rate, snap->dispatch_tsc), .blocked_ns = clock_ns(rate, snap->blocked_tsc),
        .sample_period_ns = sampler_period_ns(), .sample_period_events = sampler_period_events(),
        .samples = snap->sampled,
        .samples_outside = snap->sampled_outside, .samples_lost = snap->sampled_lost,
        .samples_cut = snap->sampled_cut, .nodes_lost = snap->lost[LOSS_NODES],
        .sample_source = string(&s->strings, sampler_source()),
    };
    clock_unit(&t.ns_num, &t.ns_den);
    add(&s->totals, &t, sizeof t);
}

/* ---- the file ---- */

static void assemble(struct buffer *file, struct sections *s, uint32_t flags)
{
    const struct { uint32_t type, entry; struct buffer *b; } list[] = {
        { LPF_STRINGS, 1, &s->strings },
        { LPF_SETTINGS, sizeof(struct lpf_setting), &s->settings },
        { LPF_TOTALS, sizeof(struct lpf_totals), &s->totals },
        { LPF_MODULES, sizeof(struct lpf_module), &s->modules },
        { LPF_SITES, sizeof(struct lpf_site), &s->sites },
        { LPF_CONTEXTS, sizeof(struct lpf_context), &s->contexts },
        { LPF_REGIONS, sizeof(struct lpf_region), &s->regions },
        { LPF_NOTES, sizeof(struct lpf_note), &s->notes },
        { LPF_THREADS, sizeof(struct lpf_thread), &s->threads },
        { LPF_NODES, sizeof(struct lpf_node), &s->nodes },
        { LPF_SAMPLES, sizeof(struct lpf_sample), &s->samples },
        { LPF_CANDIDATES, sizeof(struct lpf_candidate), &s->candidates },
        { LPF_SCENARIOS, sizeof(struct lpf_scenario), &s->scenarios },
        { LPF_TERMS, sizeof(struct lpf_term), &s->terms },
        { LPF_DAG, sizeof(struct lpf_dag), &s->dag },
        { LPF_DAG_OPS, sizeof(struct lpf_dag_op), &s->dag_ops },
        { LPF_DAG_ARCS, sizeof(struct lpf_dag_arc), &s->dag_arcs },
    };
    enum { N = sizeof list / sizeof list[0] };
    struct lpf_header h = { .magic = LPF_MAGIC, .version = LPF_VERSION, .header_size = sizeof h,
                            .section_count = N, .section_size = sizeof(struct lpf_section),
                            .flags = flags };
    struct lpf_section table[N];
    memset(table, 0, sizeof table);
    uint64_t at = sizeof h + sizeof table;
    for (unsigned i = 0; i < N; i++) {
        at = (at + 7) & ~(uint64_t)7;
        table[i] = (struct lpf_section){ .type = list[i].type, .entry_size = list[i].entry, .offset = at,
                                         .count = list[i].b->used / list[i].entry,
                                         .crc = crc32(0, list[i].b->data, list[i].b->used) };
        at += list[i].b->used;
    }
    h.file_size = at;
    h.header_crc = crc32(crc32(0, &h, sizeof h), table, sizeof table);
    add(file, &h, sizeof h);
    add(file, table, sizeof table);
    for (unsigned i = 0; i < N; i++) {
        grow(file, (8 - file->used % 8) % 8);
        add(file, list[i].b->data, list[i].b->used);
        file->failed |= list[i].b->failed;
    }
}

/* What stands at PATH may be replaced? 0 or -errno. By the system call: other preloads have an lstat of their own (libfaketime's waits for
 * a lock that its own end has taken away). */
static int check_target(void)
{
    struct stat st;
    if (syscall(SYS_newfstatat, (long)AT_FDCWD, path, &st, (long)AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    return S_ISREG(st.st_mode) ? 0 : S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
}

static int write_all(int fd, const struct buffer *file)
{
    for (size_t at = 0; at < file->used;) {
        long n = syscall(SYS_write, (long)fd, file->data + at, file->used - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            return -ENOSPC;
        if (n > 0)
            at += n;
    }
    return 0;
}

static int write_file(const struct buffer *file)
{
    char temporary[sizeof path + 32];
    struct rlimit limit;
    int error = check_target();
    if (error)
        return error;
    /* beyond the limit the kernel would raise SIGXFSZ, which ends the program */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && file->used > limit.rlim_cur)
        return -EFBIG;
    message_format(temporary, sizeof temporary, "%s.%d.tmp", path, (int)getpid());
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = sys_open(temporary, flags);
    if (fd < 0 && errno == EEXIST) {
        /* our own pid's: left by a killed namesake, or by exec */
        unlink(temporary);
        fd = sys_open(temporary, flags);
    }
    if (fd < 0)
        return -errno;
    error = write_all(fd, file);
    if (sys_close(fd) < 0 && !error && errno != EINTR)
        error = -errno;
    if (!error && syscall(SYS_renameat2, (long)AT_FDCWD, temporary, (long)AT_FDCWD, path, 0L) < 0)
        error = -errno;
    if (error)
        unlink(temporary);
    return error;
}

static const char *error_text(int error)
{
    switch (-error) {
    case EACCES: case EPERM: return "permission denied";
    case ENOENT: return "no such directory";
    case ENOSPC: case EDQUOT: return "no space left";
    case EROFS: return "read-only file system";
    case EFBIG: return "file size limit (ulimit -f)";
    case ENOTSUP: return "it exists and is not a regular file";
    case EISDIR: return "it is a directory";
    case ENOTDIR: return "a part of the path is not a directory";
    case ELOOP: return "too many symbolic links";
    case ENOMEM: return "out of memory";
    case ENAMETOOLONG: return "name too long";
    case EMFILE: case ENFILE: return "too many open files";
    default: return "input/output error";
    }
}

void writer_report(int error)
{
    if (!error || write_failed)
        return;
    write_failed = true;
    message(error == -ENOMEM ? MESSAGE_SHORTAGE : MESSAGE_WARNING, "cannot write the profile %s: %s (PROF_OUTPUT names it)", path,
            error_text(error));
}

int writer_write(const struct snapshot *snap, uint32_t end, uint32_t status)
{
    int saved = errno;
    struct clock_rate rate = clock_rate();
    struct sections s;
    struct buffer file;
    memset(&s, 0, sizeof s);
    memset(&file, 0, sizeof file);
    string(&s.strings, "");
    emit_settings(&s);
    emit_totals(&s, snap, rate, end, status);
    emit_sites(&s);
    emit_contexts(&s, snap, rate);
    emit_nodes(&s);
    emit_samples(&s, snap);
    emit_modules(&s);
    emit_regions(&s);
    emit_dag(&s, snap);
    emit_notes(&s, snap);
    emit_threads(&s, rate);
    emit_whatif(&s, snap);
    assemble(&file, &s, end == LPF_END_RUNNING ? LPF_F_CHECKPOINT : end == LPF_END_SIGNAL ? LPF_F_CRASHED : 0);
    int error = file.failed ? -ENOMEM : write_file(&file);
    if (!error && end != LPF_END_RUNNING)
        message(MESSAGE_INFO, "wrote %s (%lu tasks)", path, (unsigned long)snap->tasks);
    struct buffer *each = (struct buffer *)&s;  /* it has nothing but buffers */
    for (unsigned i = 0; i < sizeof s / sizeof *each; i++)
        release(&each[i]);
    release(&file);
    cpu_written_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_write_start;
    errno = saved;
    return error;
}
