/* waits.c - sets what no simulation has: the strands' waits, and libprof's own time in them. */
#include "analysis/paths.h"
#include "analysis/strand_waits.h"
#include "predict/predict.h"
#include "profile/profile.h"

void predict_waits(struct predictor *q)
{
    struct paths paths;
    if (!q->profile->totals.ns_num)
        return;
    paths_new(&paths, &q->summary, false, true, 0);
    q->waits = strand_waits_of(&q->summary, &paths);
    q->own = paths_own_share_all(&q->summary, &paths);
    paths_free(&paths);
}
