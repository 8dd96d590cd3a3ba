/* whatif.c - the lengths of scenarios. See whatif.h and whatif_private.h. */
#include "whatif/whatif_private.h"
#include <string.h>
#include "base/message.h"
#include "clock/clock.h"
#include "dag/block.h"
#include "dag/run.h"
#include "dag/strand.h"
#include "base/forbid.h"

#define OWN_SAMPLES 16u         /* with so many samples, a strand part goes by its own samples */

static uint32_t lengths_class;  /* of blocks with a length for each scenario */

/* A new copy of the lengths FROM; FROM NULL: lengths of 0. The part has begun with no event. NULL:
 * there is no memory. */
static uint64_t *lengths_new(struct thread *th, const uint64_t *from)
{
    uint64_t *l = block_new(th, lengths_class);
    if (l && from)
        memcpy(l, from, whatif_scenarios * sizeof *l);
    else if (l)
        memset(l, 0, whatif_scenarios * sizeof *l);
    if (l)
        l[whatif_scenarios] = 0;
    return l;
}

void whatif_born(struct thread *th, struct task *t, const uint64_t *scaled,
                 const struct whatif_inside *in, bool same)
{
    in = in ? in : whatif_outside;
    t->scaled = lengths_new(th, scaled);
    t->inside = same ? in : whatif_chain_enter_all(in, whatif_code_of_context(t->ctx));
}

void whatif_maximum(struct thread *th, uint64_t **into, const uint64_t *from)
{
    uint64_t *to = *into;
    if (!to) {
        *into = lengths_new(th, from);
        return;
    }
    for (uint32_t j = 0; j < whatif_scenarios; j++)
        if (from[j] > to[j])
            to[j] = from[j];
}

void whatif_moved(struct thread *th, uint64_t **into, uint64_t **from)
{
    if (*into) {
        whatif_maximum(th, into, *from);
        block_free(th, *from);
    } else {
        *into = *from;
    }
    *from = 0;
}

void whatif_freed(struct thread *th, uint64_t **lengths)
{
    block_free(th, *lengths);
    *lengths = 0;
}

uint64_t whatif_spent(struct thread *th, struct task *t, uint64_t cost)
{
    struct whatif_thread *w = th->whatif;
    if (!w || !t->scaled)
        return 0;
    bool own = whatif_equal(w->part, w->part_squares) >= OWN_SAMPLES && w->sampled == t;
    const uint32_t *weight = own ? 0 : whatif_weights_of(t, th->part_event, cost);
    uint64_t more = 0;
    if (__builtin_expect(whatif_delays, 0)) {
        uint64_t slow = own ? w->part_sum[whatif_scenarios] / w->part : weight[whatif_scenarios];
        more = cost * slow / WHATIF_DELAY_UNIT;
        whatif_delay_spend(th, t, more);
    }
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        uint64_t scaled = (cost + more) * (own ? w->part_sum[j] / w->part : weight[j]);
        t->scaled[j] += scaled;
        if (__builtin_add_overflow(w->work[j], scaled, &w->work[j]))
            w->work_high[j]++;
    }
    if (w->part)
        whatif_part_end(w);
    if (th->part_event)         /* the profiler's own work begins no other part */
        t->scaled[whatif_scenarios] = th->part_event;
    return more;
}

/* ---- start, fork, and the writer ---- */

/* Reads both settings. Returns what is wrong, or NULL. *NAME, *VALUE: the setting at fault, if one
 * alone is. */
static const char *read_settings(const char *setting, const char *delayed, const char **name,
                                 const char **value)
{
    const char *wrong = whatif_parse(setting);
    *name = "PROF_WHATIF";
    *value = setting;
    if (!wrong && (wrong = whatif_parse_delays(delayed))) {
        *name = "PROF_DELAY";
        *value = delayed;
    }
    return wrong ? wrong : whatif_parse_end();
}

void whatif_setup(const char *setting, const char *delayed, const char *code)
{
    if (!*setting && !*delayed)
        return;
    const char *name, *value, *wrong = read_settings(setting, delayed, &name, &value);
    if (!wrong && !(whatif_chain_start() && whatif_samples_start() && whatif_code_start()))
        wrong = "there is no memory for it";
    if (wrong) {
        message(MESSAGE_WARNING, "%s=%s: %s; nothing is tried", name, value, wrong);
        whatif_scenarios = whatif_candidates = 0;
        return;
    }
    lengths_class = block_class(whatif_slots * sizeof(uint64_t));
    clock_slow_only();
    engine_extras = true;
    strand_scenarios = whatif_spent;
    wrong = *code ? whatif_code_load(code) : 0;
    if (wrong) {
        message(MESSAGE_WARNING, "PROF_WHATIF_CODE=%s: %s; only regions are tried", code, wrong);
        whatif_ranges = 0;
    }
}

void whatif_thread_start(struct thread *th)
{
    if (!whatif_scenarios || th->whatif)
        return;
    struct whatif_thread *w = memory_keep(sizeof *w + 3 * whatif_slots * sizeof(uint64_t));
    if (!w) {
        th->lost[LOSS_MEMORY]++;
        return;
    }
    w->work = (uint64_t *)(w + 1);
    w->work_high = w->work + whatif_slots;
    w->part_sum = w->work_high + whatif_slots;
    th->whatif = w;
}

void whatif_forked(void)
{
    for (struct thread *th = engine_threads; th; th = th->next)
        if (th->whatif) {
            memset(th->whatif->work, 0, 3 * whatif_slots * sizeof(uint64_t));
            th->whatif->part = th->whatif->part_squares = 0;
            th->detached_scaled = 0;
        }
    for (uint32_t c = 0; c < whatif_candidates; c++)
        whatif_seen[c].regions = whatif_seen[c].weight = whatif_seen[c].squares = 0;
}

/* W's work of scenario J. W's thread may add to it meanwhile. */
static unsigned __int128 work_of(const struct whatif_thread *w, uint32_t j)
{
    uint64_t high, low;
    do {
        high = __atomic_load_n(&w->work_high[j], __ATOMIC_ACQUIRE);
        low = __atomic_load_n(&w->work[j], __ATOMIC_ACQUIRE);
    } while (high != __atomic_load_n(&w->work_high[j], __ATOMIC_ACQUIRE));
    return (unsigned __int128)high << 64 | low;
}

void whatif_work(uint64_t *work)
{
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        unsigned __int128 sum = whatif_unit / 2;
        for (const struct thread *th = engine_threads; th; th = th->next)
            if (th->whatif)
                sum += work_of(th->whatif, j) +
                       (unsigned __int128)th->open *
                           (th->open_task && th->open_task->inside ?
                                whatif_weights(th->open_task, 0)[j] : whatif_unit);
        work[j] = sum / whatif_unit;
    }
}

void whatif_longest(uint64_t *longest, const uint64_t *lengths, const struct task *t, uint64_t cost)
{
    if (!longest || !lengths)
        return;
    const uint32_t *weight = t && t->inside ? whatif_weights(t, 0) : whatif_outside->weight;
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        uint64_t l = lengths[j] + cost * weight[j];
        if (l > longest[j])
            longest[j] = l;
    }
}
