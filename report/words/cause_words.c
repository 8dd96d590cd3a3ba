/* cause_words.c - see cause_words.h. */
#define _GNU_SOURCE
#include "words/cause_words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/processors.h"
#include "base/format.h"
#include "profile/profile.h"
#include "words/place_words.h"

static const struct { const char *sentence, *remedy; } texts[CAUSES] = {
#define CAUSE(id, name, sentence, remedy, cells, place) [CAUSE_##id] = { sentence, remedy },
#include "analysis/causes.def"
#undef CAUSE
};

char *cause_place(const struct cause_finding *f)
{
    if (!f->place.function)
        return format_text("%s", "the program");
    struct path_node at = { .function = f->around,
                            .file = f->place.file,
                            .line = f->place.line };
    return place_of_call(&at, at.line);
}

/* The value of NAME in a text on F. The caller frees it. */
static char *value(const char *name, size_t length, const struct cause_finding *f,
                   const struct summary *m)
{
    const struct lpf_totals *k = &m->profile->totals;
    char a[FORMAT_SIZE];
    struct processors x;
    unsigned idle = k->workers > 1 ? k->workers - 1 : 1;
    processors_of(&x, m->profile);
#define IS(word) (length == sizeof word - 1 && !memcmp(name, word, length))
    if (IS("place"))
        return cause_place(f);
    if (IS("ns"))
        return format_text("%s", format_short_ns(f->ns, a));
    if (IS("count"))
        return format_text("%s", format_count((uint64_t)fmin(f->count, 1e18), a));
    if (IS("mean"))
        return format_text("%s", format_short_ns(f->mean, a));
    if (IS("workers"))
        return format_text(idle == 1 ? "the other worker" : "the other %u workers", idle);
    if (IS("awaited"))
        return f->awaited_ns > 0 ? format_text(" (%s for rank %u)",
                                               format_short_ns(f->awaited_ns, a), f->awaited_rank)
                                 : format_text("%s", "");
    if (IS("threads"))
        return format_text("%u", k->workers);
    if (IS("processors"))
        return format_text("%u", x.allowed);
#undef IS
    return format_text("{%.*s}", (int)length, name);
}

static char *filled(const char *text, const struct cause_finding *f, const struct summary *m)
{
    char *all = NULL;
    size_t size;
    FILE *out = format_memory(open_memstream(&all, &size));
    while (*text) {
        size_t plain = strcspn(text, "{");
        fwrite(text, 1, plain, out);
        text += plain;
        const char *end = *text ? strchr(text, '}') : NULL;
        if (!end)
            break;
        char *v = value(text + 1, (size_t)(end - text - 1), f, m);
        fputs(v, out);
        free(v);
        text = end + 1;
    }
    fputs(text, out);
    fclose(out);
    return format_memory(all);
}

char *cause_sentence(const struct cause_finding *f, const struct summary *m)
{
    char *text = filled(texts[f->id].sentence, f, m);
    if (*text >= 'a' && *text <= 'z' && !f->place.function)
        *text -= 'a' - 'A';
    return text;
}

char *cause_remedy(const struct cause_finding *f, const struct summary *m)
{
    return filled(texts[f->id].remedy, f, m);
}

char *cause_gain(const struct causes *c, const struct cause_finding *f)
{
    double all = c->elapsed > 0 ? c->elapsed : 1;
    return format_text("%.0f %% (%.0f to %.0f)", 100 * f->gain / all, 100 * f->low / all,
                       100 * f->high / all);
}

char *cause_others(const struct causes *c, size_t shown)
{
    if (c->count <= shown)
        return NULL;
    return format_text("%zu more, of smaller gain: `prof report --full`.", c->count - shown);
}
