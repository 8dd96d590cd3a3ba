/* own.c - see own.h. */
#include "dag/own.h"
#include "dag/strand.h"
#include "base/forbid.h"

void own_told(struct thread *th, uint64_t now)
{
    struct task *cur = th->cur;
    int64_t cost = (int64_t)(now - th->t0);
    if (!cur)
        return;
    /* or the strand starts later: its hook has cut it, and taken off what it costs itself */
    if (cost > 0)
        strand_part(th, cur, now, 0);
    th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0);
}
