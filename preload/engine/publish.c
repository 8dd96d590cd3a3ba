/* publish.c - see publish.h. */
#include "engine/publish.h"
#include <string.h>
#include "base/lock.h"
#include "whatif/whatif.h"
#include "dag/bag.h"
#include "dag/task.h"
#include "dag/snapshot.h"
#include "dag/valid.h"
#include "base/memory.h"
#include "base/forbid.h"

/* The main strand's path, as of the last join that published it. published_lock protects it. */
LOCK_DEFINE(published_lock, LOCK_LEAF);
static struct on_span *published;
static uint32_t published_count;
static uint64_t published_span, published_root;
static struct lengths published_len;
static SELDOM uint64_t published_scaled[WHATIF_SCENARIOS];
READ_MOSTLY bool engine_publish_wanted;

void engine_publish(struct task *t)
{
    ASSERT(strand_is_valid(t));
    lock_take(&published_lock);
    if (published) {
        memset(published, 0, published_count * sizeof published[0]);
        published_root = t->loc + (t->S - t->blk);
        for (uint32_t i = 0; t->bag && i < t->bag->count; i++) {
            const struct bag_entry *e = &t->bag->e[i];
            if (e->context < published_count)
                published[e->context] = e->v;
            else if (!(e->context & BAG_NODE))
                published_root += e->v.span_local;
        }
        published_span = t->S;
        published_len = t->len;
        if (t->scaled)
            memcpy(published_scaled, t->scaled, whatif_scenarios * sizeof published_scaled[0]);
        engine_publish_wanted = false;
    }
    lock_release(&published_lock);
}

void publish_take(struct snapshot *s)
{
    lock_take(&published_lock);
    if (published) {
        uint32_t n = published_count < s->context_count ? published_count : s->context_count;
        memcpy(s->on_span, published, n * sizeof s->on_span[0]);
        s->on_span[0].span_local += published_root;
        s->span = published_span;
        s->len = published_len;
        if (s->scaled_span)
            memcpy(s->scaled_span, published_scaled, whatif_scenarios * sizeof published_scaled[0]);
    }
    /* contexts that are new since then are published from the next checkpoint on */
    if (published_count < s->context_count) {
        struct on_span *larger = memory_map(2 * s->context_count * sizeof larger[0]);
        if (larger && published)
            memcpy(larger, published, published_count * sizeof larger[0]);
        if (larger) {
            memory_unmap(published, published_count * sizeof published[0]);
            published = larger;
            published_count = 2 * s->context_count;
        }
    }
    engine_publish_wanted = true;
    lock_release(&published_lock);
}
