/* path_forget.c - see path_private.h. Code was unmapped: what leads through it is removed.
 *
 * A chain or a state of unmapped code is used again for other paths. A reader that is inside such
 * an object has the code on its own stack, so no reader should be there. But other code may have
 * been mapped at the address, and may have run, before libprof learns of the unmapping. So a
 * removed object RESTS until the next call of path_forget, and is free after that call.
 *
 * Two kinds of objects stay, because readers of other paths may pass them. Edges and entries of the
 * table wait for the same address to come again. A chain of an entry that stays is unlinked, but
 * leads on to the next chain. Such a chain is never free, and still counts as made.
 */
#include "unwind/path_private.h"
#include <string.h>
#include "base/forbid.h"

static struct path_chain *resting_chains;               /* linked by rest */
static struct path_edges *resting_edges;                /* linked by smaller */
static struct path_progress *resting_progress;          /* linked by hh.next */
static struct path_frames *resting_frames;              /* linked by key.inner */

struct unmapped_code {
    const struct code_range *range;
    unsigned count;
};

static bool holds(const struct unmapped_code *u, uintptr_t pc)
{
    for (unsigned i = 0; i < u->count; i++)
        if (pc - u->range[i].start < u->range[i].end - u->range[i].start)
            return true;
    return false;
}

/* Frees the objects that came to rest in the last call. */
static void rest_is_over(void)
{
    for (struct path_chain *c; (c = resting_chains);) {
        unsigned lines = PATH_CHAIN_LINES(c->end - c->check);
        resting_chains = c->rest;
        c->next = path_shared.free_chains[lines];
        path_shared.free_chains[lines] = c;
    }
    for (struct path_edges *e; (e = resting_edges);) {
        struct path_edges **list = &path_shared.free_edges[__builtin_ctz(e->size)];
        resting_edges = e->smaller;
        e->smaller = *list;
        *list = e;
    }
    for (struct path_progress *s; (s = resting_progress);) {
        resting_progress = s->hh.next;
        s->hh.next = path_shared.free_progress;
        path_shared.free_progress = s;
    }
    for (struct path_frames *f; (f = resting_frames);) {
        resting_frames = f->key.inner;
        f->key.inner = path_shared.free_frames;
        path_shared.free_frames = f;
    }
}

/* Lets E rest, and the smaller tables that it was copied from. */
static void edges_rest(struct path_edges *e)
{
    while (e) {
        struct path_edges *smaller = e->smaller;
        e->smaller = resting_edges;
        resting_edges = e;
        e = smaller;
    }
}

/* The spawn of E was in the code: E loses its state and all its chains. */
static void forget_entry(struct path_entry *e)
{
    for (unsigned i = 0; i < PATH_LISTS; i++) {
        struct path_chain *c = e->chains[i], *next;
        __atomic_store_n(&e->chains[i], (struct path_chain *)0, __ATOMIC_RELEASE);
        for (; c; c = next) {
            next = c->next;     /* c->next stays: a reader may stand at C */
            c->rest = resting_chains;
            resting_chains = c;
            path_statistics.chains--;
        }
        __atomic_store_n(&e->tried[i], 0, __ATOMIC_RELAXED);
    }
    path_statistics.entries -= e->state != 0;
    __atomic_store_n(&e->state, (struct path_state *)0, __ATOMIC_RELEASE);
    __atomic_store_n(&e->spread, false, __ATOMIC_RELEASE);
}

/* The spawn of E is still there: E loses the chains that lead through the code. */
static void forget_chains(const struct unmapped_code *u, struct path_entry *e)
{
    for (unsigned i = 0; i < PATH_LISTS; i++)
        for (struct path_chain **at = &e->chains[i], *c; (c = *at);) {
            bool gone = false;
            for (const struct path_check *k = c->check; k != c->returns_end && !gone; k++)
                gone = holds(u, k->word);
            if (!gone) {
                at = &c->next;
                continue;
            }
            __atomic_store_n(at, c->next, __ATOMIC_RELEASE);    /* a reader at C finds the next */
            __atomic_store_n(&e->tried[i], 0, __ATOMIC_RELAXED);
        }
}

/* S is still there. It loses the edges that lead into the code. */
static void forget_answers(const struct unmapped_code *u, struct path_state *s)
{
    if (s->question != PATH_RETURN)
        return;
    if (s->state && holds(u, s->word))
        __atomic_store_n(&s->state, (struct path_state *)0, __ATOMIC_RELEASE);
    for (uint32_t i = 0; s->more && i < s->more->size; i++)
        if (s->more->at[i].state && holds(u, s->more->at[i].word))
            __atomic_store_n(&s->more->at[i].state, &path_unmapped, __ATOMIC_RELEASE);
}

/* The states whose frames, or whose next frame, are in the code rest; the others lose edges. */
static void forget_states(const struct unmapped_code *u)
{
    static struct path_progress none;   /* keeps the hash table when nothing else is in it */
    struct path_progress *p, *next;
    if (path_shared.progress && !none.hh.tbl)
        HASH_ADD(hh, path_shared.progress, key, sizeof none.key, &none);
    HASH_ITER(hh, path_shared.progress, p, next) {
        if (!holds(u, p->key.pc) && !(p->key.frames && p->key.frames->unmapped)) {
            forget_answers(u, &p->state);
            continue;
        }
        HASH_DEL(path_shared.progress, p);
        edges_rest(p->state.more);
        p->hh.next = resting_progress;
        resting_progress = p;
        path_statistics.states--;
    }
}

/* Marks the lists of frames that have one in the code. */
static void mark_frames(const struct unmapped_code *u)
{
    /* uthash keeps the order of insertion, so inner lists come first */
    for (struct path_frames *f = path_shared.frames; f; f = f->hh.next) {
        const struct path_frames *inner = f->key.inner;
        f->unmapped = holds(u, f->key.address) || (inner && inner->unmapped);
    }
}

/* The marked lists of frames rest. */
static void forget_frames(void)
{
    static struct path_frames none;     /* keeps the hash table when nothing else is in it */
    struct path_frames *f, *next;
    if (path_shared.frames && !none.hh.tbl)
        HASH_ADD(hh, path_shared.frames, key, sizeof none.key, &none);
    HASH_ITER(hh, path_shared.frames, f, next) {
        if (!f->unmapped)
            continue;
        HASH_DEL(path_shared.frames, f);
        f->key.inner = resting_frames;
        resting_frames = f;
    }
}

void path_forget(const struct code_range *range, unsigned count)
{
    const struct unmapped_code u = { range, count };
    lock_take(&path_shared.lock);
    rest_is_over();
    path_functions_flush();
    mark_frames(&u);
    for (unsigned i = 0; i < PATH_TABLE; i++)
        for (struct path_entry *e = path_table[i]; e; e = e->next)
            if (holds(&u, e->from))
                forget_entry(e);
            else
                forget_chains(&u, e);
    forget_states(&u);
    forget_frames();            /* after the states, which name them */
    lock_release(&path_shared.lock);
}
