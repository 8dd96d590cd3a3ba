/* whatif.c - see whatif.h. */
#define _GNU_SOURCE
#include "analysis/scenarios.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "symbols/code.h"
#include "base/format.h"
#include "launch/program.h"

/* ---- scenarios of a profile ---- */

/* 4x, 1.5x, or "at no cost". */
static char *factor_text(const struct lpf_term *t)
{
    return t->den ? format_text("%.4gx", (double)t->num / t->den) : format_text("at no cost");
}

static char *scenario_name(const struct profile *p, const struct lpf_scenario *s)
{
    char *name = NULL;
    size_t n;
    FILE *f = format_memory(open_memstream(&name, &n));
    for (uint32_t i = 0; i < s->terms; i++) {
        const struct lpf_term *t = &p->terms[s->first_term + i];
        char *clean = format_clean(profile_string(p, p->candidates[t->candidate].name)), *factor = factor_text(t);
        fprintf(f, "%s%s %s", i ? ", " : "", clean, factor);
        free(factor);
        free(clean);
    }
    fclose(f);
    return format_memory(name);
}

struct whatif *whatif_read(const struct model *m, size_t *count)
{
    const struct profile *p = m->profile;
    struct whatif *w = format_memory(calloc(p->scenario_count + 1, sizeof *w));
    for (size_t i = 0; i < p->scenario_count; i++) {
        const struct lpf_scenario *s = &p->scenarios[i];
        bool estimated = false;
        for (uint32_t k = 0; k < s->terms; k++)
            estimated |= p->candidates[p->terms[s->first_term + k].candidate].samples > 0;
        double work = profile_ns(p, s->work_cost), span = profile_ns(p, s->span_cost);
        w[i] = (struct whatif){ .name = scenario_name(p, s), .limit = s->flags & LPF_SCENARIO_LIMIT, .joint = s->terms > 1,
                                .estimated = estimated, .work = work, .span = span, .parallel = ratio(m->work, span),
                                .faster = ratio(work, span) };
    }
    *count = p->scenario_count;
    return w;
}

void whatif_free(struct whatif *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(w[i].name);
    free(w);
}

json_t *whatif_json(const struct model *m)
{
    const struct profile *p = m->profile;
    if (!p->scenario_count)
        return 0;
    size_t n;
    struct whatif *w = whatif_read(m, &n);
    json_t *candidates = json_array(), *scenarios = json_array();
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct lpf_candidate *c = &p->candidates[i];
        char *clean = format_clean(profile_string(p, c->name));
        json_array_append_new(candidates, json_pack("{s:s, s:b, s:I, s:I, s:I}", "name", clean, "code",
                                                    !!(c->flags & LPF_CANDIDATE_CODE), "regions", (json_int_t)c->regions,
                                                    "contexts", (json_int_t)c->contexts, "samples", (json_int_t)c->samples));
        free(clean);
    }
    for (size_t i = 0; i < n; i++) {
        const struct lpf_scenario *s = &p->scenarios[i];
        json_t *terms = json_array();
        for (uint32_t k = 0; k < s->terms; k++) {
            const struct lpf_term *t = &p->terms[s->first_term + k];
            json_array_append_new(terms, json_pack("{s:I, s:o}", "candidate", (json_int_t)t->candidate, "factor",
                                                   t->den ? json_real((double)t->num / t->den) : json_null()));
        }
        json_array_append_new(scenarios, json_pack("{s:s, s:o, s:b, s:b, s:I, s:I, s:f, s:f}", "name", w[i].name, "terms", terms,
                                                   "limit", w[i].limit, "estimated", w[i].estimated,
                                                   "work_ns", (json_int_t)profile_whole_ns(p, s->work_cost),
                                                   "span_ns", (json_int_t)profile_whole_ns(p, s->span_cost),
                                                   "parallelism_made_parallel", w[i].parallel,
                                                   "parallelism_made_faster", w[i].faster));
    }
    whatif_free(w, n);
    return json_pack("{s:o, s:o}", "candidates", candidates, "scenarios", scenarios);
}

/* ---- the code of candidates ---- */

void whatif_put_name(FILE *f, const char *name)
{
    for (; *name; name++) {
        if (strchr("\\=;&", *name))
            fputc('\\', f);
        fputc(*name, f);
    }
}

/* The names of SPEC, in the order of their numbers in libprof.so; at most CAPACITY. */
static unsigned spec_names(const char *spec, char **names, unsigned capacity)
{
    unsigned n = 0;
    for (const char *p = spec; *p;) {
        char *name = format_memory(calloc(strlen(p) + 1, 1)), *to = name;
        while (*p && *p != '=') {
            if (*p == '\\' && p[1])
                p++;
            *to++ = *p++;
        }
        p += strcspn(p, ";&");
        p += *p != 0;
        bool known = !*name || n == capacity;
        for (unsigned i = 0; i < n; i++)
            known |= !strcmp(names[i], name);
        if (known)
            free(name);
        else
            names[n++] = name;
    }
    return n;
}

char *whatif_code(const char *spec, const char *program)
{
    enum { NAMES = 16 };
    char *names[NAMES];
    unsigned long found[NAMES];
    unsigned n = spec_names(spec, names, NAMES);
    const char *directory = getenv("TMPDIR");
    char *path = format_text("%s/prof-whatif.XXXXXX", directory && *directory ? directory : "/tmp");
    char *file = program_find(program);
    struct program info;
    FILE *out = 0;
    int fd = file && !program_inspect(file, &info) && info.elf ? mkstemp(path) : -2;
    if (fd >= 0)
        out = fdopen(fd, "w");
    if (fd == -2)
        fprintf(stderr, "prof: %s is not an ELF file: only regions can be tried\n", program);
    else if (!out)
        fprintf(stderr, "prof: %s: %s: only regions can be tried\n", path, strerror(errno));
    else if (code_write(file, names, n, out, found))
        fprintf(stderr, "prof: %s cannot be read: only regions can be tried\n", file);
    else
        for (unsigned i = 0; i < n; i++)
            if (!found[i])
                fprintf(stderr, "prof: %s: there is no code of that name, with an address, in %s or its libraries: only a region "
                        "of that name will count\n", names[i], program);
    bool ok = out && !ferror(out);
    if (out && fclose(out))
        ok = false;
    if (!ok) {
        if (out)
            unlink(path);
        free(path);
        path = 0;
    }
    for (unsigned i = 0; i < n; i++)
        free(names[i]);
    free(file);
    return path;
}
