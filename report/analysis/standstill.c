/* standstill.c - see standstill.h. */
#include "analysis/standstill.h"
#include <math.h>
#include <string.h>

/* Few off-CPU samples may miss half of the time. */
#define SEEN_LEAST 0.5
/* Of a short run, blocked time is mostly what no count explains: faults, the start of threads. So
 * that threads waited for each other needs so many samples that found one waiting. */
#define SEEN_SAMPLES 4
/* A thread that yields while it waits, as in libstdc++'s std::barrier, is ready: on a busy machine
 * it is without a CPU for longer than it sleeps, and few samples find it asleep. So fewer samples
 * are enough, where this share of the time off the CPU was for lack of one. */
#define SEEN_FEW 2
#define LACKING 0.5

static double seen(const struct profile *p)
{
    double samples = 0;
    for (size_t i = 0; i < p->sample_count; i++)
        samples += p->samples[i].blocked;
    return samples * p->totals.off_cpu_ns;
}

/* Did threads of the program wait, which were off the CPU for THEIRS ns? DELAY: for lack of one. */
static bool have_waited(const struct profile *p, const struct standstill *s, double theirs,
                        double delay)
{
    double found = seen(p), slots = profile_slots_ns(p), with_cpu = fmax(slots - delay, 0);
    return (found >= SEEN_SAMPLES * PROFILE_OFF_CPU_APART_NS &&
            fmin(s->waited, theirs - delay) > STANDSTILL_KNOWN * slots) ||
           (delay > LACKING * p->totals.blocked_ns &&
            found >= SEEN_FEW * PROFILE_OFF_CPU_APART_NS &&
            fmin(found, theirs - delay) > STANDSTILL_KNOWN * with_cpu);
}

struct standstill standstill_of(const struct profile *p)
{
    struct standstill s = { 0 };
    uint64_t delay;
    double threads = 0, root = p->totals.blocked_ns, slots = profile_slots_ns(p);
    bool known = profile_run_delay_ns(p, &delay);
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        root -= c->blocked_ns;
        if (!strcmp(profile_string(p, p->sites[c->site].construct), "pthread_create"))
            threads += c->blocked_ns;
    }
    double rest = p->totals.blocked_ns - (known ? delay : 0);
    s.waited = fmin(rest, seen(p) + profile_waited_alone_ns(p));
    if (known && s.waited >= SEEN_LEAST * rest)
        s.waited = rest;
    s.much = fmin(s.waited, profile_room_ns(p)) > STANDSTILL_MUCH * slots;
    s.threads = threads > 0 && known && have_waited(p, &s, threads + fmax(root, 0), delay);
    s.unseen = threads > 0 && known && !s.threads && delay > STANDSTILL_MUCH * slots &&
               strcmp(profile_string(p, p->totals.clock), "virtual") != 0;
    s.threads |= s.unseen && delay > LACKING * slots;
    return s;
}
