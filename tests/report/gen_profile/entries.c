/* entries.c - one entry of a section, from the few figures that a case is about. */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

struct lpf_totals *totals(const char *clock, const char *exe)
{
    struct lpf_totals t = {
        .ns_num = 1, .ns_den = 1, .elapsed_ns = 600000000, .cpu_ns = 1100000000,
        .idle_ns = 100000000,
        .own_ns = 5000000, .start_unix_ns = 1700000000000000000u, .workers = 2, .pid = 4242,
        .ppid = 1,
        .exact = 1, .end = LPF_END_EXIT,
    };
    t.clock = string(clock);
    t.exe = string(exe);
    t.cmdline = string(exe);
    return add(LPF_TOTALS, &t, sizeof t);
}

uint32_t site(const char *construct, uint32_t site_flags, uint64_t address)
{
    struct lpf_site s = { .address = { address }, .runtime = string("tbb"), .flags = site_flags };
    s.construct = string(construct);
    add(LPF_SITES, &s, sizeof s);
    return sections[LPF_SITES - 1].used / sizeof s - 1;
}

/* A context with easy figures: work W, span S, of which ON_SPAN on the critical path. */
struct lpf_context *context(uint32_t parent, uint32_t site, uint64_t n, uint64_t w,
                                   uint64_t s, uint64_t on_span)
{
    struct lpf_context c = {
        .id = sections[LPF_CONTEXTS - 1].used / sizeof c, .parent = parent, .node = LPF_NONE,
        .site = site,
        .tasks = 2 * n, .invocations = n, .steals = n / 4, .work_local_cost = w,
        .span_local_cost_all = s,
        .top_count = n, .top_work_cost = 2 * w, .top_span_cost = s, .topcaller_count = n / 2,
        .topcaller_work_cost = w, .topcaller_span_cost = s / 2, .on_count = on_span != 0,
        .on_work_local_cost = on_span, .span_local_cost = on_span, .on_top_count = on_span != 0,
        .on_top_work_cost = 2 * on_span, .on_top_span_cost = on_span,
    };
    return add(LPF_CONTEXTS, &c, sizeof c);
}

void note(uint32_t kind, const char *name, const char *text, uint64_t count)
{
    struct lpf_note n = { .kind = kind, .name = string(name), .count = count };
    n.text = string(text);
    add(LPF_NOTES, &n, sizeof n);
}

void region(const char *name, uint64_t count, uint64_t work, uint64_t span)
{
    struct lpf_region r = { .name = string(name), .count = count, .work_cost = work,
                            .span_cost = span,
                            .burdened_len_cost = span, .burdened_edges = 2, .max_span_cost = span };
    add(LPF_REGIONS, &r, sizeof r);
}

struct lpf_module *module(uint64_t start, uint64_t end, const char *path, uint32_t flags)
{
    struct lpf_module m = { .start = start, .end = end, .path = string(path), .flags = flags };
    return add(LPF_MODULES, &m, sizeof m);
}

void setting(const char *key, const char *value)
{
    struct lpf_setting s = { .key = string(key) };
    s.value = string(value);
    add(LPF_SETTINGS, &s, sizeof s);
}

uint32_t node(uint32_t parent, uint32_t kind, uint64_t address)
{
    struct lpf_node n = { .parent = parent, .kind = kind, .address = address };
    add(LPF_NODES, &n, sizeof n);
    return sections[LPF_NODES - 1].used / sizeof n - 1;
}

void sample(uint32_t at, uint64_t weight, uint64_t idle, uint64_t on_span)
{
    struct lpf_sample x = { .node = at, .weight = weight, .idleness = idle << 16,
                            .on_span = on_span };
    add(LPF_SAMPLES, &x, sizeof x);
}

void candidate(const char *name, uint64_t regions, uint64_t samples)
{
    struct lpf_candidate c = { .name = string(name), .regions = regions, .samples = samples,
                               .flags = samples ? LPF_CANDIDATE_CODE : 0 };
    add(LPF_CANDIDATES, &c, sizeof c);
}

void term(uint32_t of, uint32_t num, uint32_t den)
{
    struct lpf_term t = { of, num, den, 0 };
    add(LPF_TERMS, &t, sizeof t);
}

void scenario(uint32_t terms, uint32_t scenario_flags, uint64_t work, uint64_t span)
{
    struct lpf_scenario s = { sections[LPF_TERMS - 1].used / sizeof(struct lpf_term) - terms, terms,
                              scenario_flags, 0, work, span };
    add(LPF_SCENARIOS, &s, sizeof s);
}

void chunks(uint32_t of, uint64_t by_runtime, uint64_t by_program, uint32_t flags)
{
    struct lpf_chunks c = { .context = of, .by_runtime = by_runtime, .by_program = by_program,
                            .flags = flags };
    add(LPF_CHUNKS, &c, sizeof c);
}

/* COUNT outliers of 3000 strands in the first context: 100 ns more each, 500 at most. */
void typical(uint64_t span, uint64_t count)
{
    struct lpf_typical t = { .span_cost = span, .least_cost = 1024, .most_cost = 300000,
                             .flags = count ? 0 : LPF_TYPICAL_CLEAN };
    struct lpf_outliers o = { .context = 0, .parts = 3000, .outliers = count,
                              .excess_cost = 100000 * count, .longest_cost = 500000 };
    add(LPF_TYPICAL, &t, sizeof t);
    if (count)
        add(LPF_OUTLIERS, &o, sizeof o);
}
