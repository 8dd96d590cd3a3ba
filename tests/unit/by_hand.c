/* by_hand.c - see by_hand.h. It also runs under ThreadSanitizer, so it uses no assertion of
 * Criterion's. */
#include "by_hand.h"
#include <stdio.h>
#include <stdlib.h>
#include "engine/burden.h"
#include "unwind/call_tree.h"

static void need(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, result);
    abort();
}

void engine_start(const char *name, uint64_t burden)
{
    const char *why;
    need(clock_setup(name, &why), "clock_setup");
    burden_setup(burden, 0);
    need(cct_setup(65536), "cct_setup");
    context_setup(16384);
    need(threads_setup(), "threads_setup");
}

void engine_fresh(uint64_t burden)
{
    engine_start("virtual", burden);
}

struct context *context_of(struct context *parent, uint32_t site)
{
    struct site_key key = {
        .address = { SITE_BASE + SITE_STEP * site }, .runtime = "test", .construct = "spawn"
    };
    const struct segment *segment = path_single(key.address[0]);
    struct context *c = context_child(parent, segment, END_TASK);
    return c ? c : context_child_slow(parent, 0, segment, END_TASK, &key);
}

struct task *child_begin(struct thread *th, struct scope *scope, uint32_t site)
{
    struct task *t = engine_spawn(th, scope, context_of(th->cur->ctx, site), 0);
    engine_pause(th);
    engine_begin(th, t);
    return t;
}

void child_end(struct thread *th, struct task *parent, uint64_t cost)
{
    th->clock.virtual_now += cost;
    engine_end(th);
    engine_resume(th, parent);
}

uint64_t span_sum(const struct snapshot *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->context_count; i++)
        sum += s->on_span[i].span_local;
    return sum;
}
