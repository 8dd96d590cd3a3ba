/* region.c - Cilkview's programmer interface: the work and span of named parts of a run. A region
 * is the growth of (work, S, burdened S) of ONE task between start and stop. So its figures are
 * exact and cost O(1), whatever ran inside it. Totals are found by name, under regions_lock.
 */
#include "engine/region.h"
#include <string.h>
#include "base/table.h"
#include "engine/strand.h"
#include "whatif/whatif.h"
#include "clock/clock.h"
#include "dag/block.h"
#include "dag/job.h"
#include "base/forbid.h"

struct region_total *engine_regions;
/* Protects the growth of engine_regions, and every total. base/memory.c's lock nests in it. */
LOCK_DEFINE(regions_lock, LOCK_LEAF);

/* More names than this are a programming error (a new name at each call), and are not recorded. */
#define REGION_NAMES 65536

/* By name; under regions_lock. */
static struct region_entry {
    struct region_total r;
    UT_hash_handle hh;
} *by_name;
static uint32_t names;

static struct region_total *total_of(const char *name)
{
    struct region_entry *e;
    char cut[sizeof e->r.name];
    strncpy(cut, name ? name : "", sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    lock_take(&regions_lock);
    HASH_FIND_STR(by_name, cut, e);
    if (!e && names < REGION_NAMES && (e = memory_keep(sizeof *e))) {
        memcpy(e->r.name, cut, sizeof cut);
        e->r.candidate = whatif_index(cut);
        HASH_ADD_STR(by_name, r.name, e);
        names++;
        e->r.next = engine_regions;
        __atomic_store_n(&engine_regions, &e->r, __ATOMIC_RELEASE);
    }
    lock_release(&regions_lock);
    return e ? &e->r : 0;
}

void region_enter(struct task *t, struct region_instance *i)
{
    if (i->candidate >= 0 && !whatif_enter(t, i->candidate))
        i->candidate = -1;      /* T was inside it already, so the stop must not leave it */
}

void region_start(struct thread *th, const char *name)
{
    struct task *t = th->cur;
    struct region_total *total = t ? total_of(name) : 0;
    if (!total) {
        th->lost[LOSS_REGION]++;
        return;
    }
    engine_cut(th);
    for (struct region_instance *i = t->regions; i; i = i->next)
        if (i->total == total) {
            i->depth++;
            return;
        }
    struct region_instance *i = block_new(th, BLOCK_REGION);
    if (!i)
        return;
    *i = (struct region_instance){ .next = t->regions, .total = total, .S = t->S, .len = t->len,
                                   .work = t->own + t->joined, .depth = 1,
                                   .candidate = total->candidate };
    if (job.size) {
        i->since = clock_ticks();
        i->in_calls = job_in_calls();
    }
    t->regions = i;
    ASSERT(strand_is_valid(t));
    region_enter(t, i);
}

void region_stop(struct thread *th, const char *name)
{
    struct task *t = th->cur;
    struct region_total *total = t ? total_of(name) : 0;
    struct region_instance **at = t ? &t->regions : 0;
    while (at && *at && (*at)->total != total)
        at = &(*at)->next;
    if (!total || !at || !*at) {
        th->lost[LOSS_REGION]++;
        return;
    }
    engine_cut(th);
    struct region_instance *i = *at;
    ASSERT(strand_is_valid(t) && block_is_live(i) && i->depth);
    if (--i->depth)
        return;
    *at = i->next;
    if (i->candidate >= 0)
        whatif_leave(t, i->candidate);
    lock_take(&regions_lock);
    total->count++;
    total->work += t->own + t->joined - i->work;
    total->span += t->S - i->S;
    total->len.L += t->len.L - i->len.L;
    total->len.K += t->len.K - i->len.K;
    if (t->S - i->S > total->max_span)
        total->max_span = t->S - i->S;
    if (i->since && engine_main && t == engine_main->root) {
        total->elapsed += clock_ticks() - i->since;
        total->in_calls += job_in_calls() - i->in_calls;
        total->main_work += t->own + t->joined - i->work;
    }
    lock_release(&regions_lock);
    block_free(th, i);
}

void region_drop_all(struct thread *th, struct task *t)
{
    while (t->regions) {
        struct region_instance *i = t->regions;
        t->regions = i->next;
        th->lost[LOSS_REGION]++;
        block_free(th, i);
    }
}

/* ---- regions that outlive their strand ---- */

struct region_instance *regions_take(struct thread *th)
{
    struct task *t = th->cur;
    struct region_instance *list = t->regions;
    if (!list)
        return 0;
    engine_cut(th);
    for (struct region_instance *i = list; i; i = i->next) {
        i->work -= t->own + t->joined;  /* may wrap, until the next task's work is added */
        if (i->candidate >= 0)
            whatif_leave(t, i->candidate);
    }
    t->regions = 0;
    return list;
}

void regions_give(struct thread *th, struct region_instance *list)
{
    struct task *t = th->cur;
    if (!t)
        return;
    t->regions = list;
    if (!WHATIF_ON)
        return;
    /* enter the outermost region first: it is the last of the list */
    for (struct region_instance *done = 0, *i; done != list; done = i) {
        for (i = list; i->next != done; i = i->next)
            ;
        if (i->candidate >= 0)
            whatif_enter(t, i->candidate);
    }
}
