/* dag.c - see dag.h: the generator, then the naive program. */
#include "dag.h"
#include <stdlib.h>
#include <string.h>

/* ---- generator ---- */

struct orphan {
    uint32_t task, k;   /* to be joined by somebody else than its owner */
    uint32_t via;       /* scope of the task that holds this entry; after its join it is due */
};
struct orphans {
    struct orphan *o;
    uint32_t n, capacity;
};

struct generator {
    struct program *p;
    uint64_t random;
    uint32_t limit;             /* tasks */
    uint32_t depth_limit, ops;
    bool tiny;                  /* tiny costs: many ties */
    bool got[DAG_EDGES];        /* edges that somebody got from: closed for puts */
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return dag_random(&g->random) % n;
}

static void *grown(void *array, uint32_t n, uint32_t *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    *capacity = n * 2 + 8;
    return realloc(array, *capacity * size);
}

static void emit(struct generator *g, uint32_t task, enum op_kind kind, uint32_t n, uint32_t k)
{
    struct ptask *t = &g->p->task[task];
    t->op = grown(t->op, t->ops, &t->op_capacity, sizeof t->op[0]);
    t->op[t->ops++] = (struct op){ kind, n, k };
}

static void orphan_add(struct orphans *list, uint32_t task, uint32_t k, uint32_t via)
{
    list->o = grown(list->o, list->n, &list->capacity, sizeof list->o[0]);
    list->o[list->n++] = (struct orphan){ task, k, via };
}

static void emit_cost(struct generator *g, uint32_t task)
{
    emit(g, task, OP_COST, g->tiny ? below(g, 3) : below(g, 1u << (4 + below(g, 16))) + 1, 0);
}

/* Join scope K and what is due after it. */
static void emit_join(struct generator *g, uint32_t task, uint32_t k, struct orphans *due)
{
    emit(g, task, OP_JOIN, k, 0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < due->n; i++) {
        if (due->o[i].via != k) {
            due->o[kept++] = due->o[i];
            continue;
        }
        if (below(g, 3) == 0)
            emit_cost(g, task);
        emit(g, task, OP_FOREIGN, due->o[i].task, due->o[i].k);
    }
    due->n = kept;
}

static uint32_t task_add(struct generator *g, uint32_t parent, uint32_t scope)
{
    struct program *p = g->p;
    p->task = grown(p->task, p->tasks, &p->task_capacity, sizeof p->task[0]);
    struct ptask *t = &p->task[p->tasks];
    memset(t, 0, sizeof *t);
    t->parent = parent;
    t->scope = scope;
    t->site = below(g, DAG_SITES);
    t->call = p->features & FEATURE_CALL && below(g, 6) == 0;
    t->discard = p->features & FEATURE_DISCARD && p->tasks && below(g, 12) == 0;
    t->inherit = p->features & FEATURE_INHERIT && p->tasks && below(g, 6) == 0;
    if (t->inherit)
        t->site = p->task[parent].site;
    return p->tasks++;
}

static uint32_t random_scope(struct generator *g)
{
    if (g->p->features & FEATURE_DETACHED && below(g, 20) == 0)
        return SCOPE_DETACHED;
    return g->p->features & FEATURE_KEYED ? below(g, 1 + DAG_KEYED) : SCOPE_SELF;
}

/* Task ID leaves its keyed scope K, which has tasks, to its parent: LEFT. So does what hangs below
 * it; that is due after it. */
static void orphan_scope(struct generator *g, uint32_t id, uint32_t k, const struct orphans *due,
                         struct orphans *left)
{
    orphan_add(left, id, k, g->p->task[id].scope);
    for (uint32_t i = 0; i < due->n; i++)
        if (due->o[i].via == k)
            orphan_add(left, due->o[i].task, due->o[i].k, g->p->task[id].scope);
}

/* Operations of task ID. Orphans it leaves are appended to LEFT, via scope of the parent. */
static void task_fill(struct generator *g, uint32_t id, uint32_t depth, bool may_orphan,
                      struct orphans *left)
{
    struct program *p = g->p;
    uint32_t pending[SCOPE_KINDS] = {0};
    struct orphans due = {0};
    uint32_t n = 1 + below(g, g->ops);
    if (!g->tiny || below(g, 2))
        emit_cost(g, id);
    for (uint32_t i = 0; id == 0 ? p->tasks < g->limit && i < 4 * g->limit : i < n; i++) {
        uint32_t what = below(g, 32), k = random_scope(g), e = below(g, DAG_EDGES);
        if (what < 9) {
            emit_cost(g, id);
        } else if (what < 20) {
            if (p->tasks >= g->limit || depth >= g->depth_limit)
                continue;
            uint32_t child = task_add(g, id, k);
            emit(g, id, OP_SPAWN, child, 0);
            pending[k]++;
            if (!p->task[child].discard)
                task_fill(g, child, depth + 1, may_orphan && k != SCOPE_DETACHED, &due);
            if (below(g, 2))
                emit_cost(g, id);
        } else if (what < 26) {
            if (k != SCOPE_DETACHED && (pending[k] || below(g, 8) == 0)) {
                emit_join(g, id, k, &due);
                pending[k] = 0;
            }
        } else if (what < 28) {
            emit(g, id, what == 26 ? OP_PAUSE : OP_CUT, 0, 0);
        } else if (p->features & FEATURE_EDGES) {
            if (what < 30 && !g->got[e]) {
                emit(g, id, OP_PUT, e, 0);
                p->puts[e]++;
            } else if (what >= 30 && p->puts[e]) {
                emit(g, id, OP_GET, e, 0);
                g->got[e] = true;
            }
        }
    }
    for (uint32_t k = 1; k <= DAG_KEYED; k++) {
        if (!pending[k])
            continue;
        if (id && may_orphan && p->features & FEATURE_FOREIGN && below(g, 3) == 0) {
            orphan_scope(g, id, k, &due, left);
        } else if (id || due.n || below(g, 2)) {
            emit_join(g, id, k, &due);
        }
    }
    if (id == 0 && due.n)
        emit_join(g, id, SCOPE_SELF, &due);
    if (below(g, 2))
        emit_cost(g, id);
    for (uint32_t i = 0; i < due.n; i++)
        if (due.o[i].via == SCOPE_SELF)             /* joined by the task's completion */
            orphan_add(left, due.o[i].task, due.o[i].k, p->task[id].scope);
    free(due.o);
}

void program_make(struct program *p, uint64_t seed, uint32_t features, uint32_t tasks)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->features = features;
    struct generator g = { .p = p, .random = seed, .limit = tasks };
    g.depth_limit = below(&g, 4) == 0 ? 200 : 3 + below(&g, 8);
    g.ops = 3 + below(&g, 20);
    g.tiny = below(&g, 4) == 0;
    struct orphans none = {0};
    task_add(&g, 0, SCOPE_SELF);
    p->task[0].call = p->task[0].inherit = false;
    task_fill(&g, 0, 0, true, &none);
    free(none.o);
}

void program_free(struct program *p)
{
    for (uint32_t i = 0; i < p->tasks; i++)
        free(p->task[i].op);
    free(p->task);
}

/* ---- the naive program ---- */

#define NONE UINT32_MAX

struct arc {
    uint32_t from;
    uint32_t next;              /* of the same target */
    uint32_t spawned;           /* spawn arc: the child; NONE otherwise */
    bool burdened;
};
struct vertex {                 /* a strand, or a part of one */
    uint64_t cost, len, burdened;
    uint64_t hash;              /* of the longest path: which invocations, how much in each */
    uint32_t task, in;          /* arcs */
    uint32_t best;              /* predecessor on the longest path */
    bool ambiguous;             /* other paths are as long and pass elsewhere */
};
struct dag {
    const struct program *p;
    struct vertex *v;           /* in serial order, which is topological */
    uint32_t vertices, vertex_capacity;
    struct arc *a;
    uint32_t arcs, arc_capacity;
    uint32_t *first, *end;      /* per task: vertices */
    uint32_t *child, *sibling;  /* per (task, scope): unjoined children, a list */
    uint32_t *joiner;           /* per task: who it was joined into; NONE nobody */
    uint32_t *put[DAG_EDGES], puts[DAG_EDGES];
};

static uint32_t vertex_new(struct dag *d, uint32_t task)
{
    d->v = grown(d->v, d->vertices, &d->vertex_capacity, sizeof d->v[0]);
    d->v[d->vertices] = (struct vertex){ .task = task, .in = NONE, .best = NONE };
    return d->vertices++;
}

static struct arc *arc_new(struct dag *d, uint32_t from, uint32_t to)
{
    if (from >= to)
        abort();                /* not topological: a bug of this file */
    d->a = grown(d->a, d->arcs, &d->arc_capacity, sizeof d->a[0]);
    d->a[d->arcs] = (struct arc){ .from = from, .next = d->v[to].in, .spawned = NONE };
    d->v[to].in = d->arcs;
    return &d->a[d->arcs++];
}

static uint32_t continued(struct dag *d, uint32_t v)
{
    uint32_t to = vertex_new(d, d->v[v].task);
    arc_new(d, v, to);
    return to;
}

/* The unjoined children of OWNER's scope K: their ends precede V; they become JOINER's. */
static void joined(struct dag *d, uint32_t owner, uint32_t k, uint32_t v, uint32_t joiner)
{
    uint32_t *list = &d->child[owner * SCOPE_KINDS + k];
    for (; *list != NONE; *list = d->sibling[*list]) {
        arc_new(d, d->end[*list], v);
        d->joiner[*list] = joiner;
    }
}

static void task_strands(struct dag *d, uint32_t id)
{
    const struct program *p = d->p;
    uint32_t v = d->first[id];
    for (uint32_t i = 0; i < p->task[id].ops; i++) {
        const struct op *op = &p->task[id].op[i];
        const struct ptask *c = &p->task[op->n];
        switch (op->kind) {
        case OP_COST:
            d->v[v].cost += op->n;
            break;
        case OP_SPAWN:
            if (c->discard)
                break;
            d->first[op->n] = vertex_new(d, op->n);
            struct arc *a = arc_new(d, v, d->first[op->n]);
            a->burdened = !c->call;
            a->spawned = op->n;
            d->sibling[op->n] = d->child[id * SCOPE_KINDS + c->scope];
            d->child[id * SCOPE_KINDS + c->scope] = op->n;
            task_strands(d, op->n);
            v = continued(d, v);
            break;
        case OP_JOIN:
            v = continued(d, v);
            joined(d, id, op->n, v, id);
            break;
        case OP_FOREIGN:
            v = continued(d, v);
            joined(d, op->n, op->k, v, id);
            break;
        case OP_PUT:
            d->put[op->n][d->puts[op->n]++] = v;
            v = continued(d, v);
            break;
        case OP_GET:
            v = continued(d, v);
            for (uint32_t j = 0; j < d->puts[op->n]; j++)
                arc_new(d, d->put[op->n][j], v);
            break;
        default:
            break;
        }
    }
    v = continued(d, v);
    joined(d, id, SCOPE_SELF, v, id);
    if (id == 0)                /* the end of the program joins all the rest */
        for (uint32_t k = 1; k <= DAG_KEYED; k++)
            joined(d, 0, k, v, 0);
    d->end[id] = v;
}

/* The task whose invocation task I belongs to. */
static uint32_t invocation_of(const struct program *p, uint32_t i)
{
    while (p->task[i].inherit)
        i = p->task[i].parent;
    return i;
}

static uint64_t mix(uint64_t x)
{
    return dag_random(&x);
}

static void longest(struct dag *d, uint64_t burden)
{
    for (uint32_t i = 0; i < d->vertices; i++) {
        struct vertex *v = &d->v[i];
        for (uint32_t a = v->in; a != NONE; a = d->a[a].next) {
            const struct vertex *u = &d->v[d->a[a].from];
            uint64_t b = u->burdened + (d->a[a].burdened ? burden : 0);
            uint64_t hash = u->hash +
                            (d->a[a].spawned != NONE ? mix(~(uint64_t)d->a[a].spawned) : 0);
            if (b > v->burdened)
                v->burdened = b;
            if (v->best == NONE || u->len > v->len) {
                v->best = d->a[a].from;
                v->len = u->len;
                v->hash = hash;
                v->ambiguous = u->ambiguous;
            } else if (u->len == v->len && (hash != v->hash || u->ambiguous)) {
                v->ambiguous = true;
            }
        }
        v->len += v->cost;
        v->burdened += v->cost;
        v->hash += v->cost * mix(invocation_of(d->p, v->task));
    }
}

/* Own cost of the invocation of TASK on the longest path from its birth to its end. */
static uint64_t loc_of(const struct dag *d, uint32_t task)
{
    uint64_t loc = 0;
    for (uint32_t v = d->end[task]; v != NONE; v = d->v[v].best) {
        if (invocation_of(d->p, d->v[v].task) == invocation_of(d->p, task))
            loc += d->v[v].cost;
        if (v == d->first[task])
            return loc;
    }
    return 0;                   /* an edge led past its birth: not asked for */
}

static void tasks_truth(struct truth *t, const struct dag *d)
{
    const struct program *p = d->p;
    for (uint32_t i = 0; i < d->vertices; i++)
        t->task[d->v[i].task].own += d->v[i].cost;
    for (uint32_t i = p->tasks; i-- > 0;) {
        struct task_truth *me = &t->task[i];
        if (p->task[i].discard)
            continue;
        me->subtree += me->own;         /* a joiner is an ancestor: its number is lower */
        me->invocation += me->own;
        if (d->joiner[i] != NONE) {
            t->task[d->joiner[i]].subtree += me->subtree;
            if (p->task[i].inherit && d->joiner[i] == p->task[i].parent) /* else it is over */
                t->task[d->joiner[i]].invocation += me->invocation;
        }
        me->end = d->v[d->end[i]].len;
        uint32_t before = i ? d->v[d->first[i]].best : NONE;
        me->birth = before == NONE ? 0 : d->v[before].len;
        me->loc = t->exact ? loc_of(d, i) : 0;
        me->top = true;
        for (uint32_t j = p->task[i].parent; j; j = p->task[j].parent)
            if (p->task[j].site == p->task[i].site && invocation_of(p, j) != 0)
                me->top = false;        /* the root and what it inherited have no site */
        t->spawns += i && !p->task[i].call;
        t->tasks += i != 0;
    }
}

void truth_compute(struct truth *t, const struct program *p, uint64_t burden)
{
    memset(t, 0, sizeof *t);
    struct dag d = { .p = p };
    size_t n = p->tasks;
    d.first = calloc(n, sizeof d.first[0]);
    d.end = calloc(n, sizeof d.end[0]);
    d.sibling = calloc(n, sizeof d.sibling[0]);
    d.child = malloc(n * SCOPE_KINDS * sizeof d.child[0]);
    d.joiner = malloc(n * sizeof d.joiner[0]);
    memset(d.child, 255, n * SCOPE_KINDS * sizeof d.child[0]);
    memset(d.joiner, 255, n * sizeof d.joiner[0]);
    for (uint32_t e = 0; e < DAG_EDGES; e++)
        d.put[e] = calloc(p->puts[e] + 1, sizeof d.put[e][0]);
    d.first[0] = vertex_new(&d, 0);
    task_strands(&d, 0);
    longest(&d, burden);

    t->task = calloc(n, sizeof t->task[0]);
    t->span_of = calloc(n, sizeof t->span_of[0]);
    uint32_t last = d.end[0];   /* detached tasks end with the program, too */
    bool tie = false;
    t->all_unique = true;
    for (uint32_t i = 0; i < d.vertices; i++) {
        t->work += d.v[i].cost;
        if (d.v[i].ambiguous)
            t->all_unique = false;
        if (d.v[i].len > d.v[last].len)
            last = i;
        if (d.v[i].burdened > t->burdened)
            t->burdened = d.v[i].burdened;
    }
    for (uint32_t i = 1; i < p->tasks; i++)
        if (p->task[i].scope == SCOPE_DETACHED && !p->task[i].discard && last == d.end[0] &&
            d.v[d.end[i]].len == d.v[last].len)
            tie = true;
    t->span = d.v[last].len;
    t->exact = !(p->features & (FEATURE_EDGES | FEATURE_FOREIGN));
    t->unique = !d.v[last].ambiguous && !tie && last == d.end[0];
    tasks_truth(t, &d);
    for (uint32_t v = last; v != NONE; v = d.v[v].best) {
        t->span_of[invocation_of(p, d.v[v].task)] += d.v[v].cost;
        t->task[d.v[v].task].on_span = true;
    }
    for (uint32_t e = 0; e < DAG_EDGES; e++)
        free(d.put[e]);
    free(d.first);
    free(d.end);
    free(d.sibling);
    free(d.child);
    free(d.joiner);
    free(d.v);
    free(d.a);
}

void truth_free(struct truth *t)
{
    free(t->task);
    free(t->span_of);
}
