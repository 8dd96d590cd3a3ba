/* depend_table.c - see depend_table.h. A node counts its users, which may still need its path:
 * groups of the table, the nodes of tasks that have not started, and its own task.
 */
#include "depend_table.h"
#include <errno.h>
#include <string.h>
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

struct depend_list {
    uint32_t count, capacity;
    struct depend_node *node[];
};

enum { BEFORE_FEW = 8 };

struct depend_node {
    union {
        struct kept kept;       /* written once, before NODE_ENDED; ctx NULL: the task never ran */
        struct {                /* until the task begins: the nodes that it starts after */
            struct depend_list *before;     /* `few`, or a block */
            struct depend_list few;
            struct depend_node *few_nodes[BEFORE_FEW];
        };
    };
    uint64_t ended_tsc;         /* written with `kept` */
    uint32_t uses;
    uint32_t state;             /* enum node_state; only grows */
};
_Static_assert(sizeof(struct depend_node) + sizeof(struct block) <= 128, "two cache lines");

/* Nodes in one word, because most groups have one: 0, a node's address, or a list's address with
 * GROUP_LIST. GROUP_KIND: which kind of dependence the group's tasks have. */
struct group {
    uintptr_t word;
};
enum { GROUP_LIST = 1, GROUP_KIND_SHIFT = 1, GROUP_KIND = 3 << GROUP_KIND_SHIFT };

/* The same, to be read. */
struct nodes {
    struct depend_node *one;    /* what `node` points to if the group is one node */
    struct depend_node *const *node;
    uint32_t count;
};

struct address {
    const void *address;
    struct group newest, before;
    struct address *next;       /* in the same bucket */
};

/* Addresses in the order in which they were first named, because programs often name them again in
 * the same order. */
struct addresses {
    struct addresses *next;
    uint32_t count, capacity;
    struct address at[];
};

/* The table of a creator that names FEW addresses is one block. A larger table has more blocks of
 * addresses, which stay where they are, and new buckets whenever there are more addresses than
 * buckets. */
enum { FEW = 16, ADDRESSES_CLASS_MOST = 8 };
struct depend_table {
    uint32_t count, capacity;   /* addresses; buckets, a power of two */
    size_t mapped;              /* bytes of the buckets; 0: they are a block, or few_buckets */
    struct address **bucket;
    struct addresses *last;
    struct address *few_buckets[FEW];
    struct addresses first;
    struct address few[FEW];
};

static void node_release(struct thread *th, struct depend_node *n)
{
    if (__atomic_sub_fetch(&n->uses, 1, __ATOMIC_ACQ_REL))
        return;
    kept_drop(th, &n->kept);
    block_free(th, n);
}

/* ---- lists and groups ---- */

/* The class of a list with twice the nodes of L; BLOCK_TASK or above: there is none. */
static inline uint32_t list_larger_class(const struct depend_list *l)
{
    return block_class(sizeof *l + 2 * l->count * sizeof l->node[0]);
}

/* A copy of L, which is full, with room for more. NULL: no memory. */
static __attribute__((noinline)) struct depend_list *list_larger(struct thread *th,
                                                                 const struct depend_list *l)
{
    uint32_t class_ = list_larger_class(l);
    struct depend_list *more = class_ < BLOCK_TASK ? block_new(th, class_) : 0;
    if (!more) {
        th->lost[LOSS_MEMORY] += class_ >= BLOCK_TASK;  /* a million tasks before one */
        return 0;
    }
    more->count = l->count;
    more->capacity = (block_capacity(class_) - sizeof *more) / sizeof more->node[0];
    memcpy(more->node, l->node, l->count * sizeof l->node[0]);
    return more;
}

static inline void list_put(struct depend_list *l, struct depend_node *n)
{
    __atomic_fetch_add(&n->uses, 1, __ATOMIC_RELAXED);
    l->node[l->count++] = n;
}

static inline struct depend_list *group_list(struct group g)
{
    return (struct depend_list *)(g.word & ~(uintptr_t)(GROUP_LIST | GROUP_KIND));
}

static inline enum depend_kind group_kind(struct group g)
{
    return (g.word & GROUP_KIND) >> GROUP_KIND_SHIFT;
}

static inline void group_set(struct group *g, uintptr_t to, enum depend_kind kind)
{
    g->word = to | kind << GROUP_KIND_SHIFT;
}

/* The node that joined G last; NULL: G is empty. */
static inline struct depend_node *group_last(struct group g)
{
    struct depend_list *l = group_list(g);
    return g.word & GROUP_LIST ? l->node[l->count - 1] : (struct depend_node *)l;
}

/* N->node is valid as long as N stays where it is. */
static inline void group_nodes(struct group g, struct nodes *n)
{
    const struct depend_list *l = group_list(g);
    if (g.word & GROUP_LIST) {
        n->node = l->node;
        n->count = l->count;
    } else {
        n->one = (struct depend_node *)l;
        n->node = &n->one;
        n->count = l != 0;
    }
}

static __attribute__((noinline)) void group_list_free(struct thread *th, struct depend_list *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        node_release(th, l->node[i]);
    block_free(th, l);
}

static inline void group_free(struct thread *th, struct group g)
{
    struct depend_list *l = group_list(g);
    if (__builtin_expect(g.word & GROUP_LIST, 0))
        group_list_free(th, l);
    else if (l)
        node_release(th, (struct depend_node *)l);
}

/* The smallest list, and its room. */
enum {
    LIST_CLASS = 0,
    LIST_NODES = (64 - sizeof(struct block) - sizeof(struct depend_list)) /
                 sizeof(struct depend_node *)
};

/* The list of G, a group of one node or a full list, with room for one more. NULL: no memory. */
static struct depend_list *group_grow(struct thread *th, struct group *g)
{
    struct depend_list *l = group_list(*g), *more;
    if (g->word & GROUP_LIST) {
        if ((more = list_larger(th, l)))
            block_free(th, l);
    } else if ((more = block_new(th, LIST_CLASS))) {
        more->count = 1;
        more->capacity = LIST_NODES;
        more->node[0] = (struct depend_node *)l;
    }
    if (more)
        group_set(g, (uintptr_t)more | GROUP_LIST, group_kind(*g));
    return more;
}

/* ---- the table ---- */

/* Words that are neighbours in memory have neighbouring buckets. */
static struct address **bucket_of(const struct depend_table *t, const void *address)
{
    uint64_t a = (uintptr_t)address, within = (a >> 3 & 63) | (a & 7) << 6;
    return &t->bucket[(((a >> 9) * 0x9e3779b97f4a7c15ull >> 32) + within) & (t->capacity - 1)];
}

static struct depend_table *table_new(struct thread *th)
{
    struct depend_table *t = block_new(th, block_class(sizeof *t));
    if (!t)
        return 0;
    t->count = 0;
    t->capacity = FEW;
    t->mapped = 0;
    t->bucket = t->few_buckets;
    t->last = &t->first;
    memset(t->few_buckets, 0, sizeof t->few_buckets);
    t->first = (struct addresses){ .capacity = FEW };
    return t;
}

static void buckets_drop(struct thread *th, struct depend_table *t)
{
    if (t->mapped)
        memory_unmap(t->bucket, t->mapped);
    else if (t->bucket != t->few_buckets)
        block_free(th, t->bucket);
}

static void table_link(struct depend_table *t, struct address *a)
{
    struct address **bucket = bucket_of(t, a->address);
    a->next = *bucket;
    *bucket = a;
}

/* Twice as many buckets. Without memory, or with very many, they stay as they are. */
static __attribute__((noinline)) void buckets_grow(struct thread *th, struct depend_table *t)
{
    enum { MOST = 1u << 30, MAPPED = 32 << 10 };
    size_t bytes = 2 * (size_t)t->capacity * sizeof t->bucket[0];
    if (t->capacity >= MOST)
        return;
    struct address **more = bytes < MAPPED ? block_new(th, block_class(bytes)) : memory_map(bytes);
    if (!more)
        return;
    buckets_drop(th, t);
    t->bucket = more;
    t->capacity *= 2;
    t->mapped = bytes < MAPPED ? 0 : bytes;
    if (!t->mapped)
        memset(more, 0, bytes);
    for (struct addresses *some = &t->first; some; some = some->next)
        for (uint32_t i = 0; i < some->count; i++)
            table_link(t, &some->at[i]);
}

/* Room for more addresses. NULL: no memory. */
static __attribute__((noinline)) struct addresses *addresses_new(struct thread *th,
                                                                 struct depend_table *t)
{
    uint32_t class_ = block_class(2 * t->last->capacity * sizeof(struct address));
    if (class_ > ADDRESSES_CLASS_MOST)
        class_ = ADDRESSES_CLASS_MOST;
    struct addresses *more = block_new(th, class_);
    if (!more)
        return 0;
    *more = (struct addresses){
        .capacity = (block_capacity(class_) - sizeof *more) / sizeof more->at[0]
    };
    return t->last = t->last->next = more;
}

static struct address *find(const struct depend_table *t, const void *address)
{
    struct address *a = t ? *bucket_of(t, address) : 0;
    while (a && a->address != address)
        a = a->next;
    return a;
}

static struct address *find_or_add(struct thread *th, struct depend_table **table,
                                   const void *address)
{
    struct depend_table *t = *table;
    struct address *a = find(t, address);
    if (a)
        return a;
    if (!t && !(t = *table = table_new(th)))
        return 0;
    struct addresses *last = t->last;
    if (last->count == last->capacity && !(last = addresses_new(th, t)))
        return 0;
    if (t->count && !(t->count & (t->capacity - 1)))
        buckets_grow(th, t);
    t->count++;
    a = &last->at[last->count++];
    *a = (struct address){ .address = address };
    table_link(t, a);
    return a;
}

void depend_table_joined(struct thread *th, struct depend_table **t)
{
    enum { MANY = 64 };         /* fewer addresses cost less than to make them anew */
    if (*t && (*t)->count > MANY) {
        depend_table_free(th, *t);
        *t = 0;
    }
}

void depend_table_free(struct thread *th, struct depend_table *t)
{
    for (struct addresses *some = &t->first, *next; some; some = next) {
        next = some->next;
        for (uint32_t i = 0; i < some->count; i++) {
            group_free(th, some->at[i].newest);
            group_free(th, some->at[i].before);
        }
        if (some != &t->first)
            block_free(th, some);
    }
    buckets_drop(th, t);
    block_free(th, t);
}

/* ---- dependences ---- */

/* The path that N's task left behind; NULL: none, or not yet. */
static const struct kept *kept_by(const struct depend_node *n)
{
    return __atomic_load_n(&n->state, __ATOMIC_ACQUIRE) == NODE_ENDED && n->kept.ctx ? &n->kept : 0;
}

/* The longest path of the tasks of COUNT nodes that have ended; NULL: none has. */
static const struct kept *longest_of(struct depend_node *const *node, uint32_t count)
{
    const struct kept *longest = 0, *k;
    for (uint32_t i = 0; i < count; i++)
        if ((k = kept_by(node[i])) && kept_longer(k, longest))
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

/* The longest path of all tasks of COUNT nodes, each of which the runtime has waited for. */
static const struct kept *longest_ended(struct thread *th, struct depend_node *const *node,
                                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        await_end(th, node[i]);
    return longest_of(node, count);
}

/* Does a task of KIND belong to A's newest group? */
static bool joins_group(const struct address *a, enum depend_kind kind)
{
    return group_list(a->newest) && kind != DEPEND_OUT && group_kind(a->newest) == kind;
}

/* A group may have any number of tasks, such as all readers of an address that is never written. A
 * task that has ended is not needed any more if the longest path covers its path. Tasks end while
 * this runs. So a task may have ended although longest_of found none. */
static void thin_out(struct thread *th, struct depend_list *l)
{
    const struct kept *longest = longest_of(l->node, l->count), *k;
    uint32_t left = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        k = longest ? kept_by(l->node[i]) : 0;
        if (k && k != longest && kept_covers(longest, k))
            node_release(th, l->node[i]);
        else
            l->node[left++] = l->node[i];
    }
    l->count = left;
}

/* Adds N to G, which has others. A full list of many nodes is thinned out first, and grows only if
 * more than half of them are left. Without memory for a larger list N is added only where there is
 * room. */
static __attribute__((noinline)) void group_add(struct thread *th, struct group *g,
                                                struct depend_node *n)
{
    enum { MANY = 60 };
    struct depend_list *l = group_list(*g), *more;
    bool listed = g->word & GROUP_LIST, full = !listed || l->count == l->capacity;
    if (listed && full && l->count >= MANY && list_larger_class(l) < BLOCK_TASK) {
        thin_out(th, l);
        full = l->count > l->capacity / 2;
    }
    if (full && (more = group_grow(th, g)))
        list_put(more, n);
    else if (listed && l->count < l->capacity)
        list_put(l, n);
}

static inline void before_none(struct depend_node *n)
{
    n->before = &n->few;
    n->few.count = 0;
    n->few.capacity = BEFORE_FEW;
}

/* N's task starts after FIRST's. */
static inline void before_put(struct thread *th, struct depend_node *n, struct depend_node *first)
{
    struct depend_list *l = n->before, *more;
    if (__builtin_expect(l->count == l->capacity, 0)) {
        if (!(more = list_larger(th, l)))
            return;
        if (l != &n->few)
            block_free(th, l);
        l = n->before = more;
    }
    list_put(l, first);
}

static __attribute__((noinline)) void before_add_list(struct thread *th, struct depend_node *n,
                                                      const struct depend_list *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->node[i] != n)
            before_put(th, n, l->node[i]);
}

/* N's task starts after all of G but N itself. */
static inline void before_add(struct thread *th, struct depend_node *n, struct group g)
{
    struct depend_list *l = group_list(g);
    if (__builtin_expect(g.word & GROUP_LIST, 0))
        before_add_list(th, n, l);
    else if (l && (struct depend_node *)l != n)
        before_put(th, n, (struct depend_node *)l);
}

static void before_free(struct thread *th, struct depend_node *n)
{
    for (uint32_t i = 0; i < n->before->count; i++)
        node_release(th, n->before->node[i]);
    if (n->before != &n->few)
        block_free(th, n->before);
    before_none(n);
}

/* Adds the dependence of the task of N on address A. */
static void add_to(struct thread *th, struct depend_node *n, struct address *a,
                   enum depend_kind kind)
{
    if (group_last(a->newest) == n) {
        /* The task names the address twice: the stronger dependence counts. */
        if (kind == DEPEND_OUT && group_kind(a->newest) != DEPEND_OUT) {
            before_add(th, n, a->newest);
            group_set(&a->newest, a->newest.word & ~(uintptr_t)GROUP_KIND, DEPEND_OUT);
        }
        return;
    }
    if (joins_group(a, kind)) {
        if (kind == DEPEND_MUTEXINOUTSET)
            run_lower_bound(depend_mutexinoutset);
        group_add(th, &a->newest, n);
    } else {
        group_free(th, a->before);
        a->before = a->newest;
        n->uses++; /* its task has not begun: only the creator knows N */
        group_set(&a->newest, (uintptr_t)n, kind);
    }
    before_add(th, n, a->before);
}

static __attribute__((noinline)) struct depend_node *node_new(struct thread *th, struct task *t)
{
    struct depend_node *n = block_new(th, block_class(sizeof *n));
    if (!n)
        return 0;
    before_none(n);
    n->uses = 1;
    n->state = NODE_OPEN;
    return t->agent_node = n;
}

void depend_add(struct thread *th, struct omp_data *d, struct task *t, const void *address,
                enum depend_kind kind)
{
    struct address *a = find_or_add(th, &d->table, address);
    struct depend_node *n = !a ? 0 : t->agent_node ? t->agent_node : node_new(th, t);
    if (!n)
        return;
    bool waited = n->before->count;
    add_to(th, n, a, kind);
    if (n->before->count && !waited) {
        engine_hold(th);
        th->ready_unknown++;    /* it may begin when the last of the others has ended */
    }
}

void depend_join(struct thread *th, struct task *creator, const void *address,
                 enum depend_kind kind)
{
    struct omp_data *d = omp_data_of(th, creator);
    const struct address *a = d ? find(d->table, address) : 0;
    struct scope *s = a ? omp_scope(th, creator) : 0;
    if (!s)
        return;
    struct nodes l;
    group_nodes(joins_group(a, kind) ? a->before : a->newest, &l);
    const struct kept *longest = longest_ended(th, l.node, l.count), *k;
    if (longest)
        engine_join_kept(th, th->cur, longest, s);
    for (uint32_t i = 0; longest && i < l.count; i++)
        if ((k = kept_by(l.node[i])) && k != longest)
            engine_join_kept(th, th->cur, k, s);
}

bool depend_waits(const struct task *t)
{
    const struct depend_node *n = t->agent_node;
    return n && n->before->count;
}

uint64_t depend_apply(struct thread *th, struct task *t)
{
    struct depend_node *own = t->agent_node;
    struct depend_node *const *before = own->before->node;
    uint32_t count = own->before->count;
    const struct kept *longest = longest_ended(th, before, count), *k;
    uint64_t last = 0;
    if (longest)
        engine_after(th, t, longest);
    for (uint32_t i = 0; longest && i < count; i++) {
        if (!(k = kept_by(before[i])))
            continue;
        if (k != longest)
            engine_after(th, t, k);
        if (before[i]->ended_tsc > last)
            last = before[i]->ended_tsc;
    }
    before_free(th, own);
    return last;
}

void depend_awaits_event(struct task *t)
{
    struct depend_node *n = t->agent_node;
    if (n)
        __atomic_store_n(&n->state, NODE_AWAITS_EVENT, __ATOMIC_RELEASE);
}

static void ended(struct thread *th, struct depend_node *n)
{
    n->ended_tsc = th->clock.last;
    __atomic_store_n(&n->state, NODE_ENDED, __ATOMIC_RELEASE);
    node_release(th, n);
}

void depend_ended(struct thread *th, struct task *t)
{
    struct depend_node *n = t->agent_node;
    if (!n)
        return;
    t->agent_node = 0;
    ASSERT(!n->before->count); /* depend_apply */
    kept_take(th, t, &n->kept);
    ended(th, n);
}

void depend_never_ran(struct thread *th, struct task *t)
{
    struct depend_node *n = t->agent_node;
    if (!n)
        return;
    t->agent_node = 0;
    before_free(th, n);
    n->kept = (struct kept){ .ctx = 0 };
    ended(th, n);
}
