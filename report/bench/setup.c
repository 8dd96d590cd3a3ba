/* setup.c - how a trial is started: its settings and its command. cpus.c chooses its CPUs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "bench/bench.h"
#include "bench/runner.h"
#include "launch/launch.h"
#include "launch/reach_report.h"

unsigned runner_judged(const struct bench *b)
{
    unsigned at = 0;
    while (at + 1 < b->p_count && (b->virtual || b->p[at + 1] <= b->machine.allowed))
        at++;
    return at;
}

static void set(struct settings *s, char *text)
{
    if (s->count == TRIAL_SETTINGS) {
        free(text);
        return;
    }
    s->all[s->count++] = text;
}

static void preload(struct settings *s, const struct runner *r, const char *library)
{
    const char *first = r->asan;
    if (r->reached == NOT_TO_BE_PRELOADED)
        return;
    const char *user = launch_value(s->all, s->count, "LD_PRELOAD");
    set(s, format_text("LD_PRELOAD=%s%s%s%s%s", first, *first ? ":" : "", library,
                       user && *user ? ":" : "", user ? user : ""));
}

void setup_settings(const struct runner *r, enum trial_kind kind, unsigned p, struct settings *s)
{
    bool parallel = kind != TRIAL_BASELINE && kind != TRIAL_ELISION;
    s->count = 0;
    for (unsigned i = 0; i < r->how->setting_count; i++)
        set(s, format_text("%s", r->how->settings[i]));
    if (r->by_environment && parallel) {
        set(s, format_text("PROF_WORKERS=%u", p));
        set(s, format_text("OMP_NUM_THREADS=%u", p));
        set(s, format_text("OMP_THREAD_LIMIT=%u", p));
    }
    if (kind == TRIAL_PROFILED || r->b->virtual) {
        preload(s, r, r->library);
        set(s, format_text("PROF_OUTPUT=%s/%%e.%%p.prof", r->pattern));
        set(s, format_text("PROF_RUN=%d", r->b->virtual ? 1 : (int)getpid()));
        if (r->b->virtual)
            set(s, format_text("PROF_DAG=256m,0"));
        if (!launch_value(s->all, s->count, "PROF_CHECKPOINT"))
            set(s, format_text("PROF_CHECKPOINT=0"));
    } else if (r->by_environment && parallel && r->workers_library) {
        preload(s, r, r->workers_library);
    }
}

void setup_free_settings(struct settings *s)
{
    for (unsigned i = 0; i < s->count; i++)
        free(s->all[i]);
}

char *setup_with_place(const char *text, const struct place *at)
{
    const struct {
        const char *name;
        unsigned value;
    } words[] = { { "{P}", at->p }, { "{COPY}", at->copy }, { "{COPIES}", at->copies } };
    char *out = NULL;
    size_t size = 0;
    FILE *f = format_memory(open_memstream(&out, &size));
    for (const char *c = text; *c;) {
        unsigned i = 0;
        while (i < 3 && strncmp(c, words[i].name, strlen(words[i].name)))
            i++;
        if (i < 3) {
            fprintf(f, "%u", words[i].value);
            c += strlen(words[i].name);
        } else {
            fputc(*c++, f);
        }
    }
    fclose(f);
    return format_memory(out);
}

char **setup_command(const struct bench *b, enum trial_kind kind, const struct place *at)
{
    size_t n = 0;
    while (b->command[n])
        n++;
    char **argv = format_memory(calloc(n < 4 ? 5 : n + 1, sizeof *argv));
    if (kind == TRIAL_BASELINE || kind == TRIAL_ELISION) {
        argv[0] = format_text("/bin/sh");
        argv[1] = format_text("-c");
        argv[2] = format_text("%s", kind == TRIAL_BASELINE ? b->baseline : b->elision);
        return argv;
    }
    for (size_t i = 0; i < n; i++)
        argv[i] = setup_with_place(b->command[i], at);
    return argv;
}

void setup_free_command(char **argv)
{
    for (char **a = argv; *a; a++)
        free(*a);
    free(argv);
}
