/* corrupt.c - each case damages one structure of a debug build on purpose, and an assertion must
 * find the damage. The case first prints what it expects: the predicate's file, and the assertion's
 * text. If a case reaches its end, the damage was not found. "clean" damages nothing.
 *   corrupt --list | CASE
 * Linked with the library's objects, without its start-up, as the unit tests are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "engine/burden.h"
#include "engine/engine.h"
#include "output/snapshot.h"
#include "lifecycle/thread.h"
#include "base/message.h"
#include "engine/region.h"
#include "dag/thread.h"
#include "unwind/call_tree.h"

static struct thread *th;
static struct task *root;

static void expect(const char *file, const char *text)
{
    printf("%s: not so: %s\n", file, text);
    fflush(stdout);
}

static struct context *context_of(struct context *parent, uint32_t site)
{
    struct site_key key = { .address = { 0x1000 + 0x100 * site }, .runtime = "test",
                            .construct = "spawn" };
    return context_child_slow(parent, 0, path_single(key.address[0]), END_TASK, &key);
}

/* A child of the running strand, from spawn to end. */
static struct task *child(struct scope *s, uint32_t site, uint64_t cost)
{
    struct task *t = engine_spawn(th, s, context_of(context_root, site), 0),
        *parent = engine_pause(th);
    engine_begin(th, t);
    th->clock.virtual_now += cost;
    engine_end(th);
    engine_resume(th, parent);
    return t;
}

/* ROOT has a bag with two contexts. */
static void with_bag(void)
{
    for (uint32_t site = 1; site <= 2; site++) {
        child(scope_own(th, root), site, 10 * site);
        engine_join(th, scope_own(th, root));
    }
}

static void touch(void) { engine_resume(th, engine_pause(th)); }

static void clean(void)
{
    with_bag();
    region_start(th, "region");
    touch();
    region_stop(th, "region");
    struct snapshot s;
    if (snapshot_take(&s, true) || s.span != 30)
        exit(1);
    puts("clean");
}

static void freed_twice(void)
{
    void *a = block_new(th, 3);
    expect("preload/dag/block.h", "!(was == BLOCK_FREE && to == BLOCK_FREE)");
    block_free(th, a);
    block_free(th, a);
}

static void foreign_block(void)
{
    static struct { struct block b; char content[64]; } mine;
    expect("preload/dag/block.h", "was == from");
    block_free(th, mine.content);
}

static void used_after_free(void)
{
    struct task *t = child(scope_own(th, root), 1, 5);
    engine_join(th, scope_own(th, root));       /* T is free */
    root->S = root->len.L += 5;
    expect("preload/dag/valid.c", "magic != BLOCK_FREE");
    engine_pause(th);
    engine_begin(th, t);
}

static void bag_sum(void)
{
    with_bag();
    root->bag->e[1].v.span_local++;
    expect("preload/dag/valid.c", "bag_span(b) + loc == length || memory_was_lost()");
    touch();
}

static void bag_order(void)
{
    with_bag();
    struct bag_entry e = root->bag->e[0];
    root->bag->e[0] = root->bag->e[1];
    root->bag->e[1] = e;
    expect("preload/dag/valid.c", "!i || e[-1].context < e->context");
    touch();
}

static void bag_count(void)
{
    with_bag();
    root->bag->count = root->bag->capacity + 1;
    expect("preload/dag/valid.c", "b->count <= b->capacity");
    touch();
}

static void path_backwards(void)
{
    root->blk = root->S + 1;
    expect("preload/dag/valid.c", "t->birth <= t->blk && t->blk <= t->S");
    touch();
}

static void burdened_short(void)
{
    with_bag();
    root->len.L = root->len.K = 0;
    expect("preload/dag/valid.c", "burden_measured || lengths_burdened(&t->len) >= t->S");
    touch();
}

static void typical_longer(void)
{
    root->len.T = root->S + 1;
    expect("preload/dag/valid.c", "t->len.T <= t->S");
    touch();
}

static void fresh_count(void)
{
    root->fresh = 7;
    expect("preload/dag/valid.c", "fresh == t->fresh");
    touch();
}

static void scope_done_too_often(void)
{
    child(scope_own(th, root), 1, 5);
    root->own_scope->local.done = 2;
    expect("preload/dag/valid.c", "done <= scope_spawned(s)");
    engine_join(th, scope_own(th, root));
}

static void scope_taken_too_much(void)
{
    child(scope_own(th, root), 1, 5);
    root->own_scope->taken_work = 6;
    expect("preload/dag/valid.c", "taken_work <= work");
    engine_join(th, scope_own(th, root));
}

static void scope_in_use_freed(void)
{
    struct scope *s = scope_new(th, 0);
    child(s, 1, 5);
    expect("preload/dag/valid.c", "!s->spawned && !s->spawned_foreign && !s->taken_work");
    scope_free(th, s);
}

static void ended_twice(void)
{
    struct task *t = engine_spawn(th, scope_own(th, root), context_of(context_root, 1), 0);
    engine_pause(th);
    engine_begin(th, t);
    th->clock.virtual_now += 5;
    engine_spawn(th, scope_own(th, t), context_of(context_root, 1), 0);
    engine_end(th);                     /* but for its child */
    expect("preload/dag/valid.c", "!(t->flags & (TASK_CLOSED | TASK_REST))");
    engine_resume(th, t);
}

static void two_strands(void)
{
    struct task *t = engine_spawn(th, scope_own(th, root), context_of(context_root, 1), 0);
    expect("preload/engine/strand.h", "!th->cur");
    engine_begin(th, t);
}

static void context_id(void)
{
    context_of(context_root, 1)->id = 1u << 30;
    expect("preload/dag/valid.c", "c->id < context_count() && c->id < 2 * context_budget");
    child(scope_own(th, root), 1, 5);
}

static void tree_node(void)
{
    struct context *c = context_of(context_root, 1);
    cct_node(c->path->node)->parent = c->path->node;
    expect("preload/dag/valid.c",
           "node == CCT_ROOT ? n->parent == LPF_NONE && n->kind == LPF_NODE_ROOT : "
           "n->parent < node && n->kind != LPF_NODE_ROOT");
    child(scope_own(th, root), 1, 5);
}

static void logical_path(void)
{
    ((struct logical_path *)context_of(context_root, 1)->path)->depth = 9;
    expect("preload/dag/valid.c",
           "p->up ? p->depth == p->up->depth + 1 : !p->depth && p->node == CCT_ROOT");
    child(scope_own(th, root), 1, 5);
}

static void region(void)
{
    region_start(th, "region");
    root->regions->S = root->S + 1;
    expect("preload/dag/valid.c", "i->S <= t->S");
    touch();
}

static void edge(void)
{
    struct edge e = { .S = 5 };
    expect("preload/dag/valid.c",
           "e->ctx ? context_is_valid(e->ctx) : !e->S && lengths_zero(&e->len)");
    edge_get(th, &e);
}

static void free_list(void)
{
    void *a = block_new(th, 4);
    block_free(th, a);
    th->free_blocks[4]->home = 0;
    expect("preload/dag/block.h", "b->class_ == class_ && b->home == th");
    block_new(th, 4);
}

static void snapshot_sum(void)
{
    with_bag();
    root->bag->e[0].v.span_local++;
    th->cur = 0;                        /* nobody looks at it before */
    th->root = root;
    expect("preload/output/snapshot.c", "sum == s->span");
    struct snapshot s;
    snapshot_take(&s, true);
}

#define CASE(name) { #name, name }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(clean), CASE(freed_twice), CASE(foreign_block), CASE(used_after_free), CASE(bag_sum),
    CASE(bag_order), CASE(bag_count),
    CASE(path_backwards), CASE(burdened_short), CASE(typical_longer), CASE(fresh_count),
    CASE(scope_done_too_often), CASE(scope_taken_too_much), CASE(scope_in_use_freed),
    CASE(ended_twice), CASE(two_strands), CASE(context_id), CASE(tree_node), CASE(logical_path),
    CASE(region), CASE(edge),
    CASE(free_list), CASE(snapshot_sum),
};

int main(int argc, char **argv)
{
    const char *why;
    if (argc != 2)
        return 2;
    message_setup();
    clock_setup("virtual", &why);
    burden_setup(1000, 0);
    if (cct_setup(4096))
        return 2;
    context_setup(256);
    if (threads_setup())
        return 2;
    th = thread_self_;
    root = th->cur;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!strcmp(argv[1], "--list")) {
            puts(cases[i].name);
        } else if (!strcmp(argv[1], cases[i].name)) {
            cases[i].run();
            return 0;
        }
    }
    return strcmp(argv[1], "--list") ? 2 : 0;
}
