/* path_chain.c - see path_private.h. Chains: the first ways through the automaton, as flat lists.
 *
 * path_known (path.h) reads chains without the lock. A chain is complete before it is published.
 * All functions need path_shared.lock.
 */
#include "unwind/path_private.h"
#include <string.h>
#include "base/memory.h"
#include "base/forbid.h"

#define CHAINS_MAX 16384        /* beyond, ways go through the automaton */

void path_way_start(struct path_way *w)
{
    w->returns = w->frames = 0;
    w->live = w->live_mask = 0;
}

void path_way_add(struct path_way *w, const struct path_state *s, uintptr_t word)
{
    struct path_check check = { s->slot, word };
    if (s->question == PATH_LIVE) {
        w->live = word;
        w->live_mask = UINTPTR_MAX;
    } else if (s->question == PATH_FRAME) {
        if (w->frames < PATH_CHAIN_MAX)
            w->at_frame[w->frames++] = check;
    } else if (w->returns < PATH_CHAIN_MAX) {
        w->at_return[w->returns++] = check;
    }
}

/* From now on E's chains are in lists, by their first return address. */
static void spread(struct path_entry *e)
{
    struct path_chain *all = e->chains[0];
    unsigned list = all->check[0].word * 0x9e3779b97f4a7c15ull >> (64 - PATH_LISTS_LOG2);
    uint8_t tried = e->tried[0];
    e->slot = all->check[0].slot;
    e->tried[0] = 0;
    __atomic_store_n(&e->chains[0], (struct path_chain *)0, __ATOMIC_RELAXED);
    __atomic_store_n(&e->tried[list], tried, __ATOMIC_RELAXED);
    __atomic_store_n(&e->chains[list], all, __ATOMIC_RELAXED);
    __atomic_store_n(&e->spread, true, __ATOMIC_RELEASE);
}

/* Can W become a chain in E's lists? A reader chooses the list by the word in one slot, before it
 * knows the stack. So either all of E's chains have their first return address in that slot, or
 * E has one chain without a return address. A way whose first return address is elsewhere becomes
 * no chain. This happens where the caller's frame is of variable size. */
static bool fits_lists(const struct path_entry *e, const struct path_way *w)
{
    const struct path_check *first = w->returns ? &w->at_return[0] : 0;
    const struct path_chain *like = e->chains[0];
    if (e->spread)
        return first && first->slot == e->slot;
    return !like || (first && like->returns_end != like->check &&
                     first->slot == like->check[0].slot);
}

/* Are E's chains in one list so far, and does W find another word in their first slot? */
static bool tells_apart(const struct path_entry *e, const struct path_way *w)
{
    const struct path_chain *like = e->chains[0];
    if (e->spread || !w->returns || !like || like->returns_end == like->check)
        return false;
    const struct path_check *first = &w->at_return[0];
    return like->check[0].slot == first->slot && like->check[0].word != first->word;
}

void path_chain_add(struct path_entry *e, const struct path_way *w, const struct path_point *p,
                    const struct segment *segment)
{
    bool fits = fits_lists(e, w);
    if (tells_apart(e, w))
        spread(e);
    unsigned returns = (w->returns + 3) & ~3u, list = path_list(e, p->cfa);
    uint8_t tried = e->tried[list];
    if (tried >= PATH_CHAINS_TRIED)
        return;
    for (const struct path_chain *c = e->chains[list]; c; c = c->next)
        if (path_is(c, p))
            return;             /* another thread added the chain while this one waited */
    __atomic_store_n(&e->tried[list], tried + 1, __ATOMIC_RELAXED);
    if (w->returns >= PATH_CHAIN_MAX || w->frames >= PATH_CHAIN_MAX ||
        path_statistics.chains >= CHAINS_MAX)
        return;
    if (!fits)
        return;
    unsigned lines = PATH_CHAIN_LINES(returns + w->frames);
    struct path_chain *c = path_shared.free_chains[lines];
    if (c)
        path_shared.free_chains[lines] = c->next;
    else if (!(c = memory_keep_lines(lines * PATH_LINE)))
        return;
    c->next = e->chains[list];
    c->segment = segment;
    c->live = w->live;
    c->live_mask = w->live_mask;
    c->returns_end = c->check + returns;
    c->end = c->returns_end + w->frames;
    for (unsigned i = 0; i < returns; i++)
        c->check[i] = w->at_return[i < w->returns ? i : w->returns - 1];
    memcpy(c->check + returns, w->at_frame, w->frames * sizeof c->check[0]);
    path_statistics.chains++;
    __atomic_store_n(&e->chains[list], c, __ATOMIC_RELEASE);
}
