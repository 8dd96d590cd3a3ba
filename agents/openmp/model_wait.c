/* model_wait.c - strands that wait in the runtime: for their children, for a taskgroup, or for
 * others. See model.h. */
#include "lifecycle/thread.h"
#include "model.h"
#include "dag/block.h"
#include "cancel.h"
#include "depend_table.h"
#include "callsite/runtime_wait.h"
#include "base/forbid.h"

struct task *omp_wait_begin(void)
{
    struct thread *th = thread_self();
    return th ? engine_pause(th) : 0;
}

/* The running strand has waited for its children. A chunk also waits for those of its implicit
 * task C. */
static void join_children(struct thread *th, struct task *strand)
{
    struct task *c = omp_creator(strand);
    struct omp_data *d = omp_data_if_any(strand), *creators = c == strand ? 0 : omp_data_if_any(c);
    omp_pending_discard(omp_pending_of_task, c);
    for (struct omp_group *g = d ? d->groups : 0; g; g = g->outer)
        engine_join(th, g->scope);
    for (struct omp_group *g = creators ? creators->groups : 0; g; g = g->outer)
        engine_join_foreign(th, g->scope);
    if (c == strand)
        engine_join_own(th);
    else if (c->own_scope)
        engine_join_foreign(th, c->own_scope);
    struct omp_data *table_of = c == strand ? d : creators;
    if (table_of && table_of->table)
        depend_table_joined(th, &table_of->table);
    engine_count_sync(th);
}

void omp_wait_end(struct task *strand, bool joins)
{
    struct thread *th = strand ? thread_self() : 0;
    if (th) {
        if (strand->thread != th)
            engine_unbias(strand);
        engine_resume(th, strand);
        if (joins)
            join_children(th, strand);
    }
}

void omp_wait_all_end(struct task *strand)
{
    struct thread *th = strand ? thread_self() : 0;
    if (th) {
        omp_wait_end(strand, false);
        if (omp_creator(strand) == strand && strand->own_scope)
            engine_join_group(th, strand->own_scope);
        engine_count_sync(th);
    }
}

uint64_t omp_entered(struct task *strand)
{
    struct thread *th = strand ? thread_self() : 0;
    return th ? runtime_wait_end(th, strand) : 0;
}

void omp_waited(uint64_t ticks, const struct path_point *from, const struct site_style *style,
                const char *construct, uint32_t flags)
{
    struct thread *th = thread_self();
    if (th)
        runtime_wait_count(th, th->cur, from, style, construct, flags, ticks);
}

void omp_group_begin(void)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? omp_data_of(th, th->cur) : 0;
    struct omp_group *g = d ? block_new(th, block_class(sizeof *g)) : 0;
    if (g) {
        g->scope = scope_new(th, g);
        if (g->scope) {
            g->outer = d->groups;
            d->groups = g;
        } else {
            block_free(th, g);
        }
    }
}

void omp_group_end(struct task *strand)
{
    struct thread *th = strand ? thread_self() : 0;
    if (th) {
        if (strand->thread != th)
            engine_unbias(strand);
        engine_resume(th, strand);
        struct omp_data *d = omp_data_if_any(strand);
        struct omp_group *g = d ? d->groups : 0;
        if (g) {
            d->groups = g->outer;
            omp_pending_discard(omp_pending_within, g);
            engine_join_group(th, g->scope);
            omp_scope_drop(th, g->scope);
            block_free(th, g);
            engine_count_sync(th);
        }
    }
}
