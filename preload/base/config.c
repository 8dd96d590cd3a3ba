/* config.c - see config.h. This file does its own parsing. getenv() may be interposed, or race with
 * setenv(). strtol depends on errno and the locale. */
#include "base/memory.h"
#include "base/config.h"
#include <stdbool.h>
#include <string.h>
#include "base/message.h"
#include "base/forbid.h"

struct config config;

enum type { TYPE_STRING, TYPE_COUNT, TYPE_FLAG };

static const struct setting {
    const char *name;
    enum type type;
    void *field;
    const char *string_default;
    long count_default;
} settings[] = {
#define DEFAULT_STRING(d) d, 0
#define DEFAULT_COUNT(d) "", d
#define DEFAULT_FLAG(d) "", d
#define SETTING(name, type, field, def, help) \
    { name, TYPE_##type, &config.field, DEFAULT_##type(def) },
#include "base/settings.def"
#undef SETTING
};
#define SETTINGS (sizeof settings / sizeof settings[0])

static bool parse_count(const char *text, long *value)
{
    long v = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || v >= 100000000)
            return false;
        v = v * 10 + (*text - '0');
    }
    *value = v;
    return true;
}

/* The edit distance, for "did you mean". 99: one of the strings is too long. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[64];
    size_t n = strlen(b);
    if (n >= 63 || strlen(a) >= 63)
        return 99;
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

/* The strings that are set: not the environment's own, which the program may overwrite. */
static SELDOM char texts[3 * CONFIG_STRING];
static size_t texts_used;

static const char *kept(const char *value)
{
    size_t n = strlen(value) + 1;
    if (n > sizeof texts - texts_used)
        return 0;
    char *at = texts + texts_used;
    texts_used += n;
    return memcpy(at, value, n);
}

static void set(const char *name, size_t length, const char *value)
{
    for (unsigned i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        if (strlen(s->name) != length || memcmp(s->name, name, length))
            continue;
        long v;
        switch (s->type) {
        case TYPE_STRING:
            if (!*value && s->field != &config.output)
                return;         /* an empty value means "not set"; PROF_OUTPUT prints a warning */
            const char *copy = strlen(value) < CONFIG_STRING ? kept(value) : 0;
            if (copy)
                *(const char **)s->field = copy;
            else
                message(MESSAGE_WARNING, "%s is longer than %d bytes: using \"%s\"", s->name,
                        CONFIG_STRING - 1, s->string_default);
            return;
        case TYPE_COUNT:
        case TYPE_FLAG:
            if (parse_count(value, &v) && (s->type == TYPE_COUNT || v <= 1))
                *(int *)s->field = v;
            else
                message(MESSAGE_WARNING, "%s=%s is not %s: using %ld", s->name, value,
                        s->type == TYPE_COUNT ? "a whole number below 10^9" : "0 or 1",
                        s->count_default);
            return;
        }
    }
    char unknown[64];
    if (length >= sizeof unknown)
        return;
    memcpy(unknown, name, length);
    unknown[length] = 0;
    const struct setting *nearest = &settings[0];
    for (unsigned i = 1; i < SETTINGS; i++)
        if (distance(unknown, settings[i].name) < distance(unknown, nearest->name))
            nearest = &settings[i];
    unsigned d = distance(unknown, nearest->name);
    if (d <= 3 && 2 * d < length - strlen("PROF_"))
        message(MESSAGE_WARNING, "unknown setting %s: did you mean %s?", unknown, nearest->name);
    else
        message(MESSAGE_WARNING, "unknown setting %s (libprof(7) lists them)", unknown);
}

void config_setup(char *const *environment)
{
    texts_used = 0;
    for (unsigned i = 0; i < SETTINGS; i++) {
        if (settings[i].type == TYPE_STRING)
            *(const char **)settings[i].field = settings[i].string_default;
        else
            *(int *)settings[i].field = settings[i].count_default;
    }
    /* PROF_QUIET first: it decides whether the others may complain. */
    for (int pass = 0; pass < 2; pass++)
        for (char *const *e = environment; e && *e; e++) {
            const char *eq = strchr(*e, '=');
            if (!eq || strncmp(*e, "PROF_", 5))
                continue;
            bool quiet = !strncmp(*e, "PROF_QUIET=", 11);
            if (quiet == (pass == 0))
                set(*e, eq - *e, eq + 1);
        }
}

static const struct setting *named(const char *name)
{
    for (unsigned i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    return 0;
}

const char *config_default(const char *name)
{
    const struct setting *s = named(name);
    return s ? s->string_default : "";
}

long config_default_count(const char *name)
{
    const struct setting *s = named(name);
    return s ? s->count_default : 0;
}

void config_each(void (*emit)(void *, const char *, const char *), void *closure)
{
    for (unsigned i = 0; i < SETTINGS; i++) {
        char number[24];
        if (settings[i].type == TYPE_STRING) {
            emit(closure, settings[i].name, *(const char **)settings[i].field);
        } else {
            message_format(number, sizeof number, "%d", *(int *)settings[i].field);
            emit(closure, settings[i].name, number);
        }
    }
}
