/* sarif.c - a listing for editors, which show SARIF 2.1.0 (OASIS) beside the source. Its results
 * are the findings of what limits the program, the functions' verdicts, and the hot lines with
 * their shares. Each has a location. What is about no code of this machine is a notification of the
 * run (invocation.toolExecutionNotifications). */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "annotate/listing.h"
#include "base/format.h"
#include "json/json.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "words/limit_words.h"
#include "words/wait_words.h"

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
 * MESSAGE. */
static void add(struct log *log, const char *rule, const char *level, char *message,
                const char *path, int line)
{
    bool placed = path && line > 0;
    json_t *text = json_pack("{s:o}", "text", json_text(message));
    free(message);
    if (!placed) {
        json_array_append_new(log->notifications,
                              json_pack("{s:s,s:o,s:{s:s}}", "level", level, "message", text,
                                        "associatedRule", "id", rule));
        return;
    }
    char *uri = uri_of(path);
    json_array_append_new(
        log->results,
        json_pack("{s:s,s:s,s:o,s:[{s:{s:{s:s},s:{s:i}}}]}", "ruleId", rule, "level", level,
                  "message", text, "locations", "physicalLocation", "artifactLocation", "uri", uri,
                  "region", "startLine", line));
    free(uri);
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

/* The function with most of METRIC whose source is here. *LINE: of it. NULL: there is none. */
static const char *most_of(const struct listing *l, const char *metric, int *line)
{
    const struct path_row *best = 0;
    for (size_t i = 0; i < l->t->function_count; i++) {
        const struct path_row *f = &l->t->functions[i];
        double here = path_metric(&f->self, metric);
        if (!f->file || path_in_brackets(f->function) || module_is_system(f->module) ||
            here <= (best ? path_metric(&best->self, metric) : 0) || !line_of(l, f))
            continue;
        char *path = find(l, f->file);
        if (path)
            best = f;
        free(path);
    }
    *line = best ? line_of(l, best) : 0;
    return best ? best->file : 0;
}

/* The file of the code that the finding F rests on, and *LINE of it. NULL: F is about the program
 * as a whole. */
static const char *place_of(const struct listing *l, const struct finding *f, int *line)
{
    const struct path_node *at = f->caller;
    if (f->row && f->row->file) {
        *line = f->row->line;
        return f->row->file;
    }
    *line = at ? at->line : 0;
    if (f->what == LIMITED_BY_BLOCKING)
        at = wait_place(l->t, line);
    if (at && at->file && *line <= 0)
        *line = at->declared;
    if (at && at->file && *line > 0)
        return at->file;
    if (f->why == REASON_PREEMPTED || f->why == REASON_ABSENT)
        return 0;               /* the machine, or that there was no thread */
    switch (f->what) {
    case LIMITED_BY_SPAN:
        return most_of(l, "span", line);
    case LIMITED_BY_OVERHEAD:
        return most_of(l, "overhead", line);
    case LIMITED_BY_BLOCKING:
        return most_of(l, "blocked", line);
    case LIMITED_BY_WAITS:
    case LIMITED_BY_IDLENESS:
        return most_of(l, "idleness", line);
    default:
        return 0;
    }
}

static void add_findings(const struct listing *l, struct log *log)
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
        int line;
        const char *file = place_of(l, f, &line);
        char *path = find(l, file);
        add(log, "limit", "warning", message, path, line);
        free(path);
    }
}

/* "31.2 % of the critical path, 20.0 % of the work" and so on of C. */
static char *shares(const struct listing *l, const struct path_cost *c)
{
    const struct path_cost *all = &l->t->total;
    return format_text("%.1f %% of the critical path, %.1f %% of the work, %.1f %% of the idleness",
                       100 * ratio(c->span, all->span), 100 * ratio(c->work, all->work),
                       100 * ratio(c->idleness, all->idleness));
}

static void add_verdicts(const struct listing *l, struct log *log)
{
    for (size_t i = 0; i < l->t->function_count; i++) {
        const struct path_row *f = &l->t->functions[i];
        if (!*f->verdict || !f->file)
            continue;
        char *name = name_fit(f->function, 60), *of = shares(l, &f->self), *path = find(l, f->file);
        bool asks = f->verdict_kind == VERDICT_CHANGE || f->verdict_kind == VERDICT_SERIAL ||
                    f->verdict_kind == VERDICT_LOCK || f->verdict_kind == VERDICT_GRAIN;
        add(log, "verdict", asks ? "warning" : "note",
            format_text("%s: %s. Without callees: %s.", name, f->verdict, of), path, line_of(l, f));
        free(path);
        free(name);
        free(of);
    }
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
                                  : format_text("Itself: %s.", self), path, at->number);
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
    add_verdicts(l, &log);
    add_lines(l, &log);
    json_t *rules = json_pack(
        "[{s:s,s:{s:s}},{s:s,s:{s:s}},{s:s,s:{s:s}}]", "id", "limit", "shortDescription", "text",
        "What limits the program", "id", "verdict", "shortDescription", "text",
        "What to do about a function", "id", "line", "shortDescription", "text",
        "What a line costs");
    json_t *driver = json_pack("{s:s,s:o}", "name", "libprof", "rules", rules);
    json_t *invocation = json_pack("{s:b,s:o}", "executionSuccessful", true,
                                   "toolExecutionNotifications", log.notifications);
    json_t *run = json_pack("{s:{s:o},s:s,s:[o],s:o}", "tool", "driver", driver, "columnKind",
                            "unicodeCodePoints", "invocations", invocation, "results", log.results);
    json_t *all = json_pack("{s:s,s:s,s:[o]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                            "runs", run);
    json_dumpf(all, l->out, JSON_INDENT(2));
    fputc('\n', l->out);
    json_decref(all);
}
