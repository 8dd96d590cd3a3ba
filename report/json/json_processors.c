/* json_processors.c - who had the processors, in the stable form; see json.c. */
#include <jansson.h>
#include "analysis/processors.h"
#include "json/json.h"

static json_t *real_if(bool known, double v)
{
    return known ? json_real(v) : json_null();
}

/* What a CPU's entry states. */
static json_t *cpu(const struct profile *p, const struct lpf_cpu *c)
{
    bool times = p->machine->flags & LPF_MACHINE_TIMES && c->flags & LPF_CPU_ONLINE;
    json_t *j = json_object();
    json_object_set_new(j, "cpu", json_number(c->cpu));
    json_object_set_new(j, "allowed", json_boolean(c->flags & LPF_CPU_ALLOWED));
    json_object_set_new(j, "threads", p->machine->flags & LPF_MACHINE_MASKS
                                          ? json_number(c->threads) : json_null());
    json_object_set_new(j, "busy_ns", times ? json_number(c->busy_ns) : json_null());
    json_object_set_new(j, "steal_ns", times ? json_number(c->steal_ns) : json_null());
    json_object_set_new(j, "idle_ns", times ? json_number(c->idle_ns) : json_null());
    json_object_set_new(j, "samples", json_number(c->samples));
    json_object_set_new(j, "samples_outside", json_number(c->samples_outside));
    return j;
}

json_t *json_processors(const struct profile *p)
{
    struct processors x;
    json_t *j = json_object(), *cpus = json_array();
    processors_of(&x, p);
    bool masks = x.masks_known;
    json_object_set_new(j, "known", json_boolean(x.known));
    json_object_set_new(j, "wall_ns", real_if(x.known, x.wall_ns));
    json_object_set_new(j, "allowed", json_integer(x.allowed));
    json_object_set_new(j, "online", x.known ? json_integer(x.online) : json_null());
    json_object_set_new(j, "busy_ns", real_if(x.known, x.busy_ns));
    json_object_set_new(j, "own_ns", real_if(x.known, x.own_ns));
    json_object_set_new(j, "system_ns", real_if(x.known, x.system_ns));
    json_object_set_new(j, "faults", real_if(x.known, x.faults));
    json_object_set_new(j, "others_ns", real_if(x.known, x.others_ns));
    json_object_set_new(j, "steal_ns", real_if(x.known, x.steal_ns));
    json_object_set_new(j, "throttled_ns", real_if(x.quota_known, x.throttled_ns));
    json_object_set_new(j, "quota", real_if(x.quota_known, x.quota));
    json_object_set_new(j, "used", json_integer(x.used));
    json_object_set_new(j, "threads_allowed",
                        masks ? json_integer(x.threads_allowed) : json_null());
    json_object_set_new(j, "idle_allowed_ns", real_if(x.known, x.idle_allowed_ns));
    json_object_set_new(j, "idle_unused_ns", real_if(x.known && masks, x.idle_unused_ns));
    json_object_set_new(j, "unit_ns", real_if(x.known, x.unit_ns));
    for (size_t i = 0; i < p->cpu_count; i++)
        json_array_append_new(cpus, cpu(p, &p->cpus[i]));
    json_object_set_new(j, "cpus", cpus);
    return j;
}
