/* strand_waits.c - see strand_waits.h. */
#include "analysis/strand_waits.h"
#include "analysis/path_service.h"
#include "profile/profile.h"

struct strand_waits strand_waits_of(const struct summary *m, struct paths *t)
{
    const struct profile *p = m->profile;
    const struct row *at;
    double spun = 0, blocked = 0, locked = 0, slept = 0, all = 0;
    if (!p->totals.ns_num)
        return (struct strand_waits){ 0 };
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        enum service service = path_service_of(t, s->node);
        double off = (double)s->blocked * p->totals.off_cpu_ns;
        all += s->weight;
        spun += service > SERVICE_SLEEP ? s->weight : 0;
        locked += service > SERVICE_SLEEP ? off : 0;
        slept += service == SERVICE_SLEEP ? off : 0;
        blocked += off;
    }
    /* off-CPU samples each stand for the time between two, and so may exceed what was measured */
    double scale = blocked > p->totals.blocked_ns ? p->totals.blocked_ns / blocked : 1;
    double excluded = summary_exclusion(m, &at);
    return (struct strand_waits){
        .strands = m->work + p->totals.blocked_ns + excluded,
        /* samples find little of the time in which strands could have run but had no CPU: no wait
         * is less because of that */
        .sampled = m->work + scale * blocked + excluded,
        .spun = m->work * ratio(spun, all),
        .locked = scale * locked,
        .slept = scale * slept,
        .excluded = excluded,
    };
}
