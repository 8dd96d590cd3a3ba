/* waits.c - time of strands that no simulation has, by where samples found them: in waits for locks
 * and for other threads, which take longer the more workers there are, and asleep, which more
 * workers overlap. A lock that spins or yields counts as work in the dag. One that blocks is in the
 * strands' time off the CPU, which the dag does not have. Nothing shows how long a lock is held. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "predict/predict.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

enum wait { WAIT_NONE, WAIT_LOCK, WAIT_SLEEP };

/* What code of the system or of a runtime is for, by its name. */
static enum wait wait_of(const char *function)
{
    static const struct {
        const char *part;
        enum wait wait;
    } parts[] = {
        { "sleep", WAIT_SLEEP },       { "sched_yield", WAIT_LOCK }, { "spin", WAIT_LOCK },
        { "mutex", WAIT_LOCK },        { "futex", WAIT_LOCK },       { "lll_lock", WAIT_LOCK },
        { "_cond_", WAIT_LOCK },       { "rwlock", WAIT_LOCK },      { "sem_wait", WAIT_LOCK },
        { "barrier_wait", WAIT_LOCK }, { "set_lock", WAIT_LOCK },    { "critical", WAIT_LOCK },
        { "atomic_backoff", WAIT_LOCK },
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(function, parts[i].part))
            return parts[i].wait;
    return WAIT_NONE;
}

static bool is_runtime(const struct profile *p, uint64_t address)
{
    for (size_t i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].start && address < p->modules[i].end)
            return p->modules[i].flags & LPF_MODULE_RUNTIME;
    return false;
}

/* What the code at NODE waits for, by the frames up to the program's innermost one. The program's
 * own names decide nothing: `locked` may be what a lock protects. */
static enum wait wait_at(const struct summary *m, uint32_t node)
{
    const struct profile *p = m->profile;
    for (; p->nodes[node].kind == LPF_NODE_FRAME || p->nodes[node].kind == LPF_NODE_LEAF;
         node = p->nodes[node].parent) {
        const struct lpf_node *n = &p->nodes[node];
        uint64_t address = n->address - (n->kind == LPF_NODE_FRAME);
        struct frame f[INLINED_MOST];
        size_t count = symbols_lookup(m->symbols, address, f, INLINED_MOST);
        bool system = path_is_system(symbols_module(m->symbols, address)) ||
                      is_runtime(p, address);
        for (size_t i = 0; i < count; i++) {
            if (!system && !f[i].nameless && !symbols_library(&f[i]))
                return WAIT_NONE;
            enum wait wait = wait_of(f[i].function);
            if (wait)
                return wait;
        }
    }
    return WAIT_NONE;
}

void predict_waits(struct predictor *q)
{
    const struct profile *p = q->profile;
    const struct row *at;
    double all = 0, spun = 0, blocked[3] = { 0 };
    if (!p->totals.ns_num)
        return;
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        enum wait wait = wait_at(&q->summary, s->node);
        all += s->weight;
        spun += wait == WAIT_LOCK ? s->weight : 0;
        blocked[wait] += (double)s->blocked * LPF_OFF_CPU_NS;
    }
    /* off-CPU samples each stand for the time between two, and so may exceed what was measured */
    double found = blocked[WAIT_NONE] + blocked[WAIT_LOCK] + blocked[WAIT_SLEEP],
           scale = found > p->totals.blocked_ns ? p->totals.blocked_ns / found : 1;
    q->spun_ns = q->summary.work * ratio(spun, all);
    q->locked_ns = scale * blocked[WAIT_LOCK];
    q->slept_ns = scale * blocked[WAIT_SLEEP];
    q->excluded_ns = summary_exclusion(&q->summary, &at);
    /* without the time in which strands could have run but had no CPU, which no sample finds */
    q->strands_ns = q->summary.work + scale * found + q->excluded_ns;
}
