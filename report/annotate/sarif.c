/* sarif.c - a listing for editors, which show SARIF 2.1.0 (OASIS) beside the source. Its results
 * are the findings of what limits the program, the functions' verdicts, and the hot lines with
 * their shares. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "annotate/listing.h"
#include "base/format.h"
#include "output/json.h"
#include "output/limit_words.h"
#include "profile/profile.h"
#include "symbols/names.h"

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

/* Adds a result to RESULTS, at LINE of PATH if both are known. Takes over MESSAGE. */
static void add(json_t *results, const char *rule, const char *level, char *message,
                const char *path, int line)
{
    json_t *result = json_pack("{s:s,s:s,s:{s:o}}", "ruleId", rule, "level", level, "message",
                               "text", json_text(message));
    free(message);
    if (path && line > 0) {
        char *uri = uri_of(path);
        json_object_set_new(result, "locations", json_pack(
            "[{s:{s:{s:s},s:{s:i}}}]", "physicalLocation", "artifactLocation", "uri", uri, "region",
            "startLine", line));
        free(uri);
    }
    json_array_append_new(results, result);
}

static void add_findings(const struct listing *l, json_t *results)
{
    struct limits limits;
    if (!l->m->profile->totals.span_cost)
        return;
    limits_new(&limits, l->m, l->t);
    for (unsigned i = 0; i < limits.count; i++) {
        const struct finding *f = &limits.found[i];
        const char *action = limit_advises(f) ? 0 : limit_action(&limits, f, l->m);
        char *sentence = limit_sentence(&limits, f, l->m, l->t);
        char *message = format_text("%s%s%s", sentence, action ? " " : "", action ? action : "");
        free(sentence);
        char *path = f->row ? find(l, f->row->file) : 0;
        add(results, "limit", "warning", message, path, f->row ? f->row->line : 0);
        free(path);
    }
}

/* Where function F begins, or the line of it that samples hit most. 0: no line is known. */
static int line_of(const struct listing *l, const struct path_row *f)
{
    const struct path_row *best = 0;
    if (f->declared > 0)
        return f->declared;
    for (size_t i = 0; i < l->t->line_count; i++) {
        const struct path_row *r = &l->t->lines[i];
        if (r->file && f->file && !strcmp(r->function, f->function) && !strcmp(r->file, f->file) &&
            (!best || r->self.samples > best->self.samples))
            best = r;
    }
    return best ? best->line : 0;
}

/* "31.2 % of the critical path, 20.0 % of the work" and so on of C. */
static char *shares(const struct listing *l, const struct path_cost *c)
{
    const struct path_cost *all = &l->t->total;
    return format_text("%.1f %% of the critical path, %.1f %% of the work, %.1f %% of the idleness",
                       100 * ratio(c->span, all->span), 100 * ratio(c->work, all->work),
                       100 * ratio(c->idleness, all->idleness));
}

static void add_verdicts(const struct listing *l, json_t *results)
{
    for (size_t i = 0; i < l->t->function_count; i++) {
        const struct path_row *f = &l->t->functions[i];
        if (!*f->verdict || !f->file)
            continue;
        char *name = name_fit(f->function, 60), *of = shares(l, &f->self), *path = find(l, f->file);
        add(results, "verdict", "warning",
            format_text("%s: %s. Without callees: %s.", name, f->verdict, of), path, line_of(l, f));
        free(path);
        free(name);
        free(of);
    }
}

/* The hot lines of the files that the text form shows, as far as an editor finds these. */
static void add_lines(const struct listing *l, json_t *results)
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
            add(results, "line", "note",
                strcmp(self, all) ? format_text("With what it calls and spawns: %s. Itself: %s.",
                                                all, self)
                                  : format_text("Itself: %s.", self), path, at->number);
            free(self);
            free(all);
        }
        free(path);
    }
}

void listing_sarif(const struct listing *l)
{
    json_t *results = json_array();
    add_findings(l, results);
    add_verdicts(l, results);
    add_lines(l, results);
    json_t *rules = json_pack(
        "[{s:s,s:{s:s}},{s:s,s:{s:s}},{s:s,s:{s:s}}]", "id", "limit", "shortDescription", "text",
        "What limits the program", "id", "verdict", "shortDescription", "text",
        "What to do about a function", "id", "line", "shortDescription", "text",
        "What a line costs");
    json_t *driver = json_pack("{s:s,s:o}", "name", "libprof", "rules", rules);
    json_t *run = json_pack("{s:{s:o},s:s,s:o}", "tool", "driver", driver, "columnKind",
                            "unicodeCodePoints", "results", results);
    json_t *log = json_pack("{s:s,s:[o]}", "version", "2.1.0", "runs", run);
    json_dumpf(log, l->out, JSON_INDENT(2));
    fputc('\n', l->out);
    json_decref(log);
}
