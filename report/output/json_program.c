/* json_program.c - the whole program, and what limits it, in the stable form; see json.c. */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/limits.h"
#include "analysis/model.h"
#include "output/json.h"
#include "output/limit_words.h"
#include "profile/profile.h"

json_t *json_limits(const struct model *m, const struct paths *t)
{
    static const enum certainty sure[LIMITS] = {
        [LIMITED_BY_OVERHEAD] = CERTAIN_SAMPLED,   [LIMITED_BY_LIBPROF] = CERTAIN_ESTIMATED,
        [LIMITED_BY_SPAN] = CERTAIN_ESTIMATED,     [LIMITED_BY_WAITS] = CERTAIN_EXACT,
        [LIMITED_BY_IDLENESS] = CERTAIN_ESTIMATED, [LIMITED_BY_BLOCKING] = CERTAIN_EXACT,
    };
    json_t *all = json_array();
    struct limits l;
    limits_new(&l, m, t);
    for (unsigned i = 0; i < l.count; i++) {
        const struct finding *f = &l.found[i];
        char *text = limit_sentence(&l, f, m, t);
        json_t *j = json_object();
        json_object_set_new(j, "what", json_text(limit_names[f->what]));
        json_object_set_new(j, "why", json_text(limit_reasons[f->why]));
        json_object_set_new(j, "ns", json_real(f->ns));
        json_object_set_new(j, "share", json_real(f->share));
        json_object_set_new(j, "certainty", json_text(certainty_names[sure[f->what]]));
        json_object_set_new(j, "site", f->row ? json_place(f->row) : json_null());
        json_object_set_new(j, "text", json_text(text));
        json_array_append_new(all, j);
        free(text);
    }
    return all;
}

static void put(json_t *to, const char *const *keys, enum certainty c)
{
    for (; *keys; keys++)
        json_object_set_new(to, *keys, json_text(certainty_names[c]));
}

/* How surely each figure of the program is known. */
static json_t *json_certainty(const struct model *m)
{
    static const char
        *const exact[] = { "work_ns",    "spawns", "syncs",   "steals",  "tasks",
                           "elapsed_ns", "cpu_ns", "workers", "idle_ns", "avg_maximal_strand_ns",
                           NULL },
               *const sampled[] = { "own_code_per_strand_ns", "own_code_per_task_ns",
                                    "strand_is_short", NULL },
               *const estimated[] = { "burdened_span_ns", "burdened_parallelism",
                                      "burden_ns",        "own_ns",
                                      "speedup",          NULL },
               *const span[] = { "span_ns", NULL }, *const ratios[] = { "parallelism", NULL },
               *const divided[] = { "span_divisible_ns", NULL },
               *const divided_ratios[] = { "parallelism_divisible", NULL };
    json_t *j = json_object();
    put(j, exact, CERTAIN_EXACT);
    put(j, sampled, CERTAIN_SAMPLED);
    put(j, estimated, CERTAIN_ESTIMATED);
    put(j, span, certainty_span(m));
    put(j, ratios, certainty_of_ratio(certainty_span(m)));
    put(j, divided, certainty_divisible(m));
    put(j, divided_ratios, certainty_of_ratio(certainty_divisible(m)));
    return j;
}

json_t *json_program(const struct model *m, const struct paths *t)
{
    static const char *const source[] = { "default", "setting", "measured" };
    static const char *const ends[] = { "running", "exit", "signal", "quick", "exec" };
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    struct limits l;
    json_t *j = json_object(), *bounds = json_array(), *speedup = json_array();
    limits_new(&l, m, t);
    json_object_set_new(j, "exe", json_text(profile_string(p, k->exe)));
    json_object_set_new(j, "cmdline", json_text(profile_string(p, k->cmdline)));
    json_object_set_new(j, "pid", json_number(k->pid));
    json_object_set_new(j, "start_unix_ns", json_number(k->start_unix_ns));
    json_object_set_new(j, "clock", json_text(profile_string(p, k->clock)));
    json_object_set_new(j, "unit", json_text(profile_unit(p)));
    json_object_set_new(j, "work_ns", json_cost(p, k->work_cost));
    json_object_set_new(j, "span_ns", json_cost(p, k->span_cost));
    json_object_set_new(j, "span_divisible_ns", json_cost(p, profile_divisible_span(p)));
    if (p->loop_count) {
        const struct lpf_loops *chunk = p->loops;
        json_t *chunks = json_object();
        json_object_set_new(chunks, "executed", json_number(chunk->chunks));
        json_object_set_new(chunks, "divided", json_number(chunk->chunks_divided));
        json_object_set_new(chunks, "not_divided", json_number(chunk->chunks_unknown));
        json_object_set_new(chunks, "iterations", json_number(chunk->iterations));
        json_object_set_new(j, "chunks", chunks);
    }
    json_object_set_new(j, "burdened_span_ns", json_cost(p, m->burdened_cost));
    json_object_set_new(j, "parallelism", json_parallelism(m->work, m->span));
    json_object_set_new(j, "parallelism_divisible", json_parallelism(m->work, m->divisible_span));
    json_object_set_new(j, "burdened_parallelism", json_parallelism(m->work, m->burdened_span));
    json_object_set_new(j, "spawns", json_number(k->spawns));
    json_object_set_new(j, "syncs", json_number(k->syncs));
    json_object_set_new(j, "steals", json_number(k->steals));
    json_object_set_new(j, "tasks", json_number(k->tasks));
    json_object_set_new(j, "elapsed_ns", json_number(k->elapsed_ns));
    json_object_set_new(j, "cpu_ns", json_number(k->cpu_ns));
    json_object_set_new(j, "workers", json_number(k->workers));
    json_object_set_new(j, "idle_ns", json_number(profile_idle_ns(p)));
    json_object_set_new(j, "own_ns", json_number(k->own_ns));
    json_object_set_new(j, "burden_ns", json_cost(p, k->burden_cost));
    json_object_set_new(j, "burden_source",
                        json_text(source[k->burden_source < 3 ? k->burden_source : 0]));
    json_object_set_new(j, "burden_steals", json_number(k->burden_steals));
    json_object_set_new(j, "avg_maximal_strand_ns", json_real(m->average_strand));
    json_object_set_new(j, "own_code_per_strand_ns", json_real(l.strand_own));
    json_object_set_new(j, "own_code_per_task_ns",
                        p->totals.tasks ? json_real(l.task_own) : json_null());
    json_object_set_new(j, "strand_is_short", json_boolean(l.short_strands));
    json_object_set_new(j, "exact", json_boolean(k->exact));
    json_object_set_new(j, "certainty", json_certainty(m));
    for (size_t i = 0; i < p->note_count; i++)
        if (p->notes[i].kind == LPF_NOTE_LOWER_BOUND || p->notes[i].kind == LPF_NOTE_NOT_EXACT)
            json_array_append_new(bounds, json_text(profile_string(p, p->notes[i].name)));
    json_object_set_new(j, "lower_bound_constructs", bounds);
    json_object_set_new(j, "complete",
                        json_boolean(!(p->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED))));
    json_object_set_new(j, "end", json_text(ends[k->end < 5 ? k->end : 0]));
    json_object_set_new(j, "exit_status", json_number(k->exit_status));
    unsigned procs[16], n = m->span > 0 ? model_processors(m, procs, 16) : 0;
    for (unsigned i = 0; i < n; i++) {
        json_t *s = json_object();
        json_object_set_new(s, "p", json_number(procs[i]));
        json_object_set_new(s, "lower", json_real(model_lower(m, procs[i])));
        json_object_set_new(s, "upper", json_real(model_upper(m, procs[i])));
        json_object_set_new(s, "upper_divided", json_real(model_upper_divided(m, procs[i])));
        json_array_append_new(speedup, s);
    }
    json_object_set_new(j, "speedup", speedup);
    return j;
}
