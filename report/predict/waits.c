/* waits.c - time of strands that no simulation has, by where samples found the strands. Some waited
 * for locks or for other threads: that takes longer the more workers there are. Others slept: more
 * workers overlap that. A lock that spins or yields counts as work in the dag. One that blocks is
 * in the strands' time off the CPU, which the dag does not have. Nothing shows how long a lock is
 * held. */
#include "analysis/path_wait.h"
#include "analysis/paths.h"
#include "predict/predict.h"
#include "profile/profile.h"

void predict_waits(struct predictor *q)
{
    const struct profile *p = q->profile;
    const struct row *at;
    struct paths paths;
    double all = 0, spun = 0, blocked = 0, locked = 0, slept = 0;
    if (!p->totals.ns_num)
        return;
    paths_new(&paths, &q->summary, false, true, 0);
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        enum wait wait = path_wait_of(&paths, s->node);
        double off = (double)s->blocked * LPF_OFF_CPU_NS;
        all += s->weight;
        spun += wait > WAIT_SLEEP ? s->weight : 0;
        locked += wait > WAIT_SLEEP ? off : 0;
        slept += wait == WAIT_SLEEP ? off : 0;
        blocked += off;
    }
    q->own = paths_own_share_all(&paths);
    paths_free(&paths);
    /* off-CPU samples each stand for the time between two, and so may exceed what was measured */
    double scale = blocked > p->totals.blocked_ns ? p->totals.blocked_ns / blocked : 1;
    q->spun_ns = q->summary.work * ratio(spun, all);
    q->locked_ns = scale * locked;
    q->slept_ns = scale * slept;
    q->excluded_ns = summary_exclusion(&q->summary, &at);
    /* no sample finds time in which strands could have run but had no CPU: no wait is less because
     * of that */
    q->sampled_ns = q->summary.work + scale * blocked + q->excluded_ns;
    q->strands_ns = q->summary.work + p->totals.blocked_ns + q->excluded_ns;
}
