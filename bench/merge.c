/* merge.c - for merge.sh: made-up profiles of the ranks of an MPI job. ranks FOLDER RANKS CONTEXTS
 * [any] writes FOLDER/N.prof. `any`: each rank has its contexts in an order of its own, as if its
 * threads had come to them by chance; else all have the same order. All ranks run one program, so
 * nearly all of their contexts and call paths are the same. Each rank has other addresses and other
 * figures; each lacks every 50th leaf, and one in a hundred ranks has 20 contexts that no other
 * has. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "libprof_format.h"

enum { SECTIONS = 12, SITES = 500, OWN = 20 };

static struct { char *data; size_t used, size; uint32_t type, entry; } sections[SECTIONS];

static void add(unsigned i, const void *entry, size_t bytes)
{
    if (sections[i].used + bytes > sections[i].size) {
        sections[i].size = (sections[i].used + bytes) * 2 + 4096;
        sections[i].data = realloc(sections[i].data, sections[i].size);
        if (!sections[i].data)
            exit(3);
    }
    memcpy(sections[i].data + sections[i].used, entry, bytes);
    sections[i].used += bytes;
}

enum { STRINGS, SETTINGS, TOTALS, MODULES, SITES_AT, CONTEXTS, THREADS, NODES, SAMPLES, SPREADS,
       RANKS, LOOPS };

static uint32_t text(const char *s)
{
    size_t at = sections[STRINGS].used;
    add(STRINGS, s, strlen(s) + 1);
    return at;
}

static uint64_t mixed(uint64_t v)
{
    v = (v ^ v >> 31) * 0x9e3779b97f4a7c15u;
    return v ^ v >> 29;
}

static uint32_t put_node(uint32_t parent, uint32_t kind, uint64_t address)
{
    struct lpf_node n = { .parent = parent, .kind = kind, .address = address };
    add(NODES, &n, sizeof n);
    return sections[NODES].used / sizeof n - 1;
}

static bool shuffle;
static uint64_t shuffle_by;

/* Context I spawns 7 * I + 1 to 7 * I + 7. */
static unsigned depth(uint32_t i)
{
    unsigned n = 0;
    for (; i; i = (i - 1) / 7)
        n++;
    return n;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (!shuffle || depth(x) != depth(y))
        return (x > y) - (x < y);
    uint64_t i = mixed(x ^ shuffle_by), j = mixed(y ^ shuffle_by);
    return (i > j) - (i < j);
}

/* Adds the contexts of RANK; returns their work. */
static uint64_t put_contexts(uint32_t rank, uint32_t contexts, uint64_t base, uint64_t *on_path)
{
    uint32_t count = contexts + (rank % 100 ? 0 : OWN), n = 0, *made = calloc(count, sizeof *made),
             root = put_node(LPF_NONE, LPF_NODE_ROOT, 0), *task = calloc(count, sizeof *task);
    uint64_t work = 0;
    uint32_t *order = calloc(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    shuffle_by = mixed(rank + 1);
    qsort(order, count, sizeof *order, compare_places);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = order[k], parent = i ? made[(i - 1) / 7] : LPF_NONE;
        if (7 * i >= count && i % 50 == rank % 50)
            continue;           /* a leaf, so no context is spawned in it */
        uint64_t unlike = i < contexts ? 0 : rank, w = 1000 + mixed(i * 7919ull + rank) % 100000;
        uint64_t address = base + 0x1000 + mixed(mixed(i + unlike)) % 0xff000;
        uint64_t on = i % 5 ? 0 : w / 10;
        uint32_t above = parent == LPF_NONE ? root : task[parent];
        task[n] = put_node(put_node(above, LPF_NODE_FRAME, address), LPF_NODE_TASK, i);
        struct lpf_context c = {
            .id = n, .parent = parent, .site = i % SITES, .node = task[n], .tasks = 10,
            .invocations = 5, .steals = 1, .work_local_cost = w, .span_local_cost_all = w / 2,
            .top_count = 5, .top_work_cost = 2 * w, .top_span_cost = w, .topcaller_count = 5,
            .topcaller_work_cost = w, .topcaller_span_cost = w / 2, .on_count = on != 0,
            .on_work_local_cost = on, .span_local_cost = on, .on_top_count = on != 0,
            .on_top_work_cost = 2 * on, .on_top_span_cost = on,
        };
        struct lpf_spread s = { .context = n, .threads = 2, .longest_cost = w / 3,
                                .busiest_tid = 7, .busiest_tasks = 6,
                                .busiest_work_cost = w / 2 };
        add(CONTEXTS, &c, sizeof c);
        add(SPREADS, &s, sizeof s);
        made[i] = n++;
        work += w;
        *on_path += on;
        if (i % 3)
            continue;
        struct lpf_sample x = { .node = put_node(task[made[i]], LPF_NODE_LEAF, address + 4),
                                .weight = 1 + i % 7, .on_span = i % 5 == 0 };
        add(SAMPLES, &x, sizeof x);
    }
    free(order);
    free(made);
    free(task);
    return work;
}

static void write_file(const char *path)
{
    static const char zero[8];
    struct lpf_section table[SECTIONS];
    struct lpf_header h = { .magic = LPF_MAGIC, .version = LPF_VERSION, .header_size = sizeof h,
                            .section_count = SECTIONS, .section_size = sizeof table[0] };
    uint64_t at = sizeof h + sizeof table;
    for (unsigned i = 0; i < SECTIONS; i++) {
        at = (at + 7) & ~7ull;
        table[i] = (struct lpf_section){
            .type = sections[i].type, .entry_size = sections[i].entry, .offset = at,
            .count = sections[i].used / sections[i].entry,
            .crc = crc32(0, (const void *)sections[i].data, sections[i].used),
        };
        at += sections[i].used;
    }
    h.file_size = at;
    h.header_crc = crc32(crc32(0, (const void *)&h, sizeof h), (const void *)table, sizeof table);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(2);
    }
    fwrite(&h, sizeof h, 1, f);
    fwrite(table, sizeof table, 1, f);
    at = sizeof h + sizeof table;
    for (unsigned i = 0; i < SECTIONS; i++) {
        fwrite(zero, 1, table[i].offset - at, f);
        fwrite(sections[i].data, 1, sections[i].used, f);
        at = table[i].offset + sections[i].used;
    }
    if (fclose(f)) {
        perror(path);
        exit(2);
    }
}

static void make_rank(const char *folder, uint32_t rank, uint32_t size, uint32_t contexts)
{
    static const struct { uint32_t type, entry; } kinds[SECTIONS] = {
        [STRINGS] = { LPF_STRINGS, 1 },
        [SETTINGS] = { LPF_SETTINGS, sizeof(struct lpf_setting) },
        [TOTALS] = { LPF_TOTALS, sizeof(struct lpf_totals) },
        [MODULES] = { LPF_MODULES, sizeof(struct lpf_module) },
        [SITES_AT] = { LPF_SITES, sizeof(struct lpf_site) },
        [CONTEXTS] = { LPF_CONTEXTS, sizeof(struct lpf_context) },
        [THREADS] = { LPF_THREADS, sizeof(struct lpf_thread) },
        [NODES] = { LPF_NODES, sizeof(struct lpf_node) },
        [SAMPLES] = { LPF_SAMPLES, sizeof(struct lpf_sample) },
        [SPREADS] = { LPF_SPREAD, sizeof(struct lpf_spread) },
        [RANKS] = { LPF_RANKS, sizeof(struct lpf_rank) },
        [LOOPS] = { LPF_LOOPS, sizeof(struct lpf_loops) },
    };
    char name[4096];
    for (unsigned i = 0; i < SECTIONS; i++) {
        sections[i].used = 0;
        sections[i].type = kinds[i].type;
        sections[i].entry = kinds[i].entry;
    }
    text("");
    uint64_t base = 0x550000000000 + mixed(rank) % 0x100000 * 0x1000, on_path = 0;
    uint32_t tbb = text("tbb"), group = text("task_group"), app = text("/opt/app/bin/solver");
    snprintf(name, sizeof name, "node%05u", rank / 64);
    uint32_t host = text(name);
    struct lpf_setting settings[] = { { text("host"), host },
                                      { text("PROF_CLOCK"), text("tsc") } };
    add(SETTINGS, settings, sizeof settings);
    struct lpf_module m = { .start = base, .end = base + 0x100000, .bias = base, .path = app };
    add(MODULES, &m, sizeof m);
    for (uint32_t i = 0; i < SITES; i++) {
        struct lpf_site s = { .address = { base + 0x1000 + mixed(i) % 0xff000 }, .runtime = tbb,
                              .construct = group };
        add(SITES_AT, &s, sizeof s);
    }
    uint64_t work = put_contexts(rank, contexts, base, &on_path);
    struct lpf_totals t = {
        .clock = text("tsc"), .exe = app, .cmdline = app, .ns_num = 1, .ns_den = 1,
        .work_cost = work, .span_cost = on_path, .burdened_len_cost = on_path, .exact = 1,
        .tasks = 10ull * contexts, .spawns = 10ull * contexts, .elapsed_ns = work,
        .cpu_ns = work, .threads_ns = 2 * work, .workers = 2, .pid = 1000 + rank, .ppid = 1,
        .end = LPF_END_EXIT, .start_unix_ns = 1700000000000000000u,
        .sample_source = text("thread CPU timer"), .sample_period_ns = 4000000,
    };
    for (size_t i = 0; i < sections[SAMPLES].used / sizeof(struct lpf_sample); i++)
        t.samples += ((struct lpf_sample *)sections[SAMPLES].data)[i].weight;
    add(TOTALS, &t, sizeof t);
    struct lpf_thread threads[2] = { { .tid = 1000 + rank, .work_cost = work / 2 },
                                     { .tid = 100000 + rank, .work_cost = work - work / 2,
                                       .kind = LPF_THREAD_WORKER } };
    add(THREADS, threads, sizeof threads);
    struct lpf_loops l = { .span_cost = on_path };
    add(LOOPS, &l, sizeof l);
    struct lpf_rank r = { .rank = rank, .size = size, .flags = LPF_RANK_FINISHED,
                          .pid = 1000 + rank, .host = host, .job_span_cost = on_path,
                          .work_cost = work, .on_path_cost = on_path, .threads_ns = 2 * work,
                          .calls = 1000, .collective_ns = rank % 100 ? work / 2 : 0,
                          .samples = t.samples, .workers = 2 };
    add(RANKS, &r, sizeof r);
    snprintf(name, sizeof name, "%s/%u.prof", folder, rank);
    write_file(name);
}

int main(int argc, char **argv)
{
    uint32_t size = argc == 4 || argc == 5 ? strtoul(argv[2], 0, 10) : 0;
    if (!size) {
        fputs("ranks FOLDER RANKS CONTEXTS [any]\n", stderr);
        return 2;
    }
    shuffle = argc == 5;
    for (uint32_t rank = 0; rank < size; rank++)
        make_rank(argv[1], rank, size, strtoul(argv[3], 0, 10));
    return 0;
}
