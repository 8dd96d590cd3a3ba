/* depend_table.c - see depend_table.h. A node counts its users, which may still need its path:
 * groups of the table, lists of tasks that have not started, and its own task.
 */
#include "depend_table.h"
#include <errno.h>
#include <string.h>
#include "base/inline.h"
#include "dag/block.h"
#include "model_data.h"
#include "base/forbid.h"

const char depend_mutexinoutset[] = "depend (mutexinoutset)";
const char depend_all_memory[] = "depend (omp_all_memory)";
static const char before_its_event[] = "depend (on a detached task, before its event)";

enum node_state {
    NODE_OPEN,
    NODE_AWAITS_EVENT,          /* the task's body has ended, and its event may be outstanding */
    NODE_ENDED
};

struct depend_node {
    struct kept kept;           /* written once, before NODE_ENDED; ctx NULL: the task never ran */
    uint64_t ended_tsc;         /* likewise */
    uint32_t uses;
    uint32_t state;             /* enum node_state; only grows */
};
_Static_assert(sizeof(struct depend_node) + sizeof(struct block) <= 128, "two cache lines");

struct depend_list {
    uint32_t count, capacity;
    struct depend_node *node[];
};

/* Most lists have one task. The first nodes that a list has room for are in the smallest block. */
enum {
    LIST_CLASS = 0,
    LIST_NODES = (64 - sizeof(struct block) - sizeof(struct depend_list)) /
                 sizeof(struct depend_node *)
};

struct address {
    const void *address;
    struct depend_list *newest, *before;
    uint32_t next;              /* index + 1 of the bucket's next address; 0: none */
    uint32_t limit;             /* `newest` is thinned out when it has so many tasks */
    enum depend_kind kind;      /* of the newest group */
};

enum { THIN_OUT = 64 };

/* The addresses are in the order in which they were first named, because programs often name them
 * again in the same order. The buckets come after the addresses. */
struct depend_table {
    uint32_t count, capacity;   /* a power of two; as many buckets */
    size_t mapped;              /* bytes; 0: it is a block */
    struct address at[];
};

static void node_release(struct thread *th, struct depend_node *n)
{
    if (__atomic_sub_fetch(&n->uses, 1, __ATOMIC_ACQ_REL))
        return;
    kept_drop(th, &n->kept);
    block_free(th, n);
}

/* A copy of L, which is full and goes, with room for more. NULL: no memory, and L stays. */
static __attribute__((noinline)) struct depend_list *list_grow(struct thread *th,
                                                               struct depend_list *l)
{
    uint32_t class_ = block_class(sizeof *l + 2 * l->count * sizeof l->node[0]);
    struct depend_list *more = class_ < BLOCK_TASK ? block_new(th, class_) : 0;
    if (!more)
        return 0;
    more->count = l->count;
    more->capacity = (block_capacity(class_) - sizeof *more) / sizeof more->node[0];
    memcpy(more->node, l->node, l->count * sizeof l->node[0]);
    block_free(th, l);
    return more;
}

/* *LIST, with room for one more node; NULL: no memory. */
static inline struct depend_list *list_room(struct thread *th, struct depend_list **list)
{
    struct depend_list *l = *list;
    if (l && l->count < l->capacity)
        return l;
    if (l) {
        l = list_grow(th, l);
    } else if ((l = block_new(th, LIST_CLASS))) {
        l->count = 0;
        l->capacity = LIST_NODES;
    }
    if (l)
        *list = l;
    return l;
}

static inline bool list_add(struct thread *th, struct depend_list **list, struct depend_node *n)
{
    struct depend_list *l = list_room(th, list);
    if (!l)
        return false;
    __atomic_fetch_add(&n->uses, 1, __ATOMIC_RELAXED);
    l->node[l->count++] = n;
    return true;
}

static void list_add_all(struct thread *th, struct depend_list **list,
                         const struct depend_list *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        list_add(th, list, all->node[i]);
}

void depend_list_free(struct thread *th, struct depend_list *l)
{
    for (uint32_t i = 0; l && i < l->count; i++)
        node_release(th, l->node[i]);
    if (l)
        block_free(th, l);
}

/* ---- the table ---- */

static uint32_t *buckets(const struct depend_table *t)
{
    return (uint32_t *)&t->at[t->capacity];
}

/* Words that are neighbours in memory have neighbouring buckets. */
static uint32_t *bucket_of(const struct depend_table *t, const void *address)
{
    uint64_t a = (uintptr_t)address, within = (a >> 3 & 63) | (a & 7) << 6;
    return &buckets(t)[(((a >> 9) * 0x9e3779b97f4a7c15ull >> 32) + within) & (t->capacity - 1)];
}

static struct depend_table *table_new(struct thread *th, uint32_t capacity)
{
    size_t bytes = sizeof(struct depend_table) +
                   capacity * (sizeof(struct address) + sizeof(uint32_t));
    uint32_t class_ = block_class(bytes);
    struct depend_table *t = class_ < BLOCK_TASK ? block_new(th, class_) : memory_map(bytes);
    if (!t) {
        th->lost[LOSS_MEMORY] += class_ >= BLOCK_TASK;
        return 0;
    }
    t->count = 0;
    t->capacity = capacity;
    t->mapped = class_ < BLOCK_TASK ? 0 : bytes;
    memset(buckets(t), 0, capacity * sizeof(uint32_t));
    return t;
}

static void table_drop(struct thread *th, struct depend_table *t)
{
    if (t->mapped)
        memory_unmap(t, t->mapped);
    else
        block_free(th, t);
}

static void table_link(struct depend_table *t, uint32_t i)
{
    uint32_t *bucket = bucket_of(t, t->at[i].address);
    t->at[i].next = *bucket;
    *bucket = i + 1;
}

static struct depend_table *table_grow(struct thread *th, struct depend_table *t)
{
    enum { FEW = 16, MOST = 1u << 30 };
    struct depend_table *more = !t                   ? table_new(th, FEW)
                                : t->capacity < MOST ? table_new(th, 2 * t->capacity)
                                                     : 0;
    if (more && t) {
        memcpy(more->at, t->at, t->count * sizeof t->at[0]);
        more->count = t->count;
        for (uint32_t i = 0; i < more->count; i++)
            table_link(more, i);
        table_drop(th, t);
    }
    return more;
}

static struct address *find(struct depend_table *t, const void *address)
{
    uint32_t i = t ? *bucket_of(t, address) : 0;
    while (i && t->at[i - 1].address != address)
        i = t->at[i - 1].next;
    return i ? &t->at[i - 1] : 0;
}

static struct address *find_or_add(struct thread *th, struct depend_table **table,
                                   const void *address)
{
    struct depend_table *t = *table;
    struct address *a = find(t, address);
    if (a)
        return a;
    if (!t || t->count == t->capacity) {
        t = table_grow(th, t);
        if (!t)
            return 0;
        *table = t;
    }
    a = &t->at[t->count];
    zero_words(a, sizeof *a);
    a->address = address;
    a->kind = DEPEND_OUT;
    a->limit = THIN_OUT;
    table_link(t, t->count++);
    return a;
}

void depend_table_joined(struct thread *th, struct depend_table **t)
{
    enum { FEW = 64 };          /* so few addresses cost less than to make them anew */
    if (*t && (*t)->count > FEW) {
        depend_table_free(th, *t);
        *t = 0;
    }
}

void depend_table_free(struct thread *th, struct depend_table *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        depend_list_free(th, t->at[i].newest);
        depend_list_free(th, t->at[i].before);
    }
    table_drop(th, t);
}

/* ---- dependences ---- */

/* The path that N's task left behind; NULL: none, or not yet. */
static const struct kept *kept_by(const struct depend_node *n)
{
    return __atomic_load_n(&n->state, __ATOMIC_ACQUIRE) == NODE_ENDED && n->kept.ctx ? &n->kept : 0;
}

/* The longest path of the tasks of L that have ended; NULL: none has. */
static const struct kept *longest_of(const struct depend_list *l)
{
    const struct kept *longest = 0, *k;
    for (uint32_t i = 0; i < l->count; i++)
        if ((k = kept_by(l->node[i])) && kept_longer(k, longest))
            longest = k;
    return longest;
}

/* The runtime has waited for N's task. So the task has ended, or reports its end in a moment. But
 * libgomp's undeferred tasks, and its taskwait with dependences, wait for bodies alone. The event
 * of a detached task may then come at any time, or need the very strand that goes on here. */
static void await_end(struct thread *th, const struct depend_node *n)
{
    uint32_t state = __atomic_load_n(&n->state, __ATOMIC_ACQUIRE);
    if (state == NODE_OPEN) {
        int saved = errno;
        struct late late = { .since = 0 };
        while (state == NODE_OPEN && late_turn(&late))
            state = __atomic_load_n(&n->state, __ATOMIC_ACQUIRE);
        late_end(th, &late, state != NODE_OPEN);
        errno = saved;
    }
    if (state == NODE_AWAITS_EVENT)
        run_lower_bound(before_its_event);
}

/* The longest path of all tasks of L, each of which the runtime has waited for. */
static const struct kept *longest_ended(struct thread *th, const struct depend_list *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        await_end(th, l->node[i]);
    return longest_of(l);
}

/* Does a task of KIND belong to A's newest group? */
static bool joins_group(const struct address *a, enum depend_kind kind)
{
    return a->newest && kind != DEPEND_OUT && a->kind == kind;
}

/* A group may have any number of tasks, such as all readers of an address that is never written. A
 * task that has ended is not needed any more if the longest path covers its path. Tasks end while
 * this runs. So a task may have ended although longest_of found none. */
static void thin_out(struct thread *th, struct address *a)
{
    struct depend_list *l = a->newest;
    const struct kept *longest = longest_of(l), *k;
    uint32_t left = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        k = longest ? kept_by(l->node[i]) : 0;
        if (k && k != longest && kept_covers(longest, k))
            node_release(th, l->node[i]);
        else
            l->node[left++] = l->node[i];
    }
    l->count = left;
    a->limit = 2 * left + THIN_OUT;
}

/* Adds the dependence of the task of OWN on address A. */
static void add_to(struct thread *th, struct omp_data *own, struct address *a,
                   enum depend_kind kind)
{
    if (!own->node) {
        own->node = block_new(th, block_class(sizeof *own->node));
        if (!own->node)
            return;
        zero_words(own->node, sizeof *own->node);
        own->node->uses = 1;
    }
    uint32_t named = a->newest ? a->newest->count : 0;
    if (named && a->newest->node[named - 1] == own->node) {
        /* T names the address twice: the stronger dependence counts. */
        if (kind == DEPEND_OUT && a->kind != DEPEND_OUT) {
            list_add_all(th, &own->before, a->newest, named - 1);
            a->kind = DEPEND_OUT;
        }
        return;
    }
    if (joins_group(a, kind)) {
        if (kind == DEPEND_MUTEXINOUTSET)
            run_lower_bound(depend_mutexinoutset);
    } else {
        depend_list_free(th, a->before);
        a->before = a->newest;
        a->newest = 0;
        a->kind = kind;
        a->limit = THIN_OUT;
    }
    if (a->before)
        list_add_all(th, &own->before, a->before, a->before->count);
    if (list_add(th, &a->newest, own->node) && a->newest->count >= a->limit)
        thin_out(th, a);
}

void depend_add(struct thread *th, struct task *creator, struct task *t, const void *address,
                enum depend_kind kind)
{
    struct omp_data *own = omp_data_of(th, t), *d = omp_data_of(th, creator);
    struct address *a = own && d ? find_or_add(th, &d->table, address) : 0;
    if (!a)
        return;
    bool waited = own->before;
    add_to(th, own, a, kind);
    if (own->before && !waited) {
        engine_hold(th);
        th->ready_unknown++;    /* it may begin when the last of the others has ended */
    }
}

void depend_join(struct thread *th, struct task *creator, const void *address,
                 enum depend_kind kind)
{
    struct omp_data *d = omp_data_of(th, creator);
    const struct address *a = d ? find(d->table, address) : 0;
    const struct depend_list *l = !a ? 0 : joins_group(a, kind) ? a->before : a->newest;
    struct scope *s = l ? omp_scope(th, creator) : 0;
    const struct kept *longest = s ? longest_ended(th, l) : 0, *k;
    if (longest)
        engine_join_kept(th, th->cur, longest, s);
    for (uint32_t i = 0; longest && i < l->count; i++)
        if ((k = kept_by(l->node[i])) && k != longest)
            engine_join_kept(th, th->cur, k, s);
}

uint64_t depend_apply(struct thread *th, struct task *t, struct depend_list *before)
{
    const struct kept *longest = longest_ended(th, before), *k;
    uint64_t last = 0;
    if (longest)
        engine_after(th, t, longest);
    for (uint32_t i = 0; longest && i < before->count; i++) {
        const struct depend_node *n = before->node[i];
        if (!(k = kept_by(n)))
            continue;
        if (k != longest)
            engine_after(th, t, k);
        if (n->ended_tsc > last)
            last = n->ended_tsc;
    }
    depend_list_free(th, before);
    return last;
}

void depend_awaits_event(struct depend_node *n)
{
    __atomic_store_n(&n->state, NODE_AWAITS_EVENT, __ATOMIC_RELEASE);
}

void depend_ended(struct thread *th, struct depend_node *n, struct task *t)
{
    if (t)
        kept_take(th, t, &n->kept);
    n->ended_tsc = th->clock.last;
    __atomic_store_n(&n->state, NODE_ENDED, __ATOMIC_RELEASE);
    node_release(th, n);
}
