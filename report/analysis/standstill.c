/* standstill.c - see standstill.h. */
#include "analysis/standstill.h"
#include <math.h>
#include <string.h>

/* Off-CPU samples are 10 ms apart. So few of them may miss half of the time. */
#define SEEN_LEAST 0.5
/* Of a short run, blocked time is mostly what no count explains: faults, the start of threads. So
 * that threads waited for each other needs so many samples that found one waiting. */
#define SEEN_SAMPLES 4

static double seen(const struct profile *p)
{
    double samples = 0;
    for (size_t i = 0; i < p->sample_count; i++)
        samples += p->samples[i].blocked;
    return samples * LPF_OFF_CPU_NS;
}

struct standstill standstill_of(const struct profile *p)
{
    struct standstill s = { .root = p->totals.blocked_ns };
    uint64_t delay;
    double threads = 0, slots = profile_slots_ns(p);
    bool known = profile_run_delay_ns(p, &delay);
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        s.root -= c->blocked_ns;
        if (!strcmp(profile_string(p, p->sites[c->site].construct), "pthread_create"))
            threads += c->blocked_ns;
    }
    s.root = fmax(s.root, 0);
    double rest = p->totals.blocked_ns - (known ? delay : 0);
    s.waited = fmin(rest, seen(p) + profile_waited_alone_ns(p));
    s.whole = known && s.waited >= SEEN_LEAST * rest;
    s.waited = s.whole ? rest : s.waited;
    s.much = fmin(s.waited, profile_room_ns(p)) > STANDSTILL_MUCH * slots;
    s.threads = threads > 0 && known && seen(p) >= SEEN_SAMPLES * (double)LPF_OFF_CPU_NS &&
                fmin(s.waited, threads + s.root - delay) > STANDSTILL_KNOWN * slots;
    return s;
}
