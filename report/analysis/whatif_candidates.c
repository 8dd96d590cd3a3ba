/* whatif_candidates.c - see whatif_candidates.h. A function that spawns is no candidate as a whole:
 * below it lies the parallel part of the program, and a scenario that divides all of that shows
 * nothing. The same holds where one function that is called from nowhere else is most of another:
 * what is left of the outer one is little. So candidates are the deepest functions that dominate,
 * without a task boundary below their frames, and the own code of the others. Those at the place of
 * a finding come first: there the program can gain. */
#include "analysis/whatif_candidates.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "symbols/symbols.h"

/* A function is most of another if it has this share of the other's cost... */
#define DOMINATES 0.5
/* ... and belongs to it, if so much of its own cost lies below the other. */
#define BELONGS 0.9
/* The functions with the most cost, among which one that dominates another is looked for. */
#define LARGEST 64
struct function {
    struct candidate c;
    /* the samples in which it is the program's innermost function; this has no name */
    struct candidate own;
    const struct row *body;     /* the site whose tasks execute it first; NULL: none, or MANY */
    bool many;
    bool spawns;
    bool outer;                 /* one function below it is most of it */
    unsigned rank;              /* 1 + its index in proposal.largest; 0: it is not there */
    size_t seen;                /* 1 + the last sample that it counted */
    /* 1 + the last owner whose span the `unknown` of c, and of own, contains */
    uint32_t unknown_of, own_unknown_of;
    UT_hash_handle hh;
};

struct code {
    uint64_t address;
    size_t count;
    struct function *function[INLINED_MOST];    /* the program's, innermost first */
    UT_hash_handle hh;
};

struct proposal {
    const struct summary *m;
    struct function *functions;
    struct code *codes;
    /* by node of the profile; NULL: not looked up yet. It spares deep paths the hash table. */
    struct code **of_node;
    struct function *largest[LARGEST];
    unsigned largest_count;
    struct path_cost all; /* the samples on the critical path; work and span */
};

/* The name of F's function as a candidate: with its line, if others share it. */
static char *candidate_name(const struct frame *f)
{
    char *name = name_plain(f->function);
    if (!f->file || !f->declared || !name_is_shared(name))
        return name;
    char *with_line = format_text("%s@%s:%d", name, format_base(f->file), f->declared);
    free(name);
    return with_line;
}

static struct function *function_of(struct proposal *p, const struct frame *f)
{
    struct function *found;
    char *name = candidate_name(f);
    HASH_FIND_STR(p->functions, name, found);
    if (found) {
        free(name);
        return found;
    }
    found = format_memory(calloc(1, sizeof *found));
    found->c.name = name;
    found->c.file = f->file ? format_text("%s", f->file) : 0;
    found->c.line = f->declared;
    HASH_ADD_KEYPTR(hh, p->functions, found->c.name, strlen(found->c.name), found);
    return found;
}

static bool is_program(const struct frame *f, const char *module)
{
    static const char *const libraries[] = { "/libc.so",  "/libm.so",   "/ld-linux",  "/libstdc++",
                                             "/libgcc_s", "/libunwind", "/libprof.so",
                                             "vdso" };
    for (unsigned i = 0; module && i < sizeof libraries / sizeof libraries[0]; i++)
        if (strstr(module, libraries[i]))
            return false;
    return !f->nameless && !symbols_library(f);
}

static struct code *find_code(struct proposal *p, const struct lpf_node *n)
{
    struct code *c;
    uint64_t address = n->address - (n->kind == LPF_NODE_FRAME);
    HASH_FIND(hh, p->codes, &address, sizeof address, c);
    if (c)
        return c;
    c = format_memory(calloc(1, sizeof *c));
    c->address = address;
    struct frame f[INLINED_MOST];
    size_t frames = symbols_lookup(p->m->symbols, address, f, INLINED_MOST);
    const char *module = symbols_module(p->m->symbols, address);
    bool runtime = false;
    for (size_t i = 0; i < p->m->profile->module_count; i++) {
        const struct lpf_module *at = &p->m->profile->modules[i];
        runtime |= address >= at->start && address < at->end &&
                   at->flags & (LPF_MODULE_RUNTIME | LPF_MODULE_LIBPROF);
    }
    for (size_t i = 0; !runtime && i < frames; i++)
        if (is_program(&f[i], module))
            c->function[c->count++] = function_of(p, &f[i]);
    HASH_ADD(hh, p->codes, address, sizeof c->address, c);
    return c;
}

static struct code *code_of(struct proposal *p, uint32_t node)
{
    struct code **known = &p->of_node[node];
    if (!*known)
        *known = find_code(p, &p->m->profile->nodes[node]);
    return *known;
}

static bool is_frame(const struct lpf_node *n)
{
    return n->kind == LPF_NODE_FRAME || n->kind == LPF_NODE_LEAF;
}

/* Marks the functions that spawn: those of the frames from a task boundary up to the next one. */
static void find_spawners(struct proposal *p)
{
    const struct profile *q = p->m->profile;
    bool *known = format_memory(calloc(q->node_count + 1, sizeof *known));
    for (size_t i = q->node_count; i-- > 1;)
        if (q->nodes[i].kind == LPF_NODE_TASK)
            for (uint32_t at = q->nodes[i].parent; is_frame(&q->nodes[at]) && !known[at];
                 at = q->nodes[at].parent) {
                struct code *c = code_of(p, at);
                known[at] = true;
                for (size_t k = 0; k < c->count; k++)
                    c->function[k]->spawns = true;
            }
    free(known);
}

/* Is all of the program's code at node AT what compilers made of constructs? */
static bool is_outlined(struct proposal *p, uint32_t at)
{
    struct code *c = code_of(p, at);
    for (size_t k = 0; k < c->count; k++)
        if (!name_is_outlined(c->function[k]->c.name))
            return false;
    return true;
}

/* Sets the bodies of sites: what compilers made of constructs, and the program's first function in
 * it. */
static void find_bodies(struct proposal *p)
{
    const struct profile *q = p->m->profile;
    const struct row **row_of = summary_rows_of_sites(p->m);
    uint32_t *site = format_memory(calloc(q->node_count + 1, sizeof *site));
    bool *first = format_memory(calloc(q->node_count + 1, sizeof *first));
    for (size_t i = 0; i < q->node_count; i++)
        site[i] = LPF_NONE;
    for (size_t i = 0; i < q->context_count; i++)
        if (q->contexts[i].node < q->node_count)
            site[q->contexts[i].node] = q->contexts[i].site;
    for (size_t i = 1; i < q->node_count; i++) {
        uint32_t above = q->nodes[i].parent;
        if (!is_frame(&q->nodes[i]))
            continue;
        bool task = q->nodes[above].kind == LPF_NODE_TASK;
        first[i] = task || (first[above] && is_outlined(p, above));
        site[i] = site[above];
        struct code *c = first[i] && site[i] < q->site_count ? code_of(p, i) : 0;
        for (size_t k = c ? c->count : 0; k-- > 0;) {
            struct function *f = c->function[k];
            f->many |= f->body && f->body != row_of[site[i]];
            f->body = f->many ? 0 : row_of[site[i]];
            if (!name_is_outlined(f->c.name))
                break;
        }
    }
    free(first);
    free(site);
    free(row_of);
}

/* For each node that owns samples (node 0 and task boundaries): their weights, and the cost of its
 * strands. */
struct owner {
    uint64_t samples, on_span;
    double work, span;
};

static uint32_t owner_of(const struct profile *p, uint32_t node)
{
    while (node && p->nodes[node].kind != LPF_NODE_TASK)
        node = p->nodes[node].parent;
    return node;
}

static struct owner *find_owners(const struct profile *p)
{
    struct owner *o = format_memory(calloc(p->node_count + 1, sizeof *o));
    for (size_t i = 0; i < p->sample_count; i++) {
        struct owner *at = &o[owner_of(p, p->samples[i].node)];
        at->samples += p->samples[i].weight;
        at->on_span += p->samples[i].on_span;
    }
    o[0].work = profile_ns(p, p->totals.root_work_cost);
    o[0].span = profile_ns(p, p->totals.root_span_cost);
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        if (c->node == LPF_NONE || c->node >= p->node_count)
            continue;
        o[c->node].work += profile_ns(p, c->work_local_cost);
        o[c->node].span += profile_ns(p, c->span_local_cost);
    }
    return o;
}

static void add_sample(struct candidate *c, const struct lpf_sample *s, uint64_t squares,
                       const struct owner *o)
{
    c->samples += s->weight;
    c->on_span += s->on_span;
    c->on_span_squares += squares;
    c->work += o->samples ? o->work * s->weight / o->samples : 0;
    c->span += o->on_span ? o->span * s->on_span / o->on_span : 0;
}

/* C has a sample of the owner AT, O: in O's span may be C's code, and no sample shows how much. */
static void add_unknown(struct candidate *c, uint32_t *last, uint32_t at, const struct owner *o)
{
    if (*last != at + 1)
        c->unknown += o->span;
    *last = at + 1;
}

static int by_owner(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Sets `unknown`: the span of owners of which no sample hit the critical path. */
static void add_unknowns(struct proposal *p, const struct owner *owners)
{
    const struct profile *q = p->m->profile;
    uint32_t(*of)[2] = format_memory(calloc(q->sample_count + 1, sizeof *of)); /* owner, node */
    size_t n = 0;
    for (size_t i = 0; i < q->sample_count; i++) {
        uint32_t node = q->samples[i].node, at = owner_of(q, node);
        if (owners[at].span > 0 && !owners[at].on_span) {
            of[n][0] = at;
            of[n++][1] = node;
        }
    }
    qsort(of, n, sizeof *of, by_owner);
    for (size_t i = 0; i < n; i++) {
        uint32_t owner = of[i][0];
        struct code *leaf = is_frame(&q->nodes[of[i][1]]) ? code_of(p, of[i][1]) : 0;
        if (leaf && leaf->count)
            add_unknown(&leaf->function[0]->own, &leaf->function[0]->own_unknown_of, owner,
                        &owners[owner]);
        for (uint32_t at = of[i][1]; is_frame(&q->nodes[at]); at = q->nodes[at].parent) {
            struct code *c = code_of(p, at);
            for (size_t k = 0; k < c->count; k++)
                add_unknown(&c->function[k]->c, &c->function[k]->unknown_of, owner,
                            &owners[owner]);
        }
    }
    free(of);
}

#define MOST_NS 0x1p63

static void add_samples(struct proposal *p)
{
    const struct profile *q = p->m->profile;
    struct owner *owners = find_owners(q);
    size_t cursor = 0;
    /* a hostile file's may be larger than any cost */
    p->all = (struct path_cost){ .work = fmin(p->m->work, MOST_NS),
                                 .span = fmin(p->m->span, MOST_NS) };
    for (size_t i = 0; i < q->sample_count; i++) {
        const struct lpf_sample *s = &q->samples[i];
        uint64_t squares = profile_squares(q, i, &cursor).on_span;
        const struct owner *o = &owners[owner_of(q, s->node)];
        path_add(&p->all, &(struct path_cost){ .samples = s->weight,
                                               .on_span = s->on_span,
                                               .on_span_squares = squares });
        struct code *leaf = is_frame(&q->nodes[s->node]) ? code_of(p, s->node) : 0;
        if (leaf && leaf->count)
            add_sample(&leaf->function[0]->own, s, squares, o);
        for (uint32_t at = s->node; is_frame(&q->nodes[at]); at = q->nodes[at].parent) {
            struct code *c = code_of(p, at);
            for (size_t k = 0; k < c->count; k++) {
                struct function *f = c->function[k];
                if (f->seen == i + 1)
                    continue;
                f->seen = i + 1;
                add_sample(&f->c, s, squares, o);
            }
        }
    }
    add_unknowns(p, owners);
    free(owners);
}

static int by_span(const void *a, const void *b)
{
    const struct function *x = *(const struct function *const *)a,
                          *y = *(const struct function *const *)b;
    if (x->c.span != y->c.span)
        return x->c.span < y->c.span ? 1 : -1;
    return x->c.work < y->c.work ? 1 : x->c.work > y->c.work ? -1 : strcmp(x->c.name, y->c.name);
}

static void find_largest(struct proposal *p)
{
    struct function **all = format_memory(calloc(HASH_COUNT(p->functions) + 1, sizeof *all)), *f,
                    *next;
    size_t n = 0;
    HASH_ITER(hh, p->functions, f, next) {
        if (!f->spawns && f->c.work > 0)
            all[n++] = f;
        f->seen = 0;
    }
    qsort(all, n, sizeof *all, by_span);
    for (; p->largest_count < LARGEST && p->largest_count < n; p->largest_count++) {
        p->largest[p->largest_count] = all[p->largest_count];
        all[p->largest_count]->rank = p->largest_count + 1;
    }
    free(all);
}

/* Sets `outer` of the functions most of which is one function that belongs to them. The main
 * function is always what it calls: the program as a whole is no candidate. */
static void find_outer(struct proposal *p)
{
    const struct profile *q = p->m->profile;
    double(*below)[LARGEST] = format_memory(calloc(LARGEST, sizeof *below));
    double samples[LARGEST] = { 0 };
    find_largest(p);
    for (size_t i = 0; i < q->sample_count; i++) {
        unsigned stack[LARGEST], n = 0;
        const struct lpf_sample *s = &q->samples[i];
        for (uint32_t at = s->node; is_frame(&q->nodes[at]); at = q->nodes[at].parent) {
            struct code *c = code_of(p, at);
            for (size_t k = 0; k < c->count; k++) {
                unsigned rank = c->function[k]->rank, known = 0;
                if (!rank)
                    continue;
                while (known < n && stack[known] != rank - 1)
                    known++;
                if (known == n)
                    n++;
                /* the outermost frame of a recursion counts: it moves to the end */
                memmove(stack + known, stack + known + 1, (n - known - 1) * sizeof *stack);
                stack[n - 1] = rank - 1;
            }
        }
        /* by the outermost frame of each two functions of the stack */
        for (unsigned k = 0; k < n; k++) {
            samples[stack[k]] += s->weight;
            for (unsigned inner = 0; inner < k; inner++)
                below[stack[k]][stack[inner]] += s->weight;
        }
    }
    for (unsigned i = 0; i < p->largest_count; i++) {
        struct function *f = p->largest[i];
        for (unsigned k = 0; k < p->largest_count; k++)
            f->outer |= k != i && below[i][k] >= BELONGS * samples[k] &&
                        below[i][k] >= DOMINATES * samples[i];
        f->outer |= !strcmp(f->c.name, "main") && f->own.work < DOMINATES * f->c.work;
    }
    free(below);
}

/* Is function F at the place of the finding X; or, if that is a spawn site, the body of its
 * tasks? */
static bool is_about(const struct cause_finding *x, const struct function *f)
{
    const char *at = x->place.function;
    if (!at)
        return false;
    if (x->site && !strcmp(at, x->site->plain) && x->place.line == x->site->line)
        return f->body == x->site;
    size_t length = strlen(at);
    return !strncmp(f->c.name, at, length) &&
           (!f->c.name[length] || f->c.name[length] == '@') &&
           (!x->place.file || !f->c.file || !strcmp(x->place.file, f->c.file));
}

/* The finding with the largest gain at F; NULL: there is none. */
static const struct cause_finding *finding_of(const struct causes *c, const struct function *f)
{
    for (size_t i = 0; i < c->count; i++)
        if (is_about(&c->found[i], f))
            return &c->found[i];
    return NULL;
}

static int by_cost(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    double u = x->finding ? x->finding->gain : 0, v = y->finding ? y->finding->gain : 0;
    if (u != v)
        return u < v ? 1 : -1;
    if (x->span != y->span)
        return x->span < y->span ? 1 : -1;
    return x->work < y->work ? 1 : x->work > y->work ? -1 : strcmp(x->name, y->name);
}

/* Moves what is proposed of F to OUT. False: it costs nothing. */
static bool take(struct candidate *out, struct function *f, const struct proposal *p,
                 const struct causes *causes)
{
    bool part = f->spawns || f->outer;
    *out = part ? f->own : f->c;
    if (!(out->span > 0 || out->work > 0)) {
        free(f->c.name);
        free(f->c.file);
        return false;
    }
    const struct path_cost own = { .on_span = out->on_span,
                                   .on_span_squares = out->on_span_squares };
    out->margin = path_margin(&own, &p->all);
    out->site = name_is_outlined(f->c.name) ? f->body : 0;
    out->finding = finding_of(causes, f);
    out->file = f->c.file;
    out->line = f->c.line;
    out->name = part ? format_text("%s@own", f->c.name) : f->c.name;
    if (part)
        free(f->c.name);
    return true;
}

struct candidate *whatif_candidates_new(const struct paths *t, size_t limit, size_t *count)
{
    const struct summary *m = t->summary;
    struct proposal p = { .m = m };
    const struct profile *q = m->profile;
    if (q->node_count) {
        p.of_node = format_memory(calloc(q->node_count, sizeof *p.of_node));
        find_spawners(&p);
        find_bodies(&p);
        add_samples(&p);
        find_outer(&p);
        free(p.of_node);
    }
    struct candidate *out = format_memory(
        calloc(HASH_COUNT(p.functions) + q->region_count + 1, sizeof *out));
    size_t n = 0;
    struct function *f, *next;
    HASH_ITER(hh, p.functions, f, next) {
        HASH_DEL(p.functions, f);
        n += take(&out[n], f, &p, t->causes);
        free(f);
    }
    struct code *c, *after;
    HASH_ITER(hh, p.codes, c, after) {
        HASH_DEL(p.codes, c);
        free(c);
    }
    qsort(out, n, sizeof *out, by_cost);
    for (; n > limit; n--)
        candidate_clear(&out[n - 1]);
    for (size_t i = 0; i < q->region_count && i < limit; i++) {
        const struct lpf_region *r = &q->regions[i];
        const char *name = profile_string(q, r->name);
        bool known = !*name || strlen(name) >= 255;     /* no name, or perhaps one cut short */
        for (size_t k = 0; k < n; k++)
            if (!strcmp(out[k].name, name))
                known = out[k].region = true;
        if (!known)
            out[n++] = (struct candidate){ .name = format_text("%s", name),
                                           .region = true,
                                           .span = profile_ns(q, r->span_cost),
                                           .work = profile_ns(q, r->work_cost) };
    }
    *count = n;
    return out;
}

void candidate_clear(struct candidate *c)
{
    free(c->name);
    free(c->file);
    free(c->words);
}

void whatif_candidates_free(struct candidate *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        candidate_clear(&c[i]);
    free(c);
}
