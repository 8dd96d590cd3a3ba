/* dags.c - recorded dags. A naive walk computes their work and span here. */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

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

void dag(uint64_t seed_, long tasks)
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
void dag_buried(void)
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
void dag_arcs(uint64_t seed_, unsigned tasks)
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
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->span_cost = t->burdened_len_cost = t->root_span_cost = span;
}

/* A, B, C of 100; 50 after all three. CIRCLE: and A after that. */
void dag_after(bool circle)
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
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->span_cost = t->burdened_len_cost = t->root_span_cost = 150;
}

/* 100 | 100 | 10 from 90 on: 210 of work, a span of 100. */
void dag_wait(void)
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
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->span_cost = t->burdened_len_cost = t->root_span_cost = 100;
    struct lpf_note n = { .kind = LPF_NOTE_DAG, .name = string(evil), .text = string("x"),
                          .count = 1 };
    add(LPF_NOTES, &n, sizeof n);
}

/* dag_after in ms, whose strands were off the CPU for a second, 400 ms of it in a lock: LOCK of the
 * shared object PATH. */
void dag_locked(const char *path, uint64_t lock)
{
    dag_after(false);
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->clock = string("tsc");
    t->ns_num = 1000000;
    t->blocked_ns = 1000000000;
    module(0x400000, 0x500000, program, 0);
    module(0x800000, 0x810000, path, 0)->bias = 0x800000;
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0), in = node(root, LPF_NODE_FRAME, 0x401031);
    sample(node(in, LPF_NODE_LEAF, 0x402000), 20, 20, 0);
    struct lpf_sample wait = { .node = node(in, LPF_NODE_LEAF, 0x800000 + lock), .blocked = 40 };
    add(LPF_SAMPLES, &wait, sizeof wait);
}

/* dag_after in ms, of whose 20 samples in strands 12 hit libprof. BETWEEN ns between them. */
void dag_own(uint64_t between)
{
    dag_after(false);
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    t->clock = string("tsc");
    t->ns_num = 1000000;
    t->dispatch_ns = between;
    t->sample_period_ns = 4000000;
    t->samples = 20;
    t->sample_source = string("thread CPU timer");
    module(0x400000, 0x500000, program, 0);
    module(0x800000, 0x810000, "/nowhere/libprof.so", LPF_MODULE_LIBPROF);
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0);
    sample(node(root, LPF_NODE_LEAF, 0x401030), 8, 8, 0);
    sample(node(root, LPF_NODE_LEAF, 0x800010), 12, 12, 0);
}
