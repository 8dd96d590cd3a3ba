/* profile.c - the reader. The file may be hostile: the reader checks every number before it uses
 * it, and no sum here can overflow. An entry may be longer than this version's struct: a later
 * version may have appended fields. The reader copies such a section into an array of this
 * version's structs.
 *
 * Every byte of a file is covered. The header's checksum covers the header and the section table,
 * each section has a checksum of its own, and the bytes between sections must be zero. So no damage
 * passes unnoticed.
 */
#define _GNU_SOURCE
#include "profile/profile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/format.h"
#include "profile/awaited.h"
#include "profile/newest.h"
#include "profile/timeline.h"
#include "tar/reader.h"

#define MAX_SECTIONS 64
#define MAX_FILE ((off_t)4 << 30)
#define TOTALS_LEAST offsetof(struct lpf_totals, off_cpu_ns)

static int fail(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(const char *path, const char *format, ...)
{
    va_list ap;
    char *reason = NULL;
    va_start(ap, format);
    char *clean = format_clean(path);
    format_memory(vasprintf(&reason, format, ap) < 0 ? NULL : reason);
    /* One call, because other threads may print at the same time. */
    fprintf(stderr, "prof: %s: %s\n", clean, reason);
    free(clean);
    free(reason);
    va_end(ap);
    return -1;
}

uint32_t profile_crc32(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (; n > 1 << 30; n -= 1 << 30, p += 1 << 30)
        crc = crc32(crc, p, 1 << 30);
    return crc32(crc, p, n);
}

static int read_fully(struct profile *p, int fd, void *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)to + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(p->path, "%s", strerror(errno));
        if (n == 0)
            return fail(p->path, "became shorter while it was read");
        at += n;
    }
    return 0;
}

/* Checks the header before read_all allocates memory for the rest: a sparse file of any size costs
 * nothing to make. */
static int check_header(struct profile *p, const struct lpf_header *h, size_t size)
{
    if (memcmp(h->magic, LPF_MAGIC, sizeof h->magic))
        return fail(p->path, "not a libprof profile");
    if (h->version != LPF_VERSION)
        return fail(p->path, "version %u of the format; this prof reads version %u", h->version,
                    LPF_VERSION);
    if (h->file_size > size)
        return fail(p->path, "truncated: %zu of %llu bytes", size,
                    (unsigned long long)h->file_size);
    if (h->file_size < size)
        return fail(p->path, "damaged: bytes follow its end");
    if (h->header_size < sizeof *h || h->section_size < sizeof(struct lpf_section) ||
        h->section_count > MAX_SECTIONS || h->header_size > size ||
        (uint64_t)h->section_count * h->section_size > size - h->header_size)
        return fail(p->path, "damaged: the header's sizes are impossible");
    return 0;
}

static int read_all(struct profile *p, int fd)
{
    struct stat st;
    struct lpf_header h;
    if (fstat(fd, &st) < 0)
        return fail(p->path, "%s", strerror(errno));
    if (S_ISDIR(st.st_mode)) {
        char *words = profile_folder_words(p->path);
        fail(p->path, "%s", words);
        free(words);
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return fail(p->path, "not a regular file");
    if (!st.st_size)
        return fail(p->path, "empty file");
    if (st.st_size > MAX_FILE)
        return fail(p->path, "larger than any profile");
    size_t first = (size_t)st.st_size < sizeof h ? (size_t)st.st_size : sizeof h;
    memset(&h, 0, sizeof h);
    if (read_fully(p, fd, &h, first))
        return -1;
    if (first < sizeof h)
        return fail(p->path, memcmp(h.magic, LPF_MAGIC, first < 8 ? first : 8)
                                 ? "not a libprof profile"
                                 : "truncated: not even a whole header");
    if (check_header(p, &h, st.st_size))
        return -1;
    p->size = st.st_size;
    p->data = malloc(p->size);
    if (!p->data)
        return fail(p->path, "out of memory");
    memcpy(p->data, &h, sizeof h);
    return read_fully(p, fd, (char *)p->data + sizeof h, p->size - sizeof h);
}

/* Sets *ARRAY to the entries of section S, which have OURS bytes there: those of the file, or
 * copies if they are longer in the file. */
static int take_section(struct profile *p, const struct lpf_section *s, size_t ours, void **array,
                        size_t *count, const char *what)
{
    if (*array)
        return fail(p->path, "damaged: two sections of %s", what);
    if (s->entry_size < ours)
        return fail(p->path, "damaged: entries of %s are too short", what);
    *count = s->count;
    if (s->entry_size == ours) {
        *array = (char *)p->data + s->offset;   /* aligned: malloc's address, and offset % 8 */
        return 0;
    }
    /* entry_size >= ours and all entries lie in the file, so this is at most the file's size. */
    char *to = malloc(s->count ? s->count * ours : 1);
    if (!to)
        return fail(p->path, "out of memory for %s", what);
    const char *from = (const char *)p->data + s->offset;
    for (uint64_t i = 0; i < s->count; i++)
        memcpy(to + i * ours, from + i * s->entry_size, ours);
    *array = to;
    return 0;
}

/* Checks where section S lies: at *END or later, and the bytes between must be zero. Sets *END to
 * the section's end, and *BYTES to its size. */
static int check_section(const struct profile *p, const struct lpf_section *s, uint64_t *end,
                         uint64_t *bytes)
{
    if (!s->entry_size || __builtin_mul_overflow(s->count, (uint64_t)s->entry_size, bytes) ||
        s->offset > p->size || *bytes > p->size - s->offset)
        return fail(p->path, "damaged: section %u lies outside the file", s->type);
    if (s->offset % 8 || s->offset < *end)
        return fail(p->path, "damaged: section %u overlaps another or is not aligned", s->type);
    for (; *end < s->offset; ++*end)
        if (((const char *)p->data)[*end])
            return fail(p->path, "damaged: stray bytes before section %u", s->type);
    *end = s->offset + *bytes;
    if (profile_crc32(0, (const char *)p->data + s->offset, *bytes) != s->crc)
        return fail(p->path, "damaged: checksum of section %u is wrong", s->type);
    return 0;
}

static int read_section(struct profile *p, const struct lpf_section *s, uint64_t *end)
{
    uint64_t bytes = 0;
    int error = check_section(p, s, end, &bytes);
    if (error)
        return error;
    switch (s->type) {
#define SECTION(type, struct_, array, counter, what)                                               \
    case type:                                                                                     \
        return take_section(p, s, sizeof(struct struct_), (void **)&p->array, &p->counter, what);
        SECTION(LPF_SETTINGS, lpf_setting, settings, setting_count, "settings")
        SECTION(LPF_MODULES, lpf_module, modules, module_count, "modules")
        SECTION(LPF_SITES, lpf_site, sites, site_count, "sites")
        SECTION(LPF_CONTEXTS, lpf_context, contexts, context_count, "contexts")
        SECTION(LPF_REGIONS, lpf_region, regions, region_count, "regions")
        SECTION(LPF_NOTES, lpf_note, notes, note_count, "notes")
        SECTION(LPF_THREADS, lpf_thread, threads, thread_count, "threads")
        SECTION(LPF_NODES, lpf_node, nodes, node_count, "nodes")
        SECTION(LPF_SAMPLES, lpf_sample, samples, sample_count, "samples")
        SECTION(LPF_CANDIDATES, lpf_candidate, candidates, candidate_count, "candidates")
        SECTION(LPF_SCENARIOS, lpf_scenario, scenarios, scenario_count, "scenarios")
        SECTION(LPF_TERMS, lpf_term, terms, term_count, "terms")
        SECTION(LPF_INPUTS, lpf_input, inputs, input_count, "inputs")
        SECTION(LPF_LOOPS, lpf_loops, loops, loop_count, "loops")
        SECTION(LPF_DAG, lpf_dag, dag, dag_count, "the dag")
        SECTION(LPF_DAG_OPS, lpf_dag_op, dag_ops, dag_op_count, "the dag's operations")
        SECTION(LPF_SPREAD, lpf_spread, spreads, spread_count, "how work is spread")
        SECTION(LPF_SQUARES, lpf_squares, squares, square_count, "squares of weights")
        SECTION(LPF_TYPICAL, lpf_typical, typical, typical_count, "the typical span")
        SECTION(LPF_OUTLIERS, lpf_outliers, outliers, outlier_count, "outliers")
        SECTION(LPF_CHUNKS, lpf_chunks, chunks, chunk_count, "chunks")
        SECTION(LPF_TEAMS_OF_ONE, lpf_team_of_one, teams_of_one, team_of_one_count,
                "teams of one thread")
        SECTION(LPF_HANDED, lpf_handed, handed, handed_count, "chunks handed out")
        SECTION(LPF_IDLE, lpf_idle, idle, idle_count, "idle intervals")
        SECTION(LPF_IDLE_SUM, lpf_idle_sum, idle_sum, idle_sum_count, "the idle intervals' sum")
        SECTION(LPF_PHASES, lpf_phases, phases, phase_count, "starts and ends")
        SECTION(LPF_TIMELINE, lpf_timeline, timeline, timeline_count, "the timeline")
        SECTION(LPF_TIMELINE_ROWS, lpf_timeline_row, timeline_rows, timeline_row_count,
                "the timeline's rows")
        SECTION(LPF_TIMELINE_BINS, lpf_timeline_bin, timeline_bins, timeline_bin_count,
                "the timeline's bins")
        SECTION(LPF_TIMED, lpf_timed, timed, timed_count, "samples with their times")
        SECTION(LPF_TIMED_SAMPLES, lpf_timed_sample, timed_samples, timed_sample_count,
                "the times of samples")
        SECTION(LPF_READY, lpf_ready, ready, ready_count, "tasks that were ready")
        SECTION(LPF_READY_BINS, lpf_ready_bin, ready_bins, ready_bin_count,
                "the bins of tasks that were ready")
        SECTION(LPF_RANKS, lpf_rank, ranks, rank_count, "ranks")
        SECTION(LPF_RANK_SAMPLES, lpf_rank_sample, rank_samples, rank_sample_count,
                "the ranks' samples")
        SECTION(LPF_AWAITED, lpf_awaited, awaited, awaited_count, "ranks that were waited for")
        SECTION(LPF_REGION_RANKS, lpf_region_rank, region_ranks, region_rank_count,
                "the ranks' regions")
        SECTION(LPF_CPUS, lpf_cpu, cpus, cpu_count, "CPUs")
        SECTION(LPF_MACHINE, lpf_machine, machine, machine_count, "the machine")
        SECTION(LPF_WAITS, lpf_wait, waits, wait_count, "waits")
        SECTION(LPF_SWITCHES, lpf_switches, switches, switch_count, "context switches")
        SECTION(LPF_DAG_ARCS, lpf_dag_arc, dag_arcs, dag_arc_count, "the dag's dependences")
#undef SECTION
    case LPF_STRINGS:
        if (p->strings || s->entry_size != 1)
            return fail(p->path, "damaged: strings");
        p->strings = (const char *)p->data + s->offset;
        p->strings_size = bytes;
        if (!bytes || p->strings[0] || p->strings[bytes - 1])
            return fail(p->path, "damaged: strings are not terminated");
        return 0;
    case LPF_TOTALS:
        if (p->has_totals || s->count != 1 || s->entry_size < TOTALS_LEAST)
            return fail(p->path, "damaged: totals");
        p->has_totals = true;
        memcpy(&p->totals, (const char *)p->data + s->offset,
               s->entry_size < sizeof p->totals ? s->entry_size : sizeof p->totals);
        if (!p->totals.off_cpu_ns)
            p->totals.off_cpu_ns = LPF_OFF_CPU_NS;
        return 0;
    default:
        return 0;               /* a section of a later version */
    }
}

static bool string_ok(const struct profile *p, uint32_t offset)
{
    return offset < p->strings_size;
}

/* Checks every index and every string offset. */
static int check_references(struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    bool ok = string_ok(p, t->clock) && string_ok(p, t->exe) && string_ok(p, t->cmdline) &&
              (t->ns_num == 0 || t->ns_den != 0);
    for (size_t i = 0; i < p->setting_count; i++)
        ok &= string_ok(p, p->settings[i].key) && string_ok(p, p->settings[i].value);
    for (size_t i = 0; i < p->module_count; i++)
        ok &= string_ok(p, p->modules[i].path) && p->modules[i].build_id_len <= 32;
    for (size_t i = 0; i < p->site_count; i++)
        ok &= string_ok(p, p->sites[i].runtime) && string_ok(p, p->sites[i].construct);
    for (size_t i = 0; i < p->context_count; i++)
        ok &= p->contexts[i].site < p->site_count && p->contexts[i].id == i &&
              (p->contexts[i].parent == LPF_NONE || p->contexts[i].parent < p->context_count);
    for (size_t i = 0; i < p->spread_count; i++)
        ok &= p->spreads[i].context < p->context_count &&
              (!i || p->spreads[i - 1].context < p->spreads[i].context);
    for (size_t i = 0; i < p->outlier_count; i++)
        ok &= p->outliers[i].context < p->context_count &&
              (!i || p->outliers[i - 1].context < p->outliers[i].context);
    for (size_t i = 0; i < p->chunk_count; i++)
        ok &= (p->chunks[i].context < p->context_count || p->chunks[i].context == LPF_NONE) &&
              (!i || p->chunks[i - 1].context < p->chunks[i].context);
    for (size_t i = 0; i < p->team_of_one_count; i++)
        ok &= p->teams_of_one[i].context < p->context_count && p->teams_of_one[i].executions &&
              (!i || p->teams_of_one[i - 1].context < p->teams_of_one[i].context);
    for (size_t i = 0; i < p->handed_count; i++)
        ok &= p->handed[i].context < p->context_count && p->handed[i].chunks &&
              (!i || p->handed[i - 1].context < p->handed[i].context);
    for (size_t i = 0; i < p->region_count; i++)
        ok &= string_ok(p, p->regions[i].name);
    for (size_t i = 0; i < p->note_count; i++)
        ok &= string_ok(p, p->notes[i].name) && string_ok(p, p->notes[i].text);
    ok &= string_ok(p, t->sample_source) && p->node_count < LPF_NONE;
    for (size_t i = 0; i < p->node_count; i++)
        ok &= p->nodes[i].kind <= LPF_NODE_ROOT &&
              (p->nodes[i].kind == LPF_NODE_ROOT) == (i == 0) &&
              (i ? p->nodes[i].parent < i : p->nodes[i].parent == LPF_NONE);
    for (size_t i = 0; i < p->sample_count; i++)
        ok &= p->samples[i].node < p->node_count &&
              (!i || p->samples[i - 1].node < p->samples[i].node);
    for (size_t i = 0; i < p->square_count; i++)
        ok &= p->squares[i].node < p->node_count &&
              (!i || p->squares[i - 1].node < p->squares[i].node);
    for (size_t i = 0; i < p->input_count; i++) {
        const struct lpf_input *in = &p->inputs[i];
        ok &= string_ok(p, in->name) && string_ok(p, in->exe) && string_ok(p, in->cmdline) &&
              in->profiles && in->mode >= LPF_MERGE_RUNS && in->mode <= LPF_MERGE_JOB &&
              in->mode == p->inputs[0].mode;
    }
    for (size_t i = 0; i < p->rank_count; i++)
        ok &= string_ok(p, p->ranks[i].host) && p->ranks[i].rank < p->ranks[i].size;
    for (size_t i = 0; i < p->rank_sample_count; i++)
        ok &= p->rank_samples[i].rank < p->rank_count && p->rank_samples[i].node < p->node_count &&
              (!i || p->rank_samples[i - 1].rank <= p->rank_samples[i].rank);
    for (size_t i = 0; i < p->region_rank_count; i++)
        ok &= p->region_ranks[i].region < p->region_count && p->region_ranks[i].ranks &&
              (!i || p->region_ranks[i - 1].region < p->region_ranks[i].region);
    for (size_t i = 0; ok && i < p->context_count; i++) {
        uint32_t node = p->contexts[i].node;
        ok &= node == LPF_NONE || !p->node_count ||
              (node < p->node_count && (p->nodes[node].kind == LPF_NODE_TASK || !node));
    }
    for (size_t i = 0; i < p->candidate_count; i++)
        ok &= string_ok(p, p->candidates[i].name);
    for (size_t i = 0; i < p->term_count; i++)
        ok &= p->terms[i].candidate < p->candidate_count && p->terms[i].num;
    for (size_t i = 0; i < p->scenario_count; i++)
        ok &= p->scenarios[i].terms && p->scenarios[i].first_term < p->term_count &&
              p->scenarios[i].terms <= p->term_count - p->scenarios[i].first_term;
    return ok ? 0 : fail(p->path, "damaged: a reference points outside its table");
}

static bool idle_ascends(const struct lpf_idle *a, const struct lpf_idle *b)
{
    return a->context != b->context ? a->context < b->context
           : a->kind != b->kind     ? a->kind < b->kind
                                    : a->octave < b->octave;
}

/* In a merged file sums stop at UINT64_MAX: then the intervals' sum shows nothing. */
static bool idle_adds_up(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    uint64_t sum = 0, rows;
    bool over = false;
    for (size_t i = 0; i < p->idle_count; i++)
        over |= __builtin_add_overflow(sum, p->idle[i].ns, &sum);
    over |= __builtin_add_overflow(sum, p->idle_sum->off_dispatch_ns, &sum);
    over |= __builtin_add_overflow(t->search_ns, t->sleep_ns, &rows);
    over |= __builtin_add_overflow(rows, p->idle_sum->own_ns, &rows);
    return over || sum == rows || sum == UINT64_MAX || rows == UINT64_MAX;
}

static int check_idle(struct profile *p)
{
    bool ok = p->idle_sum_count <= 1 && (p->idle_sum_count || !(p->idle_count | p->phase_count));
    for (size_t i = 0; i < p->idle_count; i++) {
        const struct lpf_idle *e = &p->idle[i];
        ok &= e->kind <= LPF_IDLE_END && e->octave >= LPF_IDLE_LEAST &&
              e->octave <= LPF_IDLE_MOST && e->count && (!i || idle_ascends(&e[-1], e)) &&
              (e->context == LPF_NONE ||
               (e->context < p->context_count && e->kind <= LPF_IDLE_WAIT));
    }
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct lpf_phases *e = &p->phases[i];
        ok &= (e->context == LPF_NONE || e->context < p->context_count) &&
              (e->starts || !e->start_ns) && (e->ends || !e->end_ns) && (e->starts || e->ends) &&
              (!i || e[-1].context < e->context);
    }
    if (!ok)
        return fail(p->path, "damaged: idle intervals");
    if (p->idle_sum_count && !idle_adds_up(p))
        return fail(p->path, "damaged: idle intervals are not the idle time");
    return 0;
}

static int check_loops(struct profile *p)
{
    const struct lpf_loops *l = p->loops;
    if (!p->loop_count)
        return 0;
    if (p->loop_count != 1 || l->chunks_divided > l->chunks || l->chunks_unknown > l->chunks)
        return fail(p->path, "damaged: more chunks than there are");
    if (l->span_cost > p->totals.span_cost)
        return fail(p->path, "damaged: the divided span is longer than the span");
    return 0;
}

/* A node may have been hit off the CPU by preemption alone: then it need not have a sample. */
static int check_waits(struct profile *p)
{
    bool ok = true;
    uint64_t sum = 0;
    for (size_t i = 0, at = 0; ok && i < p->wait_count; i++) {
        const struct lpf_wait *w = &p->waits[i], *before = i ? w - 1 : w;
        sum = w->node == before->node ? sum : 0;
        ok = w->node < p->node_count && w->kind < LPF_WAIT_KINDS && w->weight &&
             w->weight < 1ull << 56 &&
             (!i || before->node < w->node || (before->node == w->node && before->kind < w->kind));
        while (ok && at < p->sample_count && p->samples[at].node < w->node)
            at++;
        uint64_t most = ok && at < p->sample_count && p->samples[at].node == w->node
                            ? p->samples[at].blocked
                            : 0;
        sum += w->kind == LPF_WAIT_CPU ? 0 : w->weight;
        ok &= sum <= most || most == UINT32_MAX;
    }
    for (size_t i = 0; i < p->switch_count; i++)
        ok &= p->switches[i].thread < p->thread_count &&
              (!i || p->switches[i - 1].thread < p->switches[i].thread);
    return ok ? 0 : fail(p->path, "damaged: waits or context switches make no sense");
}

static int check_typical(struct profile *p)
{
    bool ok = p->typical_count <= 1 &&
              (!p->typical_count || p->typical->span_cost <= p->totals.span_cost);
    for (size_t i = 0; i < p->outlier_count; i++) {
        const struct lpf_outliers *o = &p->outliers[i];
        ok &= o->outliers && o->outliers <= o->parts && o->longest_cost;
    }
    return ok ? 0 : fail(p->path, "damaged: typical span or outliers");
}

/* Adds V to a sum of costs or counts. False: a number is larger than any real one (2^60), so the
 * next addition might overflow. */
static bool sum_ok(uint64_t *sum, uint64_t v)
{
    *sum += v;
    return v < 1ull << 60 && *sum < 1ull << 60;
}

/* Checks the dag. The operations of each task must begin where those of the tasks before it end, so
 * only a tree passes. No length exceeds the sum of all costs, and that sum cannot overflow. */
static int check_dag(struct profile *p)
{
    if (!p->dag_op_count && !p->dag_count && !p->dag_arc_count)
        return 0;
    uint64_t next = 1, n = p->dag_op_count, sum = 0, tasks = 0, spans = 0;
    bool ok = p->dag_count == 1 && n && n < LPF_NONE && p->dag_ops[0].kind == LPF_DAG_TASK &&
              !p->dag_ops[0].before_cost;
    for (uint64_t i = 0; ok && i < n; i++) {
        const struct lpf_dag_op *o = &p->dag_ops[i];
        ok = o->kind <= LPF_DAG_WAIT && sum_ok(&sum, o->before_cost) &&
             sum_ok(&sum, o->work_cost) && sum_ok(&tasks, o->tasks) &&
             o->not_before_cost < 1ull << 60 && sum_ok(&spans, o->spans_cost);
        if (ok && o->kind == LPF_DAG_TASK) {
            ok = (o->count ? o->first == next && next > i && o->count <= n - next : i || n == 1) &&
                 sum_ok(&sum, o->after_cost) &&
                 (o->count ? !o->work_cost && !o->span_cost
                           : !o->after_cost && o->span_cost < 1ull << 60 &&
                                 (o->work_cost || !o->span_cost));
            next += o->count;
        } else if (ok && o->kind == LPF_DAG_BUNDLE) {
            ok = o->count && sum_ok(&tasks, o->count) && o->first <= o->before_cost &&
                 o->first <= o->span_cost && o->after_cost <= o->work_cost &&
                 o->span_cost <= o->before_cost + o->work_cost &&
                 o->span_cost - o->first <= o->spans_cost && o->spans_cost <= o->work_cost;
        } else if (ok) {
            ok = o->span_cost <= o->work_cost && !o->count && !o->first;
        }
    }
    for (size_t i = 0; ok && i < p->dag_arc_count; i++) {
        const struct lpf_dag_arc *a = &p->dag_arcs[i];
        ok = a->from < n && a->to && a->to < n;
        if (ok && p->dag_ops[a->to].kind == LPF_DAG_TASK)
            ok = !a->from && p->dag_ops[a->to].count;
        else if (ok)
            ok = p->dag_ops[a->from].kind == LPF_DAG_WAIT && p->dag_ops[a->to].kind == LPF_DAG_WAIT;
    }
    return ok && next == n ? 0 : fail(p->path, "damaged: the dag makes no sense");
}

static int check_cpus(struct profile *p)
{
    const struct lpf_machine *m = p->machine;
    if (!p->machine_count && !p->cpu_count)
        return 0;
    bool ok = p->machine_count == 1 && !m->quota_ns == !m->quota_period_ns;
    if (ok && m->flags & LPF_MACHINE_TIMES)
        ok = m->wall_ns && m->unit_ns;
    for (size_t i = 0; ok && i < p->cpu_count; i++)
        ok = p->cpus[i].cpu < LPF_CPUS_MOST && p->cpus[i].threads <= m->threads &&
             (!i || p->cpus[i - 1].cpu < p->cpus[i].cpu);
    return ok ? 0 : fail(p->path, "damaged: the CPUs make no sense");
}

static int parse(struct profile *p)
{
    struct lpf_header h;
    memcpy(&h, p->data, sizeof h);
    const char *table = (const char *)p->data + h.header_size;
    uint32_t stored = h.header_crc;
    h.header_crc = 0;
    uint32_t crc = profile_crc32(0, &h, sizeof h);
    crc = profile_crc32(crc, (const char *)p->data + sizeof h, h.header_size - sizeof h);
    if (profile_crc32(crc, table, (size_t)h.section_count * h.section_size) != stored)
        return fail(p->path, "damaged: checksum of the header is wrong");
    p->flags = h.flags;
    uint64_t end = h.header_size + (uint64_t)h.section_count * h.section_size;
    for (uint32_t i = 0; i < h.section_count; i++) {
        struct lpf_section s;
        memcpy(&s, table + (size_t)i * h.section_size, sizeof s);
        if (read_section(p, &s, &end))
            return -1;
    }
    if (end != p->size)
        return fail(p->path, "damaged: bytes follow the last section");
    if (!p->has_totals || !p->strings)
        return fail(p->path, "damaged: totals or strings are missing");
    if (!timeline_check(p))
        return fail(p->path, "damaged: the timeline makes no sense");
    if (!timeline_check_timed(p))
        return fail(p->path, "damaged: the times of samples make no sense");
    if (!timeline_check_ready(p))
        return fail(p->path, "damaged: the numbers of ready tasks make no sense");
    if (check_references(p))
        return -1;
    if (!awaited_check(p))
        return fail(p->path, "damaged: waits for ranks make no sense");
    return check_idle(p) || check_loops(p) || check_typical(p) || check_waits(p) ||
                   check_dag(p) || check_cpus(p)
               ? -1
               : 0;
}

/* If *FD is an archive, reads it, and makes *FD the profile in it: the first member. */
static int open_archive(struct profile *p, int *fd)
{
    static const char zstd[] = { 0x28, (char)0xb5, 0x2f, (char)0xfd };
    char magic[sizeof LPF_MAGIC - 1] = { 0 }, *why = 0;
    if (pread(*fd, magic, sizeof magic, 0) < 0 || !memcmp(magic, LPF_MAGIC, sizeof magic))
        return 0;
    if (!memcmp(magic, zstd, sizeof zstd))
        return fail(p->path, "compressed by zstd; an archive of prof archive is not (zstd -d)");
    if (!tar_begins(*fd))
        return 0;
    p->archive = tar_read(*fd, &why);
    close(*fd);
    *fd = -1;
    if (!p->archive) {
        fail(p->path, "%s", why);
        free(why);
        return -1;
    }
    const struct tar_member *m = tar_first(p->archive);
    const char *slash = strrchr(m->name, '/');
    size_t n = slash ? slash + 1 - m->name : 0;
    p->folder = format_text("%.*s", (int)n, m->name);
    *fd = tar_file(p->archive, m);
    return *fd < 0 ? fail(p->path, "cannot be unpacked: %s", strerror(errno)) : 0;
}

int profile_open(struct profile *p, const char *path)
{
    memset(p, 0, sizeof *p);
    p->path = path;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(path, "%s", strerror(errno));
    int r = open_archive(p, &fd) || read_all(p, fd);
    if (fd >= 0)
        close(fd);
    if (!r)
        r = parse(p);
    if (r)
        profile_close(p);
    return r;
}

/* Frees an array of take_section. That of an empty section may begin at the file's end. */
static void release(const struct profile *p, void *array)
{
    uintptr_t from = (uintptr_t)p->data, at = (uintptr_t)array;
    if (at < from || at > from + p->size)
        free(array);
}

void profile_close(struct profile *p)
{
    void *const arrays[] = {
        p->settings, p->modules, p->sites, p->contexts, p->regions, p->notes, p->threads,
        p->nodes, p->samples, p->candidates, p->scenarios, p->terms, p->inputs, p->loops, p->dag,
        p->dag_ops, p->dag_arcs, p->spreads, p->typical, p->ranks, p->rank_samples, p->outliers,
        p->chunks, p->awaited, p->region_ranks, p->teams_of_one, p->handed, p->idle, p->idle_sum,
        p->phases,
        p->timeline, p->timeline_rows, p->timeline_bins, p->timed, p->timed_samples, p->squares,
        p->ready, p->ready_bins, p->cpus, p->machine, p->waits, p->switches,
    };
    for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        release(p, arrays[i]);
    free(p->data);
    free(p->folder);
    tar_free(p->archive);
    memset(p, 0, sizeof *p);
}
