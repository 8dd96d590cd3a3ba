/* whatif_chain.c - the chains of candidates that strands are inside of. See whatif_private.h. */
#include "whatif/whatif_private.h"
#include "base/forbid.h"

#define CHAINS 4096u            /* once there are so many, further nesting does not count */

struct whatif_inside *whatif_outside;
static uint32_t chains;         /* the number of chains, and the next id; under chains_lock */
LOCK_DEFINE(chains_lock, LOCK_LEAF);    /* growth of the table; base/memory.c's lock nests in it */

/* The weight of a cost that TERM divides. */
static uint32_t scaled_unit(const struct whatif_term *term)
{
    return ((uint64_t)whatif_unit * term->den + term->num / 2) / term->num;
}

/* Sets the weights of the chain IN. */
static void weigh(struct whatif_inside *in)
{
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        const struct whatif_scenario *s = &whatif_scenario[j];
        uint32_t weight = whatif_unit;
        /* the outermost candidate comes last, so it sets the weight */
        for (const struct whatif_inside *i = in; i->outer; i = i->outer)
            for (uint32_t k = s->first; k < s->first + s->terms; k++)
                if (whatif_term[k].candidate == i->candidate)
                    weight = scaled_unit(&whatif_term[k]);
        in->weight[j] = weight;
    }
    in->weight[whatif_scenarios] = 0;
    for (const struct whatif_inside *i = in; i->outer; i = i->outer)
        if (whatif_delay[i->candidate])
            in->weight[whatif_scenarios] = whatif_delay[i->candidate];
}

bool whatif_chain_start(void)
{
    struct whatif_inside *in = memory_keep(sizeof *in + whatif_slots * sizeof in->weight[0]);
    if (!in)
        return false;
    weigh(in);
    chains = 1;
    whatif_outside = in;
    return true;
}

bool whatif_chain_has(const struct whatif_inside *in, uint32_t candidate)
{
    while (in->outer && in->candidate != candidate)
        in = in->outer;
    return in->outer;
}

/* The chain AT and then CANDIDATE. AT itself if it has CANDIDATE already, or if there is no
 * room. */
static const struct whatif_inside *enter(const struct whatif_inside *at, uint32_t candidate)
{
    if (whatif_chain_has(at, candidate))
        return at;
    struct whatif_inside *from = (struct whatif_inside *)at;
    struct whatif_inside *in = __atomic_load_n(&from->inner[candidate], __ATOMIC_ACQUIRE);
    if (in)
        return in;
    lock_take(&chains_lock);
    in = from->inner[candidate];
    if (!in && chains < CHAINS &&
        (in = memory_keep(sizeof *in + whatif_slots * sizeof in->weight[0]))) {
        in->outer = at;
        in->candidate = candidate;
        in->id = chains++;
        weigh(in);
        __atomic_store_n(&from->inner[candidate], in, __ATOMIC_RELEASE);
    }
    lock_release(&chains_lock);
    return in ? in : at;
}

/* The chain IN without CANDIDATE. */
static const struct whatif_inside *leave(const struct whatif_inside *in, uint32_t candidate)
{
    uint8_t order[WHATIF_CANDIDATES];
    uint32_t n = 0;
    for (; in->outer; in = in->outer)
        if (in->candidate != candidate)
            order[n++] = in->candidate;
    while (n)
        in = enter(in, order[--n]);
    return in;
}

const struct whatif_inside *whatif_chain_enter_all(const struct whatif_inside *in, uint32_t bits)
{
    for (uint32_t i = 0; bits && i < whatif_candidates; i++)
        if (bits >> whatif_by_size[i] & 1)
            in = enter(in, whatif_by_size[i]);
    return in;
}

/* The chain A without the candidates that B lacks. */
static const struct whatif_inside *only(const struct whatif_inside *a,
                                        const struct whatif_inside *b)
{
    const struct whatif_inside *in = a;
    for (; a->outer; a = a->outer)
        if (!whatif_chain_has(b, a->candidate))
            in = leave(in, a->candidate);
    return in;
}

/* If A and B have an order of their own each, the first place where they differ decides. */
const struct whatif_inside *whatif_common(const struct whatif_inside *a,
                                          const struct whatif_inside *b)
{
    if (a == b)
        return a;
    a = only(a, b);
    b = only(b, a);
    bool less = false;
    const struct whatif_inside *i = a, *j = b;
    for (; i->outer && j->outer; i = i->outer, j = j->outer)
        if (i->candidate != j->candidate)
            less = i->candidate < j->candidate;
    return less ? a : b;
}

bool whatif_enter(struct task *t, int index)
{
    if (!t->inside || whatif_chain_has(t->inside, index))
        return false;
    t->inside = enter(t->inside, index);
    __atomic_fetch_add(&whatif_seen[index].regions, 1, __ATOMIC_RELAXED);
    return true;
}

void whatif_leave(struct task *t, int index)
{
    if (t->inside)
        t->inside = leave(t->inside, index);
}
