/* sections_cpus.c - the sections of the machine and its CPUs. See sections.h. */
#include "base/memory.h"
#include "libprof_format.h"
#include "output/sections.h"
#include "sampling/cpus.h"
#include "base/forbid.h"

static bool has_something(const struct lpf_cpu *c)
{
    return c->flags || c->samples || c->samples_outside;
}

void sections_cpus(struct sections *s)
{
    struct lpf_machine m;
    struct lpf_cpu *cpu = memory_map(LPF_CPUS_MOST * sizeof *cpu);
    if (!cpu)
        return;
    uint32_t end = cpus_sum(&m, cpu);
    buffer_add(&s->machine, &m, sizeof m);
    for (uint32_t i = 0; i < end; i++)
        if (has_something(&cpu[i]))
            buffer_add(&s->cpus, &cpu[i], sizeof cpu[i]);
    memory_unmap(cpu, LPF_CPUS_MOST * sizeof *cpu);
}
