/* whatif_delay.c - the delays of PROF_DELAY: code that is to cost more makes its thread spin.
 * whatif_setting.c reads the factors, and limits them.
 */
#include "whatif/whatif_private.h"
#include "arch/cpu.h"
#include "clock/clock.h"
#include "dag/strand.h"
#include "base/forbid.h"

/* Spends COST on TH, the calling thread. A virtual clock is moved on by COST. */
static void waste(struct thread *th, uint64_t cost)
{
    if (clock_kind == CLOCK_VIRTUAL) {
        th->clock.virtual_now += cost;
        return;
    }
    th->whatif->delaying = 1;
    for (uint64_t end = clock_now(&th->clock) + cost; (int64_t)(end - clock_now(&th->clock)) > 0;)
        cpu_pause();
    th->whatif->delaying = 0;
}

bool whatif_delaying(const struct thread *th)
{
    return th->whatif && th->whatif->delaying;
}

void whatif_delay_spend(struct thread *th, struct task *t, uint64_t cost)
{
    if (cost)
        waste(th, cost);
    t->S += cost;
    lengths_add(&t->len, cost);
    t->own += cost;
}
