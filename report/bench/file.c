/* file.c - writes struct bench as JSON, and reads it. docs/SCALING.md describes the keys. The file
 * may be hostile: a missing key is 0 or empty, numbers become finite and not negative, counts stay
 * within bench.h's limits, text is cleaned.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "bench/bench.h"

const char *const trial_kinds[TRIAL_KINDS] = { "native",  "profiled", "baseline",
                                               "elision", "copies",   "one_worker" };

enum { MAX_TRIALS = 100000, MAX_WORDS = 4096 };

struct trial *bench_add(struct bench *b)
{
    if (!(b->trial_count & (b->trial_count - 1)))
        b->trials = format_memory(
            realloc(b->trials, (b->trial_count ? 2 * b->trial_count : 1) * sizeof *b->trials));
    struct trial *t = &b->trials[b->trial_count++];
    memset(t, 0, sizeof *t);
    return t;
}

void bench_free(struct bench *b)
{
    for (char **c = b->command; c && *c; c++)
        free(*c);
    for (size_t i = 0; i < b->function_count; i++) {
        free(b->functions[i].function);
        free(b->functions[i].file);
    }
    free(b->command);
    free(b->baseline);
    free(b->elision);
    free(b->control);
    for (size_t i = 0; i < b->trial_count; i++)
        findings_free(&b->trials[i].profile.findings);
    free(b->trials);
    free(b->functions);
    free(b->machine.host);
    free(b->machine.cpu);
    free(b->machine.governor);
    free(b->machine.loop_one);
    free(b->machine.loop_all);
    memset(b, 0, sizeof *b);
}

/* The numbers of a profiled trial, and of the machine, by name. */
static const struct field { const char *key; size_t at;
} profile_fields[] = {
#define F(key, field) { key, offsetof(struct trial_profile, field) }
    F("elapsed_ns", elapsed), F("startup_ns", startup), F("search_ns", search),
    F("sleep_ns", sleep), F("dispatch_ns", dispatch),
    F("blocked_ns", blocked), F("own_ns", own), F("threads_ns", threads_time), F("work_ns", work),
    F("overhead_ns", overhead),
    F("span_ns", span), F("burdened_span_ns", burdened_span),
    F("span_divisible_ns", divisible_span), F("span_typical_ns", typical_span),
    F("chunks_by_runtime", chunks_by_runtime), F("chunks_by_program", chunks_by_program),
    F("chunks_by_either", chunks_by_either),
    F("avg_maximal_strand_ns", average_strand), F("threads", threads),
    F("workers", workers), F("samples", samples), F("tasks", tasks), F("steals", steals),
    F("runtimes", runtimes), F("few_steals", few_steals), F("busy_threads", busy_threads),
    F("taken_off_ns", taken), F("libprof_share", own_part),
#undef F
}, machine_fields[] = {
#define F(key, field) { key, offsetof(struct bench_machine, field) }
    F("cpus", cpus), F("allowed_cpus", allowed), F("quota_cores", quota), F("load", load),
    F("throttled_ns", throttled), F("loop_p", loop_p),
#undef F
};
#define COUNT(a) (sizeof a / sizeof a[0])

/* ---- out ---- */

static json_t *text(const char *s)
{
    char *clean = format_clean(s ? s : "");
    json_t *j = s ? json_string(clean) : json_null();
    free(clean);
    return j;
}

static void put_fields(json_t *j, const struct field *fields, size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(
            j, fields[i].key,
            json_real(*(const double *)(const void *)((const char *)from + fields[i].at)));
}

static json_t *numbers(const double *v, size_t n)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, json_real(v[i]));
    return all;
}

static json_t *trial_json(const struct trial *t)
{
    char hash[32];
    json_t *j = json_object();
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)t->output);
    json_object_set_new(j, "kind", text(trial_kinds[t->kind]));
    json_object_set_new(j, "p", json_integer(t->p));
    json_object_set_new(j, "round", json_integer(t->round));
    json_object_set_new(j, "wall_ns", json_real(t->wall));
    json_object_set_new(j, "cpu_ns", json_real(t->cpu));
    json_object_set_new(j, "other_cpu_ns", json_real(t->other));
    json_object_set_new(j, "steal_ns", json_real(t->steal));
    json_object_set_new(j, "delay_ns", json_real(t->delay));
    json_object_set_new(j, t->signaled ? "signal" : "exit_status", json_integer(t->code));
    json_object_set_new(j, "output", text(hash));
    if (t->no_tasks)
        json_object_set_new(j, "no_tasks", json_true());
    if (t->has_profile) {
        json_t *p = json_object();
        put_fields(p, profile_fields, COUNT(profile_fields), &t->profile);
        json_object_set_new(p, "timed", json_boolean(t->profile.timed));
        json_object_set_new(p, "exact", json_boolean(t->profile.exact));
        json_object_set_new(p, "findings", findings_json(&t->profile.findings));
        json_object_set_new(j, "profile", p);
    }
    return j;
}

static json_t *machine_json(const struct bench_machine *m)
{
    json_t *j = json_object();
    json_object_set_new(j, "host", text(m->host));
    json_object_set_new(j, "cpu", text(m->cpu));
    json_object_set_new(j, "governor", text(m->governor));
    json_object_set_new(j, "smt", json_boolean(m->smt));
    put_fields(j, machine_fields, COUNT(machine_fields), m);
    json_object_set_new(j, "loop_one_ns", numbers(m->loop_one, m->loops));
    json_object_set_new(j, "loop_all_ns", numbers(m->loop_all, m->loops));
    return j;
}

json_t *bench_json(const struct bench *b)
{
    json_t *j = json_object(), *command = json_array(), *p = json_array(), *trials = json_array(),
           *functions = json_array();
    json_object_set_new(j, "format_version", json_integer(2));
    json_object_set_new(j, "kind", text("bench"));
    for (char **c = b->command; *c; c++)
        json_array_append_new(command, text(*c));
    for (unsigned i = 0; i < b->p_count; i++)
        json_array_append_new(p, json_integer(b->p[i]));
    for (size_t i = 0; i < b->trial_count; i++)
        json_array_append_new(trials, trial_json(&b->trials[i]));
    for (size_t i = 0; i < b->function_count; i++) {
        const struct bench_function *f = &b->functions[i];
        json_t *one = json_object();
        json_object_set_new(one, "function", text(f->function));
        json_object_set_new(one, "file", text(f->file));
        json_object_set_new(one, "work_ns", numbers(f->work, b->p_count));
        json_object_set_new(one, "samples", numbers(f->samples, b->p_count));
        json_array_append_new(functions, one);
    }
    json_object_set_new(j, "command", command);
    json_object_set_new(j, "baseline", text(b->baseline));
    json_object_set_new(j, "elision", text(b->elision));
    json_object_set_new(j, "control", text(b->control));
    json_object_set_new(j, "placeholder", json_boolean(b->placeholder));
    json_object_set_new(j, "virtual", json_boolean(b->virtual));
    json_object_set_new(j, "processors", p);
    json_object_set_new(j, "rounds", json_integer(b->rounds));
    json_object_set_new(j, "interrupted", json_boolean(b->interrupted));
    json_object_set_new(j, "start_unix_ns", json_real(b->start_unix_ns));
    json_object_set_new(j, "machine", machine_json(&b->machine));
    json_object_set_new(j, "functions", functions);
    json_object_set_new(j, "trials", trials);
    return j;
}

/* ---- in ---- */

static double get_number(const json_t *j, const char *key)
{
    double v = json_number_value(json_object_get(j, key));
    return v >= 0 && v < 1e300 ? v : 0;
}

static unsigned get_count(const json_t *j, const char *key, unsigned most)
{
    double v = get_number(j, key);
    return v < most ? v : most;
}

static char *get_text(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return format_clean(s ? s : "");
}

static char *get_optional(const json_t *j, const char *key)
{
    return json_is_string(json_object_get(j, key)) ? get_text(j, key) : NULL;
}

static void get_fields(const json_t *j, const struct field *fields, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++)
        *(double *)(void *)((char *)to + fields[i].at) = get_number(j, fields[i].key);
}

static void get_numbers(const json_t *all, double *v, size_t most)
{
    for (size_t i = 0; i < most && i < json_array_size(all); i++) {
        double n = json_number_value(json_array_get(all, i));
        v[i] = n >= 0 && n < 1e300 ? n : 0;
    }
}

/* Reads *T from J. False: the trial makes no sense. */
static bool get_trial(const struct bench *b, const json_t *j, struct trial *t)
{
    char *kind = get_text(j, "kind"), *hash = get_text(j, "output");
    unsigned k = 0, at = 0;
    while (k < TRIAL_KINDS && strcmp(kind, trial_kinds[k]))
        k++;
    memset(t, 0, sizeof *t);
    t->p = get_count(j, "p", BENCH_MAX_P);
    while (at < b->p_count && b->p[at] != t->p)
        at++;
    t->output = strtoull(hash, 0, 16);
    free(kind);
    free(hash);
    if (k == TRIAL_KINDS || at == b->p_count)
        return false;
    t->kind = k;
    t->round = get_count(j, "round", BENCH_ROUNDS);
    t->wall = get_number(j, "wall_ns");
    t->cpu = get_number(j, "cpu_ns");
    t->other = get_number(j, "other_cpu_ns");
    t->steal = get_number(j, "steal_ns");
    t->delay = get_number(j, "delay_ns");
    t->signaled = json_object_get(j, "signal") != 0;
    t->code = get_count(j, t->signaled ? "signal" : "exit_status", 255);
    const json_t *p = json_object_get(j, "profile");
    t->has_profile = json_is_object(p);
    t->no_tasks = json_is_true(json_object_get(j, "no_tasks"));
    get_fields(p, profile_fields, COUNT(profile_fields), &t->profile);
    t->profile.timed = json_is_true(json_object_get(p, "timed"));
    t->profile.exact = json_is_true(json_object_get(p, "exact"));
    findings_load(&t->profile.findings, json_object_get(p, "findings"));
    return t->wall > 0;
}

static void get_machine(const json_t *j, struct bench_machine *m)
{
    const json_t *one = json_object_get(j, "loop_one_ns"), *all = json_object_get(j, "loop_all_ns");
    m->host = get_text(j, "host");
    m->cpu = get_text(j, "cpu");
    m->governor = get_text(j, "governor");
    m->smt = json_is_true(json_object_get(j, "smt"));
    get_fields(j, machine_fields, COUNT(machine_fields), m);
    m->loops = json_array_size(one) < BENCH_ROUNDS ? json_array_size(one) : BENCH_ROUNDS;
    m->loop_one = format_memory(calloc(m->loops + 1, sizeof *m->loop_one));
    m->loop_all = format_memory(calloc(m->loops + 1, sizeof *m->loop_all));
    get_numbers(one, m->loop_one, m->loops);
    get_numbers(all, m->loop_all, m->loops);
}

static const char *get_processors(const json_t *p, struct bench *b)
{
    double v[BENCH_PROCESSORS] = { 0 };
    b->p_count = json_array_size(p);
    if (!b->p_count || b->p_count > BENCH_PROCESSORS)
        return "processors: 1 to 64 numbers are expected";
    get_numbers(p, v, b->p_count);
    for (unsigned i = 0; i < b->p_count; i++) {
        b->p[i] = v[i] <= BENCH_MAX_P ? v[i] : 0;
        if (i ? b->p[i] <= b->p[i - 1] : b->p[i] != 1)
            return "processors: ascending numbers up to 1024 are expected, the first of them 1";
    }
    return 0;
}

static void get_functions(const json_t *all, struct bench *b)
{
    b->function_count = json_array_size(all) < BENCH_FUNCTIONS ? json_array_size(all)
                                                               : BENCH_FUNCTIONS;
    b->functions = format_memory(calloc(b->function_count + 1, sizeof *b->functions));
    for (size_t i = 0; i < b->function_count; i++) {
        const json_t *j = json_array_get(all, i);
        b->functions[i].function = get_text(j, "function");
        b->functions[i].file = get_text(j, "file");
        get_numbers(json_object_get(j, "work_ns"), b->functions[i].work, b->p_count);
        get_numbers(json_object_get(j, "samples"), b->functions[i].samples, b->p_count);
    }
}

/* Reads *B from J. Returns what is wrong, or NULL. */
static const char *get_bench(const json_t *j, struct bench *b)
{
    const json_t *command = json_object_get(j, "command"), *trials = json_object_get(j, "trials");
    size_t n = json_array_size(command) < MAX_WORDS ? json_array_size(command) : MAX_WORDS;
    char *kind = get_text(j, "kind");
    double version = get_number(j, "format_version");
    bool right = !strcmp(kind, "bench") && (version == 1 || version == 2);
    free(kind);
    if (!right)
        return "not what prof bench --json writes, or of another version";
    const char *wrong = get_processors(json_object_get(j, "processors"), b);
    if (wrong)
        return wrong;
    b->command = format_memory(calloc(n + 1, sizeof *b->command));
    for (size_t i = 0; i < n; i++) {
        const char *s = json_string_value(json_array_get(command, i));
        b->command[i] = format_clean(s ? s : "");
    }
    b->baseline = get_optional(j, "baseline");
    b->elision = get_optional(j, "elision");
    b->control = get_text(j, "control");
    b->placeholder = json_is_true(json_object_get(j, "placeholder"));
    b->virtual = json_is_true(json_object_get(j, "virtual"));
    b->rounds = get_count(j, "rounds", BENCH_ROUNDS);
    b->interrupted = json_is_true(json_object_get(j, "interrupted"));
    b->start_unix_ns = get_number(j, "start_unix_ns");
    if (b->start_unix_ns >= 0x1p63)     /* no clock shows that */
        b->start_unix_ns = 0;
    get_machine(json_object_get(j, "machine"), &b->machine);
    get_functions(json_object_get(j, "functions"), b);
    if (json_array_size(trials) > MAX_TRIALS)
        return "more than 100000 trials";
    for (size_t i = 0; i < json_array_size(trials); i++) {
        struct trial t;
        if (!get_trial(b, json_array_get(trials, i), &t)) {
            findings_free(&t.profile.findings);
            return "a trial is of no known kind, or of a P that is not in processors, or took no "
                   "time";
        }
        *bench_add(b) = t;
    }
    return 0;
}

int bench_load(struct bench *b, const char *path)
{
    json_error_t error;
    memset(b, 0, sizeof *b);
    char *clean = format_clean(path);
    FILE *f = fopen(path, "re");
    json_t *j = f ? json_loadf(f, 0, &error) : NULL;
    const char *wrong = 0;
    if (!f) {
        fprintf(stderr, "prof: %s: %s\n", clean, strerror(errno));
    } else if (!j) {
        char *what = format_clean(error.text);
        fprintf(stderr, "prof: %s: not the JSON that prof bench writes: line %d: %s\n", clean,
                error.line, what);
        free(what);
    } else if ((wrong = get_bench(j, b))) {
        fprintf(stderr, "prof: %s: %s\n", clean, wrong);
        bench_free(b);
    }
    bool loaded = j && !wrong;
    if (f)
        fclose(f);
    json_decref(j);
    free(clean);
    return loaded ? 0 : -1;
}
