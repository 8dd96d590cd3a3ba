/* advise.c - `prof whatif`: which code to change first.
 *
 * From a profile alone: candidates, and what each could bring at most; for the critical path of this run, with their part
 * of it made cheaper, is still a path. How much shorter the span would really be only a run can tell, because another path
 * may be nearly as long. So with a program it is run again, with one scenario a candidate and one a pair, on top of what
 * was chosen before (TaskProf, FSE 2017, section 4; all scenarios of a round are lengths in the same run), until the
 * target is reached or nothing helps. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analysis/model.h"
#include "analysis/propose.h"
#include "analysis/scenarios.h"
#include "base/format.h"
#include "commands/commands.h"
#include "launch/again.h"
#include "launch/spec.h"
#include "output/cost.h"
#include "output/json.h"
#include "output/options.h"
#include "output/page.h"
#include "output/table.h"
#include "output/text.h"
#include "profile/newest.h"
#include "profile/profile.h"
#include "symbols/code.h"
#include "symbols/names.h"
#include "whatif/validate.h"

#define PROPOSED 8              /* functions, and as many regions */
#define TRIED 16                /* together; as many as libprof.so takes */
#define PAIRED 6                /* of the first so many, every pair */
#define ROUNDS 6
#define GAIN 1.02               /* of the span: less is not worth a change */

static volatile sig_atomic_t interrupted;       /* by this signal; advise_run's handler writes it */

struct advice {
    double target, factor;
    bool json;
    struct options options;     /* how text is printed */
    char *names[TRIED];         /* given by the person, instead of proposals */
    unsigned name_count;
    struct candidate *candidates;
    size_t count;
    char **command;
    double slower;              /* validate with that; 0: no */
    unsigned pairs;
};

/* A round: what was added to the plan, and the program's span and parallelisms with the whole plan. */
struct step {
    size_t added[2];
    unsigned count;
    double span, parallel, faster;
};

struct plan {
    double work, span, parallelism;     /* of the first run, unchanged */
    struct step steps[ROUNDS];
    unsigned count;
    bool nothing;               /* it ended because nothing helped */
};

/* ---- words ---- */

static char *described(const struct candidate *c)
{
    char *name = c->file ? name_fit(c->name, 60) : format_clean(c->name);
    format_fit(name, 60);
    const char *base = c->file ? strrchr(c->file, '/') : 0;
    char *text = c->file ? format_text("%s (%s)", name, base ? base + 1 : c->file)
                         : format_text("%s%s", name, c->region ? " (region)" : "");
    free(name);
    return text;
}

static char *step_name(const struct advice *a, const struct step *s)
{
    char *one = described(&a->candidates[s->added[0]]), *two = s->count > 1 ? described(&a->candidates[s->added[1]]) : 0;
    char *text = format_text("%s%s%s", one, two ? " and " : "", two ? two : "");
    free(one);
    free(two);
    return text;
}

/* ---- from a profile alone ---- */

static void candidates_of(struct advice *a, const struct model *m)
{
    propose_free(a->candidates, a->count);
    if (a->name_count) {
        a->candidates = format_memory(calloc(a->name_count, sizeof *a->candidates));
        for (a->count = 0; a->count < a->name_count; a->count++)
            a->candidates[a->count].name = format_text("%s", a->names[a->count]);
        return;
    }
    a->candidates = propose(m, PROPOSED, &a->count);
}

/* Moves those of ALL that NAME names behind A's candidates; OWN: also the own code of a function that spawns. Returns how many. */
static size_t take_named(struct advice *a, const char *name, struct candidate *all, size_t n, bool own)
{
    size_t before = a->count;
    for (size_t i = 0; i < n; i++) {
        const char *at = all[i].name ? strrchr(all[i].name, '@') : 0;
        char *function = all[i].name ? format_text("%.*s", (int)(at ? at - all[i].name : (long)strlen(all[i].name)), all[i].name) : 0;
        if (function && (!strcmp(name, all[i].name) || (all[i].file && (own || !at) && code_names(name, function, all[i].file)))) {
            a->candidates[a->count++] = all[i];
            all[i] = (struct candidate){ 0 };
        }
        free(function);
    }
    return a->count - before;
}

/* What the person named, with what the profile knows of it. False: of nothing it knows anything. */
static bool find_named(struct advice *a, const struct model *m)
{
    size_t n;
    struct candidate *all = propose(m, SIZE_MAX, &n);
    a->candidates = format_memory(calloc(n + 1, sizeof *a->candidates));
    for (unsigned i = 0; i < a->name_count; i++) {
        const char *name = a->names[i];
        if (take_named(a, name, all, n, false) || take_named(a, name, all, n, true))
            continue;
        char *clean = format_clean(name);
        fprintf(stderr, "prof: --function %s: this profile does not say what that costs; prof whatif -f NAME -- PROGRAM tries it\n", clean);
        free(clean);
    }
    propose_free(all, n);
    return a->count;
}

/* With candidate C so many times cheaper, if no other path takes the critical path's place. How much of a region is on it only
 * samples would say. */
static double at_most(const struct advice *a, const struct model *m, const struct candidate *c)
{
    return ratio(m->work, m->span - (c->region && !c->samples ? 0 : c->span) * (1 - 1 / a->factor));
}

static void candidates_json(const struct advice *a, const struct model *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->count; i++) {
        const struct candidate *c = &a->candidates[i];
        char *clean = format_clean(c->name);
        json_array_append_new(list, json_pack("{s:s, s:b, s:f, s:f, s:I, s:f}", "name", clean, "region", c->region, "span_ns", c->span,
                                              "work_ns", c->work, "samples_on_span", (json_int_t)c->on_span, "parallelism_at_most", at_most(a, m, c)));
        free(clean);
    }
    json_t *tried = scenarios_json(m);
    json_t *all = json_pack("{s:f, s:f, s:o, s:o}", "parallelism", m->parallelism, "factor", a->factor, "candidates", list, "whatif",
                            tried ? tried : json_null());
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(all);
}

static void candidates_text(const struct advice *a, const struct model *m)
{
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 }, { "% work", 0, TABLE_NUMBER, 1 }, { "samples on span", 0, TABLE_NUMBER, 2 },
        { "par. at most", 0, TABLE_NUMBER, 0 }, { "candidate", 0, TABLE_REST, 0 },
    };
    const struct options *o = &a->options;
    char buffer[FORMAT_SIZE];
    if (m->profile->scenario_count) {
        printf("What if, as tried in this run:\n\n");
        text_whatif(m, o, stdout);
        putchar('\n');
    }
    printf("Parallelism is %s. Serial code of the critical path, each %.4gx cheaper:\n\n", format_ratio(m->parallelism, buffer), a->factor);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < a->count; i++) {
        const struct candidate *c = &a->candidates[i];
        if (c->region && !c->samples)
            continue;       /* how much of it is on the span is not in the profile */
        char *name = described(c), *span = format_text("%.1f", 100 * ratio(c->span, m->span)), *work = format_text("%.1f", 100 * ratio(c->work, m->work));
        table_add(t, span);
        table_add(t, work);
        table_add(t, format_count(c->on_span, buffer));
        table_add(t, format_ratio(at_most(a, m, c), buffer));
        table_add(t, name);
        free(name);
        free(span);
        free(work);
    }
    table_print(t, stdout, o->width);
    table_free(t);
    for (size_t i = 0; i < a->count && a->name_count; i++)
        if (a->candidates[i].region && !a->candidates[i].samples)
            page_paragraph(stdout, o, "", "%s is a region: how much of it is on the critical path is not in the profile.", a->candidates[i].name);
    if (!m->profile->sample_count)
        page_paragraph(stdout, o, "", "None: no sample hit any code, and only samples say where in it the critical path is.");
    page_paragraph(stdout, o, "", "At most: when the critical path gets shorter another may take its place. What it would be:");
    page_paragraph(stdout, o, "", "prof whatif -- PROGRAM runs the program and tries.");
}

static int advise_file(struct advice *a, const char *path)
{
    struct profile p;
    struct model m;
    int status = 0;
    if (profile_open(&p, path))
        return 2;
    model_new(&m, &p, false);
    if (!a->name_count)
        candidates_of(a, &m);
    else if (!find_named(a, &m))
        status = 2;
    if (!status && a->json)
        candidates_json(a, &m);
    else if (!status)
        candidates_text(a, &m);
    model_free(&m);
    profile_close(&p);
    return status;
}

/* ---- by running the program ---- */

static bool in_plan(const struct plan *p, size_t candidate)
{
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->steps[i].count; k++)
            if (p->steps[i].added[k] == candidate)
                return true;
    return false;
}

struct trial {
    size_t added[2];
    unsigned count;             /* 0: the plan as it is */
};

static void put_trial(FILE *f, const struct advice *a, const struct plan *p, const struct trial *t)
{
    const char *between = "";
    for (unsigned i = 0; i <= p->count; i++) {
        const size_t *added = i < p->count ? p->steps[i].added : t->added;
        unsigned n = i < p->count ? p->steps[i].count : t->count;
        for (unsigned k = 0; k < n; k++, between = "&") {
            fputs(between, f);
            spec_put_name(f, a->candidates[added[k]].name);
            fprintf(f, "=%g", a->factor);
        }
    }
}

/* The round's scenarios, in libprof.so's order. */
static unsigned plan_trials(const struct advice *a, const struct plan *p, struct trial *trials, char **spec)
{
    unsigned n = 0;
    size_t length;
    FILE *f = format_memory(open_memstream(spec, &length));
    if (p->count)
        trials[n++] = (struct trial){ .count = 0 };
    for (size_t i = 0; i < a->count; i++)
        if (!in_plan(p, i))
            trials[n++] = (struct trial){ { i }, 1 };
    unsigned paired = 0;
    for (size_t i = 0; i < a->count && paired < PAIRED; i++) {
        unsigned others = ++paired;
        for (size_t k = i + 1; k < a->count && others < PAIRED && !in_plan(p, i); k++)
            if (!in_plan(p, k)) {
                trials[n++] = (struct trial){ { i, k }, 2 };
                others++;
            }
        paired -= in_plan(p, i);
    }
    for (unsigned i = 0; i < n; i++) {
        fputs(i ? ";" : "", f);
        put_trial(f, a, p, &trials[i]);
    }
    fclose(f);
    format_memory(*spec);
    return n;
}

/* Names that a person has written, and nothing has answered to. */
static void say_unseen(const struct profile *p)
{
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct lpf_candidate *c = &p->candidates[i];
        if (c->regions || c->contexts || c->samples)
            continue;
        char *clean = format_clean(profile_string(p, c->name));
        fprintf(stderr, "prof: --function %s: %s\n", clean, c->flags & LPF_CANDIDATE_CODE
                ? "it never ran: neither a spawn below its code nor a sample in it was seen" : "there is neither code nor a region of that name");
        free(clean);
    }
}

/* One round. 1: a step was added; 0: nothing helps; -1: the run failed. */
static int try_round(const struct advice *a, struct plan *plan, const char *path)
{
    struct trial trials[128];
    char *spec;
    unsigned n = plan_trials(a, plan, trials, &spec);
    struct profile p;
    struct model m;
    const char *options[] = { "--whatif", spec, 0 };
    int status = n > (plan->count != 0) ? again(a->command, path, options, true) : 0;
    free(spec);
    if (n == (plan->count != 0))
        return 0;
    if (status || profile_open(&p, path))
        return -1;
    model_new(&m, &p, false);
    if (a->name_count && !plan->count)
        say_unseen(&p);
    size_t count;
    struct scenario *w = scenarios_read(&m, &count);
    double before = m.span, best_gain = GAIN;
    int best = -1;
    for (unsigned i = 0; i < n && i < count; i++) {
        if (!trials[i].count) {
            before = w[i].span;
            continue;
        }
        /* pairs come last: one counts only where nothing helps alone */
        double gain = w[i].span > 0 ? before / w[i].span : 1e300;
        if (best < 0 ? gain >= best_gain : gain > best_gain && trials[i].count == trials[best].count) {
            best = i;
            best_gain = gain;
        }
    }
    if (best >= 0) {
        /* Runs differ by noise: what is added to the plan is this run's gain, of span and of work. */
        const struct trial *t = &trials[best];
        const struct step *last = plan->count ? &plan->steps[plan->count - 1] : 0;
        double span = (last ? last->span : plan->span) * ratio(w[best].span, before);
        plan->steps[plan->count++] = (struct step){ { t->added[0], t->added[1] }, t->count, span, ratio(plan->work, span),
                                                    ratio(plan->work * ratio(w[best].work, m.work), span) };
    }
    scenarios_free(w, count);
    model_free(&m);
    profile_close(&p);
    return best >= 0;
}

static void print_plan(const struct advice *a, const struct plan *p, const struct model *m)
{
    const struct options *o = &a->options;
    char x[FORMAT_SIZE], y[FORMAT_SIZE], z[FORMAT_SIZE];
    page_paragraph(stdout, o, "", "Parallelism is %s: work %s, span %s. The target is %.4g.", format_ratio(p->parallelism, x),
                   cost_text(m->profile, p->work, y), cost_text(m->profile, p->span, z), a->target);
    if (!p->count) {
        if (p->parallelism >= a->target)
            page_paragraph(stdout, o, "", "It is reached: nothing needs to be done.");
        else if (p->nothing)
            page_paragraph(stdout, o, "", "None of the candidates shortens the span by 2 %%, alone or in pairs.");
        return;
    }
    putchar('\n');
    static const struct table_column columns[] = {
        { "", 0, TABLE_NUMBER, 0 }, { "span", 0, TABLE_NUMBER, 0 }, { "made parallel", "parallelism, when", TABLE_NUMBER, 0 },
        { "made faster", "parallelism, when", TABLE_NUMBER, 0 }, { "do", 0, TABLE_REST, 0 },
    };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < p->count; i++) {
        char *number = format_text("%u.", i + 1), *name = step_name(a, &p->steps[i]), *text = format_text("%.4gx %s", a->factor, name);
        table_add(t, number);
        table_add(t, cost_short_text(m->profile, p->steps[i].span, x));
        table_add(t, format_ratio(p->steps[i].parallel, y));
        table_add(t, format_ratio(p->steps[i].faster, z));
        table_add(t, text);
        free(text);
        free(name);
        free(number);
    }
    table_print(t, stdout, a->options.width);
    table_free(t);
    char *first = step_name(a, &p->steps[0]), *serial = 0;
    const struct candidate *c = &a->candidates[p->steps[0].added[0]];
    if (c->on_span && p->steps[0].count == 1)
        serial = format_text(" It is serial, and %.0f %% of the critical path.", 100 * ratio(c->span, p->span));
    putchar('\n');
    page_paragraph(stdout, o, "", "Do first: %s.%s Each line has the lines above it done, too.", first, serial ? serial : "");
    free(first);
    free(serial);
    const struct step *last = &p->steps[p->count - 1];
    if (last->parallel >= a->target)
        page_paragraph(stdout, o, "", "With %s the target is reached.", p->count > 1 ? "all of them" : "it");
    else if (p->nothing)
        page_paragraph(stdout, o, "", "The target is not reached: beyond these, no candidate shortens the span by 2 %%, alone or in pairs.");
    else
        page_paragraph(stdout, o, "", "The target is not reached after %u round%s.", p->count, p->count > 1 ? "s" : "");
}

/* ---- is it true? ---- */

#define VALIDATED 4             /* candidates: the plan's, then the next proposals */

static size_t pick(const struct advice *a, const struct plan *p, struct candidate *out)
{
    size_t n = 0;
    for (int chosen = 1; chosen >= 0; chosen--)
        for (size_t i = 0; i < a->count && n < VALIDATED; i++)
            if (in_plan(p, i) == chosen)
                out[n++] = a->candidates[i];
    return n;
}

static void print_validation(const struct advice *a, const struct profile *p, const struct validation *v, int n)
{
    static const char span[] = "span", elapsed[] = "elapsed";
    static const struct table_column columns[] = {
        { "before", span, TABLE_NUMBER, 0 }, { "predicted", span, TABLE_NUMBER, 0 }, { "measured", span, TABLE_NUMBER, 0 },
        { "error %", span, TABLE_NUMBER, 0 }, { "work error %", 0, TABLE_NUMBER, 2 }, { "before", elapsed, TABLE_NUMBER, 4 },
        { "predicted", elapsed, TABLE_NUMBER, 3 }, { "measured", elapsed, TABLE_NUMBER, 3 }, { "candidate", 0, TABLE_REST, 0 },
    };
    char b[FORMAT_SIZE], c[FORMAT_SIZE];
    printf("\nSlow-down experiment: %.4gx the cost, as a scenario said and as it was. Medians of %u pairs.\n\n", a->slower, a->pairs);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    unsigned outside = 0;
    bool busy = false;
    for (int i = 0; i < n; i++) {
        char *name = described(v[i].candidate);
        char *span_error = format_text("%.1f", 100 * (ratio(v[i].span_predicted, v[i].span_measured) - 1));
        char *work_error = format_text("%.1f", 100 * (ratio(v[i].work_predicted, v[i].work_measured) - 1));
        table_add(t, cost_short_text(p, v[i].span_before, b));
        table_add(t, cost_short_text(p, v[i].span_predicted, b));
        table_add(t, cost_short_text(p, v[i].span_measured, b));
        table_add(t, span_error);
        table_add(t, work_error);
        table_add(t, format_short_ns(v[i].elapsed_before, b));
        char *range = v[i].elapsed_most > 0 ? format_text("%s..%s", format_short_ns(v[i].elapsed_least, b), format_short_ns(v[i].elapsed_most, c))
                                            : format_text("-");
        table_add(t, range);
        table_add(t, format_short_ns(v[i].elapsed_measured, b));
        table_add(t, name);
        outside += v[i].elapsed_most > 0 && v[i].elapsed_measured > 1.05 * v[i].elapsed_most;
        busy |= v[i].elapsed_most > 0 && v[i].elapsed_before > 1.05 * v[i].elapsed_usual;
        free(range);
        free(span_error);
        free(work_error);
        free(name);
    }
    table_print(t, stdout, a->options.width);
    table_free(t);
    page_paragraph(stdout, &a->options, "", "Elapsed: from max(T1/P, span) to T1/P + span, between which every greedy schedule ends.");
    if (busy)
        page_paragraph(stdout, &a->options, "", "It took longer than that before anything was changed: it waits for something, or the machine was busy.");
    else if (outside)
        page_paragraph(stdout, &a->options, "", "%u took longer: something has a part in it that is no work of the program's, like locks or the runtime.", outside);
}

static json_t *validation_json(const struct validation *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        char *clean = format_clean(v[i].candidate->name);
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "name", clean, "span_before_ns", v[i].span_before,
                                              "span_predicted_ns", v[i].span_predicted, "span_measured_ns", v[i].span_measured, "work_before_ns",
                                              v[i].work_before, "work_predicted_ns", v[i].work_predicted, "work_measured_ns", v[i].work_measured,
                                              "elapsed_before_ns", v[i].elapsed_before, "elapsed_least_ns", v[i].elapsed_least, "elapsed_most_ns",
                                              v[i].elapsed_most, "elapsed_measured_ns", v[i].elapsed_measured));
        free(clean);
    }
    return list;
}

static json_t *plan_json(const struct advice *a, const struct plan *p)
{
    json_t *steps = json_array();
    for (unsigned i = 0; i < p->count; i++) {
        const struct step *s = &p->steps[i];
        json_t *names = json_array();
        for (unsigned k = 0; k < s->count; k++) {
            char *clean = format_clean(a->candidates[s->added[k]].name);
            json_array_append_new(names, json_string(clean));
            free(clean);
        }
        json_array_append_new(steps, json_pack("{s:o, s:f, s:f, s:f}", "added", names, "span_ns", s->span, "parallelism_made_parallel",
                                               s->parallel, "parallelism_made_faster", s->faster));
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:b, s:b, s:o}", "work_ns", p->work, "span_ns", p->span, "parallelism", p->parallelism, "target",
                     a->target, "factor", a->factor, "reached",
                     (p->count ? p->steps[p->count - 1].parallel : p->parallelism) >= a->target, "interrupted", interrupted != 0, "steps", steps);
}

static void interrupt(int sig)
{
    interrupted = sig;
}

/* PATH: of the profiles of further runs. 0, or 2: a run failed, or was interrupted. */
static int plan_and_print(struct advice *a, const struct profile *p, const char *directory, const char *path)
{
    struct model m;
    struct plan plan = { 0 };
    model_new(&m, p, false);
    candidates_of(a, &m);
    if (a->count > TRIED) {
        for (size_t i = TRIED; i < a->count; i++) {
            free(a->candidates[i].name);
            free(a->candidates[i].file);
        }
        a->count = TRIED;
    }
    plan.work = m.work;
    plan.span = m.span;
    plan.parallelism = m.parallelism;
    int more = a->count && plan.parallelism < a->target;
    while (more > 0 && plan.count < ROUNDS && !interrupted) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "prof: round %u: %zu candidates\r", plan.count + 1, a->count);
        more = try_round(a, &plan, path);
        if (more > 0 && plan.steps[plan.count - 1].parallel >= a->target)
            break;
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[K");
    plan.nothing = !more;
    if (interrupted)
        more = -1;
    if (more < 0)
        fprintf(stderr, "prof: %s: what was found before stands\n", interrupted ? "interrupted" : "the program failed when it ran again");
    struct candidate chosen[VALIDATED];
    struct validation v[VALIDATED];
    size_t picked = a->slower > 0 && more >= 0 ? pick(a, &plan, chosen) : 0;
    int valid = picked ? validate(a->command, chosen, picked, a->slower, a->pairs, directory, v) : 0;
    if (valid < 0) {
        fprintf(stderr, "prof: %s in the slow-down experiment\n", interrupted ? "interrupted" : "the program failed");
        more = -1;
    }
    if (a->json) {
        json_t *j = plan_json(a, &plan);
        if (valid > 0)
            json_object_set_new(j, "validation", validation_json(v, valid));
        json_dumpf(j, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
        json_decref(j);
    } else {
        print_plan(a, &plan, &m);
        if (valid > 0)
            print_validation(a, p, v, valid);
    }
    model_free(&m);
    return more < 0 ? 2 : 0;
}

static int advise_in(struct advice *a, const char *directory)
{
    char *first = format_text("%s/0.prof", directory), *next = format_text("%s/n.prof", directory);
    struct profile p;
    int status = again(a->command, first, 0, false), result = 2;
    if (status) {
        result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (interrupted)
            fputs("prof: interrupted: nothing is tried\n", stderr);
        else
            fprintf(stderr, "prof: the program failed (%s %d): nothing is tried\n", WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else if (!profile_open(&p, first)) {
        result = plan_and_print(a, &p, directory, next);
        profile_close(&p);
    }
    free(first);
    free(next);
    return result;
}

/* And what programs left there that were killed while they wrote. */
static void remove_directory(const char *name)
{
    DIR *d = opendir(name);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(name);
}

static int advise_run(struct advice *a)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    enum { SIGNALS = sizeof signals / sizeof signals[0] };
    struct sigaction old[SIGNALS], act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
    const char *tmp = getenv("TMPDIR");
    char *directory = format_text("%s/prof-whatif.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], 0, &old[i]);
        if (old[i].sa_handler != SIG_IGN)       /* nohup */
            sigaction(signals[i], &act, 0);
    }
    int result = 2;
    if (mkdtemp(directory)) {
        result = advise_in(a, directory);
        remove_directory(directory);
    } else {
        fprintf(stderr, "prof: %s: %s\n", directory, strerror(errno));
    }
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], 0);
    free(directory);
    return interrupted ? 128 + interrupted : result;
}

/* ---- options ---- */

static const char usage[] =
    "usage: prof whatif [options] [FILE]\n"
    "       prof whatif [options] -- PROGRAM [arguments]\n"
    "Which code to change first. From a profile: candidates, what each could bring at most, and the scenarios\n"
    "tried in that run (prof run --whatif). With a program: runs it, tries candidates and pairs of them, and\n"
    "goes on from the best until the target is reached.\n"
    "  -t, --target N       parallelism wanted (10 for each processor that is online)\n"
    "  -x, --factor F       how much less a candidate costs, or how parallel it becomes (16)\n"
    "  -f, --function NAME  a candidate, instead of those that the profile proposes: a function, FUNCTION@FILE:LINE,\n"
    "                       @FILE:LINE or an annotated region; may be repeated\n"
    "      --validate[=K]   also a slow-down experiment: candidates are made K times slower (2) for real, and what\n"
    "                       was measured then stands beside what a scenario had said\n"
    "  -n, --pairs N        of runs in that experiment (3)\n"
    "      --json           for programs; JSON.md describes it\n"
    "  -h, --help           this\n";

static bool parse_number(const char *option, const char *text, double low, double high, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (*text && !*end && *value >= low && *value <= high)
        return true;
    fprintf(stderr, "prof: --%s %s: a number from %g to %g is expected\n", option, text, low, high);
    return false;
}

int whatif_main(int argc, char **argv)
{
    enum { OPT_JSON = 256, OPT_VALIDATE };
    static const struct option longs[] = {
        { "validate", optional_argument, 0, OPT_VALIDATE }, { "pairs", required_argument, 0, 'n' },
        { "target", required_argument, 0, 't' }, { "factor", required_argument, 0, 'x' }, { "function", required_argument, 0, 'f' },
        { "json", no_argument, 0, OPT_JSON }, { "help", no_argument, 0, 'h' }, { 0 },
    };
    struct options o;
    options_defaults(&o, stdout);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct advice a = { .target = 10.0 * (processors > 0 ? processors : 1), .factor = 16, .options = o, .pairs = 3 };
    double pairs;
    int c;
    bool separated = false;
    for (int i = 1; i < argc && !separated; i++)
        separated = !strcmp(argv[i], "--");
    while ((c = getopt_long(argc, argv, "+t:x:f:n:h", longs, 0)) != -1) {
        switch (c) {
        case 't':
            if (!parse_number("target", optarg, 1, 1e9, &a.target))
                return 2;
            break;
        case 'x':
            if (!parse_number("factor", optarg, 1.001, 1000, &a.factor))
                return 2;
            break;
        case 'f':
            if (a.name_count == TRIED || !*optarg) {
                fprintf(stderr, "prof: --function: %s\n", *optarg ? "at most 16" : "a name is missing");
                return 2;
            }
            a.names[a.name_count++] = optarg;
            break;
        case OPT_JSON: a.json = true; break;
        case OPT_VALIDATE:
            if (!parse_number("validate", optarg ? optarg : "2", 1.01, 100, &a.slower))
                return 2;
            break;
        case 'n':
            if (!parse_number("pairs", optarg, 1, 1000, &pairs))
                return 2;
            a.pairs = pairs;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    int status;
    bool command = separated && optind > 1 && !strcmp(argv[optind - 1], "--");
    if (command && optind == argc) {
        fputs("prof: which program? (prof whatif [options] -- PROGRAM [arguments])\n", stderr);
        return 2;
    }
    if (command) {
        a.command = argv + optind;
        status = advise_run(&a);
    } else if (argc - optind > 1) {
        fputs("prof: one profile, or -- PROGRAM [arguments]\n", stderr);
        status = 2;
    } else {
        char *newest = optind < argc ? 0 : profile_newest("whatif");
        const char *file = optind < argc ? argv[optind] : newest;
        status = file ? advise_file(&a, file) : 2;
        free(newest);
    }
    propose_free(a.candidates, a.count);
    return status;
}
