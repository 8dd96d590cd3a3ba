/* facts.c - what the settings and totals of a profile state: see profile.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "profile/profile.h"

struct lpf_squares profile_squares(const struct profile *p, size_t i, size_t *at)
{
    const struct lpf_sample *s = &p->samples[i];
    while (*at < p->square_count && p->squares[*at].node < s->node)
        ++*at;
    if (*at < p->square_count && p->squares[*at].node == s->node)
        return p->squares[*at];
    return (struct lpf_squares){ .node = s->node, .weight = s->weight, .on_span = s->on_span };
}

const char *const profile_wait_names[LPF_WAIT_KINDS] = {
    [LPF_WAIT_OTHER] = "other", [LPF_WAIT_FUTEX] = "futex", [LPF_WAIT_SLEEP] = "sleep",
    [LPF_WAIT_IO] = "io", [LPF_WAIT_POLL] = "poll", [LPF_WAIT_CHILD] = "child",
    [LPF_WAIT_MEMORY] = "memory", [LPF_WAIT_FAULT] = "fault", [LPF_WAIT_CPU] = "cpu",
};

bool profile_switches(const struct profile *p, struct lpf_switches *sum)
{
    *sum = (struct lpf_switches){ .thread = LPF_NONE };
    for (size_t i = 0; i < p->switch_count; i++) {
        const struct lpf_switches *s = &p->switches[i];
        add_capped(&sum->voluntary, s->voluntary);
        add_capped(&sum->involuntary, s->involuntary);
        add_capped(&sum->wakeup_ns, s->wakeup_ns);
        add_capped(&sum->preempted_ns, s->preempted_ns);
        add_capped(&sum->idle_voluntary, s->idle_voluntary);
        add_capped(&sum->idle_involuntary, s->idle_involuntary);
        add_capped(&sum->idle_wakeup_ns, s->idle_wakeup_ns);
        add_capped(&sum->idle_preempted_ns, s->idle_preempted_ns);
    }
    return p->switch_count;
}

const char *profile_setting(const struct profile *p, const char *name)
{
    for (size_t i = 0; i < p->setting_count; i++)
        if (!strcmp(profile_string(p, p->settings[i].key), name))
            return profile_string(p, p->settings[i].value);
    return "";
}

uint64_t profile_number(const char *value)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    return *value < '0' || *value > '9' || *end || errno ? 0 : n;
}

static const char cpu_before[] = "cpu-before-ns", cpu_start[] = "cpu-start-ns",
                  cpu_writing[] = "cpu-writing-ns", run_delay[] = "run-delay-ns",
                  run_delay_idle[] = "run-delay-idle-ns", waited_alone[] = "waited-alone-ns",
                  children[] = "children", cpu_children[] = "cpu-children-ns";

/* What stands before the name of an event of PROF_EVENTS. */
static const char event[] = "event:";

const char *profile_event(const struct profile *p, size_t *at, uint64_t *count)
{
    while (*at < p->setting_count) {
        const struct lpf_setting *s = &p->settings[(*at)++];
        const char *key = profile_string(p, s->key);
        if (!strncmp(key, event, sizeof event - 1)) {
            *count = profile_number(profile_string(p, s->value));
            return key + sizeof event - 1;
        }
    }
    return NULL;
}

bool profile_is_time(const char *name)
{
    return !strncmp(name, event, sizeof event - 1) || !strcmp(name, cpu_before) ||
           !strcmp(name, cpu_start) || !strcmp(name, cpu_writing) || !strcmp(name, run_delay) ||
           !strcmp(name, run_delay_idle) || !strcmp(name, waited_alone) ||
           !strcmp(name, children) || !strcmp(name, cpu_children);
}

unsigned profile_processors(const struct profile *p)
{
    uint64_t n = p->input_count ? 0 : profile_number(profile_setting(p, "processors"));
    return n < UINT32_MAX ? (unsigned)n : 0;
}

uint64_t profile_children(const struct profile *p, uint64_t *cpu_ns)
{
    *cpu_ns = profile_number(profile_setting(p, cpu_children));
    return profile_number(profile_setting(p, children));
}

bool profile_run_delay_ns(const struct profile *p, uint64_t *ns)
{
    const char *value = profile_setting(p, run_delay);
    *ns = profile_number(value);
    if (*ns > p->totals.blocked_ns)     /* the setting includes waits between strands */
        *ns = p->totals.blocked_ns;
    return *value;
}

uint64_t profile_waited_alone_ns(const struct profile *p)
{
    return profile_number(profile_setting(p, waited_alone));
}

bool profile_idle_run_delay_ns(const struct profile *p, uint64_t *ns)
{
    const char *value = profile_setting(p, run_delay_idle);
    *ns = profile_number(value);
    if (*ns > p->totals.sleep_ns)
        *ns = p->totals.sleep_ns;
    return *value;
}

uint64_t profile_all_run_delay_ns(const struct profile *p)
{
    return profile_number(profile_setting(p, run_delay));
}

uint64_t profile_cpu_before_ns(const struct profile *p)
{
    return profile_number(profile_setting(p, cpu_before));
}

uint64_t profile_cpu_ns(const struct profile *p)
{
    uint64_t all = p->totals.cpu_ns, before = profile_cpu_before_ns(p);
    return before < all ? all - before : all;
}

uint64_t profile_cpu_outside_ns(const struct profile *p)
{
    uint64_t sum;
    return __builtin_add_overflow(profile_number(profile_setting(p, cpu_start)),
                                  profile_number(profile_setting(p, cpu_writing)), &sum)
               ? UINT64_MAX
               : sum;
}

double profile_ns(const struct profile *p, uint64_t cost)
{
    const struct lpf_totals *t = &p->totals;
    return t->ns_num ? (double)cost * ((double)t->ns_num / (double)t->ns_den) : (double)cost;
}

uint64_t profile_whole_ns(const struct profile *p, uint64_t cost)
{
    const struct lpf_totals *t = &p->totals;
    if (!t->ns_num || t->ns_num == t->ns_den)
        return cost;
    unsigned __int128 ns = ((unsigned __int128)cost * t->ns_num + t->ns_den / 2) / t->ns_den;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

double profile_slots_ns(const struct profile *p)
{
    double slots = (double)p->totals.elapsed_ns * p->totals.workers;
    return slots > p->totals.threads_ns ? slots : p->totals.threads_ns;
}

double profile_room_ns(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    double busy = (double)t->threads_ns - t->search_ns - t->sleep_ns - t->blocked_ns;
    return (double)t->workers * t->elapsed_ns - busy;
}

/* The part of that time, in ns, in which no strand waited for a processor: most that the slots can
 * have been without a strand. One that sleeps or waits needs no slot. */
static double empty_ns(const struct profile *p)
{
    uint64_t delay = 0;
    profile_run_delay_ns(p, &delay);
    double empty = profile_room_ns(p) - delay;
    return empty > 0 ? empty : 0;
}

double profile_idle_rows_ns(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    double idle = (double)t->search_ns + t->sleep_ns + profile_slots_ns(p) - t->threads_ns,
           empty = empty_ns(p);
    bool crowd = t->threads_ns > (double)t->elapsed_ns * t->workers;
    return crowd && idle > empty ? empty : idle;
}

double profile_own_of_tasks_ns(const struct profile *p)
{
    uint64_t idle = p->idle_sum_count ? p->idle_sum->own_ns : 0;
    return p->totals.own_ns > idle ? p->totals.own_ns - idle : 0;
}

uint64_t profile_idle_ns(const struct profile *p)
{
    if (!p->totals.threads_ns)
        return p->totals.idle_ns;
    double idle = profile_idle_rows_ns(p);
    return idle < 0x1p64 ? (uint64_t)(idle + 0.5) : UINT64_MAX;
}

const char *profile_unit(const struct profile *p)
{
    return p->totals.ns_num ? "ns" : profile_string(p, p->totals.clock);
}

bool profile_chunks_unsaid(const struct profile *p)
{
    return p->loop_count && (p->loops->chunks_divided || p->loops->chunks_unknown) &&
           !p->chunk_count;
}

uint64_t profile_divisible_span(const struct profile *p)
{
    return p->loop_count ? p->loops->span_cost : p->totals.span_cost;
}

uint64_t profile_typical_span(const struct profile *p)
{
    return p->typical_count ? p->typical->span_cost : p->totals.span_cost;
}

uint64_t profile_burdened(const struct profile *p, uint64_t len, uint64_t edges)
{
    uint64_t cost;
    return __builtin_mul_overflow(edges, p->totals.burden_cost, &cost) ||
           __builtin_add_overflow(cost, len, &cost) ? UINT64_MAX : cost;
}

bool profile_job_finished(const struct profile *p)
{
    for (size_t i = 0; i < p->rank_count; i++)
        if (p->ranks[i].flags & LPF_RANK_FINISHED)
            return true;
    return false;
}

double profile_rank_in_mpi_ns(const struct lpf_rank *r)
{
    return (double)r->late_sender_ns + r->late_receiver_ns + r->collective_ns + r->sent_ns +
           r->transfer_ns;
}

bool profile_is_serial(const struct profile *p)
{
    return !p->totals.tasks && !p->totals.spawns && p->rank_count < 2;
}
