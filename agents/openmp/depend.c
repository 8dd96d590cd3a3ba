/* depend.c - see depend.h. Nodes are counted by those who may still want their path: the table's groups, the lists
 * of tasks to come, and the node's own task.
 */
#include "depend.h"
#include <errno.h>
#include "block.h"
#include "model.h"
#include "forbid.h"

struct depend_node {
    struct task *kept;          /* written once, before `ended` */
    uint32_t uses;
    uint32_t ended;
};

struct depend_list {
    struct depend_list *next;
    struct depend_node *node;
};

struct address {
    struct address *next;       /* in its bucket */
    const void *address;
    enum depend_kind kind;      /* of the newest group */
    uint32_t length, limit;     /* of `newest`; where it is thinned out */
    struct depend_list *newest, *before;
};

enum { THIN_OUT = 64 };

struct depend_table {
    uint32_t count, buckets;    /* a power of two */
    struct address *bucket[];
};

static void node_release(struct thread *th, struct depend_node *n)
{
    if (__atomic_sub_fetch(&n->uses, 1, __ATOMIC_ACQ_REL))
        return;
    if (n->kept)
        engine_keep_free(th, n->kept);
    block_free(th, n);
}

static bool list_add(struct thread *th, struct depend_list **list, struct depend_node *n)
{
    struct depend_list *l = block_new(th, block_class(sizeof *l));
    if (!l)
        return false;
    __atomic_fetch_add(&n->uses, 1, __ATOMIC_RELAXED);
    l->node = n;
    l->next = *list;
    *list = l;
    return true;
}

void depend_list_free(struct thread *th, struct depend_list *l)
{
    while (l) {
        struct depend_list *next = l->next;
        node_release(th, l->node);
        block_free(th, l);
        l = next;
    }
}

/* ---- the table ---- */

static uint32_t bucket_of(const struct depend_table *t, const void *address)
{
    return ((uintptr_t)address * 0x9e3779b97f4a7c15ull >> 32) & (t->buckets - 1);
}

static struct depend_table *table_new(struct thread *th, uint32_t buckets)
{
    size_t bytes = sizeof(struct depend_table) + buckets * sizeof(struct address *);
    struct depend_table *t = block_new(th, block_class(bytes));
    if (!t)
        return 0;
    t->count = 0;
    t->buckets = buckets;
    for (uint32_t i = 0; i < buckets; i++)
        t->bucket[i] = 0;
    return t;
}

/* Twice as many buckets, as long as there is memory for them: else chains grow. */
static struct depend_table *table_grow(struct thread *th, struct depend_table *t)
{
    enum { MOST = 1 << 18 };
    struct depend_table *more = t->buckets < MOST ? table_new(th, t->buckets * 2) : 0;
    if (!more)
        return t;
    more->count = t->count;
    for (uint32_t i = 0; i < t->buckets; i++)
        for (struct address *a = t->bucket[i], *next; a; a = next) {
            next = a->next;
            uint32_t b = bucket_of(more, a->address);
            a->next = more->bucket[b];
            more->bucket[b] = a;
        }
    block_free(th, t);
    return more;
}

static struct address *find(const struct depend_table *t, const void *address)
{
    struct address *a = t ? t->bucket[bucket_of(t, address)] : 0;
    while (a && a->address != address)
        a = a->next;
    return a;
}

static struct address *find_or_add(struct thread *th, struct depend_table **table, const void *address)
{
    struct address *a = find(*table, address);
    if (a)
        return a;
    if (!*table && !(*table = table_new(th, 16)))
        return 0;
    if ((*table)->count > 2 * (*table)->buckets)
        *table = table_grow(th, *table);
    a = block_new(th, block_class(sizeof *a));
    if (!a)
        return 0;
    uint32_t b = bucket_of(*table, address);
    *a = (struct address){ .next = (*table)->bucket[b], .address = address, .kind = DEPEND_OUT, .limit = THIN_OUT };
    (*table)->bucket[b] = a;
    (*table)->count++;
    return a;
}

void depend_table_joined(struct thread *th, struct depend_table **t)
{
    enum { FEW = 64 };          /* to make them anew costs more than they do */
    if (*t && (*t)->count > FEW) {
        depend_table_free(th, *t);
        *t = 0;
    }
}

void depend_table_free(struct thread *th, struct depend_table *t)
{
    for (uint32_t i = 0; i < t->buckets; i++)
        for (struct address *a = t->bucket[i], *next; a; a = next) {
            next = a->next;
            depend_list_free(th, a->newest);
            depend_list_free(th, a->before);
            block_free(th, a);
        }
    block_free(th, t);
}

/* ---- dependences ---- */

/* What the runtime has waited for has ended, or tells so in a moment. */
static bool has_ended(struct thread *th, const struct depend_node *n)
{
    bool ended = __atomic_load_n(&n->ended, __ATOMIC_ACQUIRE);
    if (!ended) {
        int saved = errno;
        struct late late = { .since = 0 };
        while (!ended && engine_late_turn(&late))
            ended = __atomic_load_n(&n->ended, __ATOMIC_ACQUIRE);
        engine_late_end(th, &late, ended);
        errno = saved;
    }
    return ended;
}

/* Does a task of KIND belong to A's newest group? */
static bool joins_group(const struct address *a, enum depend_kind kind)
{
    return a->newest && kind != DEPEND_OUT && a->kind == kind;
}

static const struct task *ended_with(const struct depend_list *l)
{
    return __atomic_load_n(&l->node->ended, __ATOMIC_ACQUIRE) ? l->node->kept : 0;
}

/* A group has as many tasks as the program likes: all readers of what is never written. Those that have ended are needed no longer where
 * another one has the longest path; of equal ones the newest, which stands first. */
static void thin_out(struct thread *th, struct address *a)
{
    const struct task *longest = 0, *kept;
    for (const struct depend_list *l = a->newest; l; l = l->next)
        if ((kept = ended_with(l)) && (!longest || kept->S > longest->S))
            longest = kept;
    struct depend_list **at = &a->newest;
    bool older = false;
    for (struct depend_list *l = *at; l; l = *at) {
        kept = ended_with(l);
        older |= kept && kept == longest;
        if (kept && kept != longest && (older || kept->S < longest->S) && engine_keep_covers(longest, kept)) {
            *at = l->next;
            node_release(th, l->node);
            block_free(th, l);
            a->length--;
        } else {
            at = &l->next;
        }
    }
    a->limit = 2 * a->length + THIN_OUT;
}

void depend_add(struct thread *th, struct task *creator, struct task *t, const void *address, enum depend_kind kind)
{
    struct omp_data *own = omp_data_of(th, t), *d = omp_data_of(th, creator);
    struct address *a = own && d ? find_or_add(th, &d->table, address) : 0;
    if (!a)
        return;
    if (!own->node) {
        own->node = block_new(th, block_class(sizeof *own->node));
        if (!own->node)
            return;
        *own->node = (struct depend_node){ .uses = 1 };
    }
    if (a->newest && a->newest->node == own->node) {    /* named twice: the stronger counts */
        if (kind == DEPEND_OUT && a->kind != DEPEND_OUT) {
            for (const struct depend_list *l = a->newest->next; l; l = l->next)
                list_add(th, &own->before, l->node);
            a->kind = DEPEND_OUT;
        }
        return;
    }
    if (!joins_group(a, kind)) {
        depend_list_free(th, a->before);
        a->before = a->newest;
        a->newest = 0;
        a->kind = kind;
        a->length = 0;
        a->limit = THIN_OUT;
    }
    for (const struct depend_list *l = a->before; l; l = l->next)
        list_add(th, &own->before, l->node);
    if (list_add(th, &a->newest, own->node) && ++a->length >= a->limit)
        thin_out(th, a);
}

void depend_join(struct thread *th, struct task *creator, const void *address, enum depend_kind kind)
{
    struct omp_data *d = omp_data_of(th, creator);
    const struct address *a = d ? find(d->table, address) : 0;
    if (!a)
        return;
    const struct depend_list *l = joins_group(a, kind) ? a->before : a->newest;
    for (; l; l = l->next)
        if (has_ended(th, l->node) && l->node->kept)
            engine_join_kept(th, l->node->kept, omp_scope(creator));
}

void depend_apply(struct thread *th, struct task *t, struct depend_list *before)
{
    for (const struct depend_list *l = before; l; l = l->next)
        if (has_ended(th, l->node) && l->node->kept)
            engine_after(th, t, l->node->kept);
    depend_list_free(th, before);
}

void depend_ended(struct thread *th, struct depend_node *n, struct task *kept)
{
    n->kept = kept;
    __atomic_store_n(&n->ended, 1, __ATOMIC_RELEASE);
    node_release(th, n);
}
