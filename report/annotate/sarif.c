/* sarif.c - a listing for editors, which show SARIF 2.1.0 (OASIS) next to the source. Its results
 * are the findings of what limits the program, each by its cause, and the hot lines with their
 * shares. Each has a location. What is about no code of this machine is a notification of the
 * run (invocation.toolExecutionNotifications). */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/causes.h"
#include "annotate/listing.h"
#include "base/format.h"
#include "json/json.h"
#include "profile/profile.h"
#include "words/cause_words.h"

/* FILE as a URI (RFC 3986): an absolute path with its scheme, and %XX for what is not a letter, a
 * digit or one of a few marks. The caller frees it. */
static char *uri_of(const char *file)
{
    static const char digits[] = "0123456789ABCDEF";
    char *uri = format_memory(malloc(3 * strlen(file) + 8)), *p = uri;
    if (*file == '/')
        p = stpcpy(p, "file://");
    for (; *file; file++) {
        unsigned char c = *file;
        if ((c | 32u) - 'a' < 26 || c - 48u < 10 || strchr("/-._~+", c)) {
            *p++ = c;
        } else {
            *p++ = '%';
            *p++ = digits[c >> 4];
            *p++ = digits[c & 15];
        }
    }
    *p = 0;
    return uri;
}

/* FILE's name on this machine, where an editor finds it; NULL: it is not here. The caller frees
 * it. */
static char *find(const struct listing *l, const char *file)
{
    size_t size;
    uint64_t changed;
    const char *why;
    char *found = 0, *text = file ? source_find(l->source, file, &size, &changed, &found, &why) : 0;
    char *path = text ? realpath(found, 0) : 0;         /* NULL: it is in an archive */
    if (text)
        free(found);
    free(text);
    return path;
}

/* What goes into a run. */
struct log {
    json_t *results;            /* each has a location: without one, viewers drop or misplace it */
    json_t *notifications;      /* about the program as a whole */
};

/* Adds a result at LINE of PATH, or a notification if one of them is not known. Takes over
 * MESSAGE and PROPERTIES; NULL: it has none. */
static void add(struct log *log, const char *rule, const char *level, char *message,
                json_t *properties, const char *path, int line)
{
    bool placed = path && line > 0;
    json_t *text = json_pack("{s:o}", "text", json_text(message));
    free(message);
    if (!placed) {
        json_array_append_new(log->notifications,
                              json_pack("{s:s,s:o,s:{s:s},s:o*}", "level", level, "message", text,
                                        "associatedRule", "id", rule, "properties", properties));
        return;
    }
    char *uri = uri_of(path);
    json_array_append_new(
        log->results,
        json_pack("{s:s,s:s,s:o,s:[{s:{s:{s:s},s:{s:i}}}],s:o*}", "ruleId", rule, "level", level,
                  "message", text, "locations", "physicalLocation", "artifactLocation", "uri", uri,
                  "region", "startLine", line, "properties", properties));
    free(uri);
}

static void add_findings(const struct listing *l, struct log *log)
{
    const struct causes *c = l->t->causes;
    for (size_t i = 0; i < c->count; i++) {
        const struct cause_finding *f = &c->found[i];
        char *sentence = cause_sentence(f, l->m), *remedy = cause_remedy(f, l->m),
             *path = find(l, f->place.file);
        add(log, cause_names[f->id], "warning", format_text("%s %s", sentence, remedy),
            json_gain(c, f), path, f->place.line);
        free(sentence);
        free(remedy);
        free(path);
    }
}

/* What a result may be: a cause, with what to do about it, or a line. */
static json_t *rules(void)
{
    static const struct { const char *id, *remedy; } causes[] = {
#define CAUSE(id, name, sentence, remedy, cells, place) { name, remedy },
#include "analysis/causes.def"
#undef CAUSE
    };
    json_t *all = json_array();
    for (unsigned i = 0; i < CAUSES; i++)
        json_array_append_new(all, json_pack("{s:s,s:{s:s}}", "id", causes[i].id, "help", "text",
                                             causes[i].remedy));
    json_array_append_new(all, json_pack("{s:s,s:{s:s}}", "id", "line", "shortDescription", "text",
                                         "What a line costs"));
    return all;
}

/* "31.2 % of the critical path, 20.0 % of the work" and so on of C. */
static char *shares(const struct listing *l, const struct path_cost *c)
{
    const struct path_cost *all = &l->t->total;
    return format_text("%.1f %% of the critical path, %.1f %% of the work, %.1f %% of the idleness",
                       100 * ratio(c->span, all->span), 100 * ratio(c->work, all->work),
                       100 * ratio(c->idleness, all->idleness));
}

/* The hot lines of the files that the text form shows, as far as an editor finds these. */
static void add_lines(const struct listing *l, struct log *log)
{
    size_t left = l->w->files && !l->w->source && !l->w->function ? l->w->files : SIZE_MAX;
    for (size_t i = 0; i < l->count && left; i++) {
        const struct listed_file *f = &l->files[i];
        if (!listing_is_chosen(l, f))
            continue;
        left--;
        char *path = find(l, f->name);
        for (size_t k = 0; path && k < f->count; k++) {
            const struct listed_line *at = &f->lines[k];
            if (!at->wanted)
                continue;
            char *self = shares(l, &at->self), *all = shares(l, &at->all);
            add(log, "line", "note",
                strcmp(self, all) ? format_text("With what it calls and spawns: %s. Itself: %s.",
                                                all, self)
                                  : format_text("Itself: %s.", self), NULL, path, at->number);
            free(self);
            free(all);
        }
        free(path);
    }
}

void listing_sarif(const struct listing *l)
{
    struct log log = { json_array(), json_array() };
    add_findings(l, &log);
    add_lines(l, &log);
    json_t *driver = json_pack("{s:s,s:o}", "name", "libprof", "rules", rules());
    json_t *invocation = json_pack("{s:b,s:o}", "executionSuccessful", true,
                                   "toolExecutionNotifications", log.notifications);
    json_t *run = json_pack("{s:{s:o},s:s,s:[o],s:o}", "tool", "driver", driver, "columnKind",
                            "unicodeCodePoints", "invocations", invocation, "results", log.results);
    json_t *all = json_pack("{s:s,s:s,s:[o]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                            "runs", run);
    json_dumpf(all, l->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', l->out);
    json_decref(all);
}
