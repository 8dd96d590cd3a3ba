/* bad_layout.c - damage that no checksum shows. */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

/* A function of the damage's name, that strikes the header H and the section table T. */
#define LAYOUT(name, change) \
    static void bad_##name(struct lpf_header *h, struct lpf_section *t) \
    { \
        (void)h; \
        (void)t; \
        change; \
    }
LAYOUT(version, h->version = 2)
LAYOUT(count, t[5].count = UINT64_MAX / 2)
LAYOUT(count_wrap, t[5].count = UINT64_MAX / 176 + 2)
LAYOUT(offset, t[5].offset = UINT64_MAX - 7)
LAYOUT(align, t[5].offset += 4)
LAYOUT(overlap, t[6] = t[5]; t[6].type = 7)
LAYOUT(twice, t[7].type = LPF_REGIONS)
LAYOUT(entry, t[5].entry_size = 8; t[5].count *= sizeof(struct lpf_context) / 8)
LAYOUT(zero_entry, t[5].entry_size = 0)
LAYOUT(totals, t[2].type = 99)
LAYOUT(strings, t[0].type = 99)
LAYOUT(sections, h->section_count = 65)
LAYOUT(header, h->header_size = UINT32_MAX)
LAYOUT(table, h->section_size = UINT32_MAX)
LAYOUT(size, h->file_size = UINT64_MAX)
LAYOUT(crc, h->header_crc = 1)

static int bad_layout(const char *what)
{
    static const struct {
        const char *name;
        void (*spoil)(struct lpf_header *, struct lpf_section *);
    } kinds[] = {
        { "version", bad_version }, { "count", bad_count }, { "count-wrap", bad_count_wrap },
        { "offset", bad_offset }, { "align", bad_align }, { "overlap", bad_overlap },
        { "twice", bad_twice }, { "entry", bad_entry }, { "zero-entry", bad_zero_entry },
        { "totals", bad_totals }, { "strings", bad_strings }, { "sections", bad_sections },
        { "header", bad_header }, { "table", bad_table }, { "size", bad_size },
        { "crc", bad_crc },
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(what, kinds[i].name)) {
            layout.spoil = kinds[i].spoil;
            return 0;
        }
    return -1;
}

/* The rest is damage in the entries, one function for each kind of section. */
static int bad_nodes(const char *what)
{
    paths();
    struct lpf_node *n = FIRST(LPF_NODES);
    struct lpf_sample *x = FIRST(LPF_SAMPLES);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
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
    return 0;
}

static int bad_typical(const char *what)
{
    basic("tsc");
    typical(1, 30);
    struct lpf_typical *t = FIRST(LPF_TYPICAL);
    struct lpf_outliers *o = FIRST(LPF_OUTLIERS);
    if (!strcmp(what, "typical-span"))
        t->span_cost = UINT64_MAX;
    else if (!strcmp(what, "typical-twice"))
        add(LPF_TYPICAL, &(struct lpf_typical){ .span_cost = 1 }, sizeof *t);
    else if (!strcmp(what, "typical-none"))
        o->outliers = 0;
    else if (!strcmp(what, "typical-more"))
        o->parts = o->outliers - 1;
    else if (!strcmp(what, "typical-short"))
        o->longest_cost = 0;
    else if (!strcmp(what, "typical-context"))
        o->context = UINT32_MAX;
    else if (!strcmp(what, "typical-order"))
        add(LPF_OUTLIERS, &(struct lpf_outliers){ .parts = 1, .outliers = 1, .longest_cost = 1 },
            sizeof *o);
    else
        return -1;
    return 0;
}

static int bad_chunks(const char *what)
{
    bool last = !strcmp(what, "chunks-order");
    basic("tsc");
    chunks(last ? LPF_NONE : 4711, 1, 1, 0);
    chunks(0, 1, 1, 0);
    return last || !strcmp(what, "chunks-context") ? 0 : -1;
}

static int bad_teams(const char *what)
{
    struct lpf_team_of_one first = { .executions = 1 }, last = { .executions = 1 };
    if (!strcmp(what, "teams-context"))
        last.context = 4711;
    else if (!strcmp(what, "teams-none"))
        last.executions = 0, last.context = 1;
    else if (strcmp(what, "teams-order") != 0)
        return -1;
    basic("tsc");
    add(LPF_TEAMS_OF_ONE, &first, sizeof first);
    add(LPF_TEAMS_OF_ONE, &last, sizeof last);
    return 0;
}

/* Two entries, of 30 and 40 ns, and what they do not add up to. */
static int bad_idle(const char *what)
{
    struct lpf_idle e[2] = {
        { .kind = LPF_IDLE_WAIT, .octave = LPF_IDLE_LEAST, .count = 1, .ns = 30 },
        { .context = LPF_NONE, .kind = LPF_IDLE_END, .octave = LPF_IDLE_MOST, .count = 1,
          .ns = 40 },
    };
    struct lpf_phases ph = { .starts = 1, .start_ns = 5 };
    struct lpf_idle_sum sum = { .off_dispatch_ns = 10, .own_ns = 5 };
    bool alone = !strcmp(what, "idle-alone");
    basic("tsc");
    struct lpf_totals *t = (struct lpf_totals *)sections[LPF_TOTALS - 1].data;
    t->search_ns = 50;
    t->sleep_ns = 25;           /* 50 + 25 == 30 + 40 + 10 - 5 */
    if (!strcmp(what, "idle-sum"))
        t->sleep_ns = 26;
    else if (!strcmp(what, "idle-context"))
        e[0].context = 4711;
    else if (!strcmp(what, "idle-order"))
        e[1].context = 0, e[1].kind = LPF_IDLE_WORK;
    else if (!strcmp(what, "idle-kind"))
        e[1].kind = LPF_IDLE_END + 1;
    else if (!strcmp(what, "idle-octave"))
        e[1].octave = LPF_IDLE_MOST + 1;
    else if (!strcmp(what, "idle-none"))
        e[1].count = 0;
    else if (!strcmp(what, "idle-phases"))
        ph.ends = 0, ph.end_ns = 1;
    else if (!alone && strcmp(what, "idle-good") != 0)
        return -1;
    add(LPF_IDLE, e, sizeof e);
    add(LPF_PHASES, &ph, sizeof ph);
    if (!alone)
        add(LPF_IDLE_SUM, &sum, sizeof sum);
    return 0;
}

static int bad_handed(const char *what)
{
    struct lpf_handed first = { .chunks = 1 }, last = { .chunks = 1 };
    if (!strcmp(what, "handed-context"))
        last.context = 4711;
    else if (!strcmp(what, "handed-none"))
        last.chunks = 0, last.context = 1;
    else if (strcmp(what, "handed-order") != 0)
        return -1;
    basic("tsc");
    add(LPF_HANDED, &first, sizeof first);
    add(LPF_HANDED, &last, sizeof last);
    return 0;
}

static int bad_arcs(const char *what)
{
    dag_after(false);
    struct lpf_dag_arc *a = FIRST(LPF_DAG_ARCS);
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
    return 0;
}

static int bad_dag(const char *what)
{
    dag(1, 200);
    struct lpf_dag_op *o = FIRST(LPF_DAG_OPS), *b = o;
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
    return 0;
}

static int bad_whatif(const char *what)
{
    whatif();
    struct lpf_candidate *x = FIRST(LPF_CANDIDATES);
    struct lpf_scenario *y = FIRST(LPF_SCENARIOS);
    struct lpf_term *z = FIRST(LPF_TERMS);
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
    return 0;
}

static int bad_ranks(const char *what)
{
    struct lpf_rank r = { .rank = 1, .size = 2 };
    basic("tsc");
    if (!strcmp(what, "ranks-host"))
        r.host = 0x7fffffff;
    else if (!strcmp(what, "ranks-beyond"))
        r.rank = r.size;
    else if (!strcmp(what, "ranks-none"))
        r.rank = r.size = 0;
    else if (!strcmp(what, "ranks-sampled"))
        add(LPF_RANK_SAMPLES, &(struct lpf_rank_sample){ .rank = 1 },
            sizeof(struct lpf_rank_sample));
    else if (!strcmp(what, "ranks-node"))
        add(LPF_RANK_SAMPLES, &(struct lpf_rank_sample){ .node = 0x7fffffff },
            sizeof(struct lpf_rank_sample));
    else if (!strcmp(what, "ranks-region"))
        add(LPF_REGION_RANKS, &(struct lpf_region_rank){ .region = 7, .ranks = 1 },
            sizeof(struct lpf_region_rank));
    else
        return -1;
    add(LPF_RANKS, &r, sizeof r);
    return 0;
}

/* A context that waits for ranks 1 and 3, 10 ms for each, of 25 ms. */
static int bad_awaited(const char *what)
{
    basic("tsc");
    uint32_t flags = LPF_SITE_WAIT | LPF_SITE_COLLECTIVE;
    struct lpf_awaited e[2] = { { .rank = 1, .count = 1, .wait_cost = 10000000 },
                                { .rank = 3, .count = 1, .wait_cost = 10000000 } };
    if (!strcmp(what, "awaited-site"))
        flags = LPF_SITE_WAIT | LPF_SITE_TRANSFER;
    uint32_t place = site("MPI_Barrier", flags, 0x402010);
    struct lpf_context *c = context(LPF_NONE, place, 0, 0, 0, 0);
    e[0].context = e[1].context = c->id;
    c->top_count = c->invocations = 2;
    c->top_work_cost = c->work_local_cost = 25000000;
    if (!strcmp(what, "awaited-context"))
        e[1].context = 4711;
    else if (!strcmp(what, "awaited-order"))
        e[1].rank = 1;
    else if (!strcmp(what, "awaited-none"))
        e[1].count = 0;
    else if (!strcmp(what, "awaited-time"))
        e[1].wait_cost += 5000001;
    else if (!strcmp(what, "awaited-count"))
        e[1].count = 2;
    else if (!strcmp(what, "awaited-over"))
        e[1].wait_cost = UINT64_MAX;
    else if (strcmp(what, "awaited-good") != 0 && strcmp(what, "awaited-site") != 0)
        return -1;
    add(LPF_AWAITED, e, sizeof e);
    return 0;
}

static int bad_basic(const char *what)
{
    basic("tsc");
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    struct lpf_site *s = FIRST(LPF_SITES);
    struct lpf_module *m = FIRST(LPF_MODULES);
    struct lpf_region *r = FIRST(LPF_REGIONS);
    struct filling *text = &sections[LPF_STRINGS - 1];
    if (!bad_layout(what))
        return 0;
    if (!strcmp(what, "exe"))
        t->exe = 0xffffffffu;
    else if (!strcmp(what, "string-edge"))
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

int bad(const char *what)
{
    static const struct { const char *prefix; int (*bad)(const char *what); } kinds[] = {
        { "node-", bad_nodes }, { "dag-arc-", bad_arcs }, { "dag-", bad_dag },
        { "whatif-", bad_whatif }, { "typical-", bad_typical },
        { "chunks-", bad_chunks }, { "teams-", bad_teams }, { "handed-", bad_handed },
        { "idle-", bad_idle },
        { "timeline-", bad_timeline },
        { "timed-", bad_timed }, { "ready-", bad_ready }, { "cpus-", bad_cpus },
        { "ranks-", bad_ranks }, { "awaited-", bad_awaited }, { "", bad_basic },
    };
    unsigned i = 0;
    while (strncmp(what, kinds[i].prefix, strlen(kinds[i].prefix)))
        i++;
    return kinds[i].bad(what);
}
