/* processors.c - see processors.h. */
#include "analysis/processors.h"
#include <math.h>

#define USED_SHARE 0.05         /* of the samples on the CPU: fewer are on a CPU by chance */

static void add_cpu(struct processors *x, const struct lpf_cpu *c)
{
    x->online += (c->flags & LPF_CPU_ONLINE) != 0;
    x->threads_allowed += c->threads != 0;
    if (!(c->flags & LPF_CPU_ALLOWED))
        return;
    x->allowed++;
    x->busy_ns += c->busy_ns;
    x->steal_ns += c->steal_ns;
    x->idle_allowed_ns += c->idle_ns;
    if (x->masks_known && !c->threads)
        x->idle_unused_ns += c->idle_ns;
    x->bound |= x->masks_known && c->threads < x->threads;
}

void processors_of(struct processors *x, const struct profile *p)
{
    *x = (struct processors){ .known = false };
    if (!p->machine_count)
        return;
    const struct lpf_machine *m = p->machine;
    x->known = m->flags & LPF_MACHINE_TIMES;
    x->quota_known = m->flags & LPF_MACHINE_QUOTA;
    x->masks_known = m->flags & LPF_MACHINE_MASKS && m->threads;
    x->threads = m->threads;
    x->wall_ns = m->wall_ns;
    x->unit_ns = m->unit_ns;
    x->own_ns = m->own_cpu_ns;
    x->system_ns = m->own_system_ns;
    x->faults = m->own_faults;
    x->throttled_ns = m->throttled_ns;
    x->quota = m->quota_period_ns ? (double)m->quota_ns / m->quota_period_ns : 0;
    double samples = 0;
    for (size_t i = 0; i < p->cpu_count; i++) {
        add_cpu(x, &p->cpus[i]);
        samples += (double)p->cpus[i].samples + p->cpus[i].samples_outside;
    }
    for (size_t i = 0; i < p->cpu_count; i++) {
        double here = (double)p->cpus[i].samples + p->cpus[i].samples_outside;
        x->used += here > 0 && here >= USED_SHARE * samples;
    }
    x->others_ns = fmax(x->busy_ns - x->own_ns, 0);
}
