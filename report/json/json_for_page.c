/* json_for_page.c - call paths, functions and lines as columns, every name once: so the page of
 * `prof view` stays some MB, with 10^5 paths. See json.c. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "base/format.h"
#include "json/json.h"
#include "profile/timeline.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "words/place_words.h"

struct worded;

/* Names of a struct paths: equal ones are one pointer. */
struct pooled {
    const char *text;
    json_int_t at;
    bool function;              /* else a file's */
    UT_hash_handle hh;
};

struct name_pool {
    struct pooled *known;
    json_t *names;              /* each once, in the order of their first use */
    struct worded *worded;      /* those in words, */
    json_t *words;              /* which are the labels of few rows */
};

static struct pooled *pool_name(struct name_pool *pool, const char *name)
{
    struct pooled *n;
    HASH_FIND_PTR(pool->known, &name, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n));
        n->text = name;
        n->at = (json_int_t)json_array_size(pool->names);
        n->function = false;
        HASH_ADD_PTR(pool->known, text, n);
        json_array_append_new(pool->names, json_text(name));
    }
    return n;
}

static json_t *pool_index(struct name_pool *pool, const char *name)
{
    return json_integer(name ? pool_name(pool, name)->at : -1);
}

static json_t *function_index(struct name_pool *pool, const char *function)
{
    struct pooled *n = pool_name(pool, function);
    n->function = true;
    return json_integer(n->at);
}

struct cost_columns {
    json_t *work, *span, *overhead, *idleness, *blocked, *samples, *on_span;
};

static struct cost_columns cost_columns(json_t *table, const char *key)
{
    json_t *j = json_object();
    json_object_set_new(table, key, j);
    return (struct cost_columns){
        json_column(j, "work_ns"),     json_column(j, "span_ns"),
        json_column(j, "overhead_ns"), json_column(j, "idleness_ns"),
        json_column(j, "blocked_ns"),  json_column(j, "samples"),
        json_column(j, "samples_on_span"),
    };
}

static void add_cost(const struct cost_columns *to, const struct path_cost *c)
{
    json_array_append_new(to->work, json_number(c->work));
    json_array_append_new(to->span, json_number(c->span));
    json_array_append_new(to->overhead, json_number(c->overhead));
    json_array_append_new(to->idleness, json_number(path_idleness(c)));
    json_array_append_new(to->blocked, json_number(c->blocked));
    json_array_append_new(to->samples, json_number(c->samples));
    json_array_append_new(to->on_span, json_number(c->on_span));
}

/* Names in words, by their text. */
struct worded {
    json_int_t at;
    UT_hash_handle hh;
    char text[];
};

static json_t *words_index(struct name_pool *pool, const char *words)
{
    struct worded *w;
    size_t length = strlen(words);
    HASH_FIND(hh, pool->worded, words, length, w);
    if (!w) {
        w = format_memory(malloc(sizeof *w + length + 1));
        memcpy(w->text, words, length + 1);
        w->at = (json_int_t)json_array_size(pool->words);
        HASH_ADD(hh, pool->worded, text, length, w);
        json_array_append_new(pool->words, json_text(words));
    }
    return json_integer(w->at);
}

/* The rows of a table that have a name in words other than their function's, and these. They are
 * few. */
struct word_columns {
    json_t *row, *words;
};

static struct word_columns word_columns(json_t *table)
{
    json_t *j = json_object();
    json_object_set_new(table, "in_words", j);
    return (struct word_columns){ json_column(j, "row"), json_column(j, "words") };
}

/* Row AT is FUNCTION, of FILE, DECLARED there; SITE: as in struct path_node. */
static void add_words(const struct word_columns *to, struct name_pool *pool, size_t at,
                      const char *function, const char *file, int declared, const struct row *site)
{
    if (!name_needs_words(function))
        return;
    char *whole = place_function(function, file, declared, site),
         *words = name_in_words_fit(whole, PLACE_WORDS_WIDTH);
    json_array_append_new(to->row, json_integer((json_int_t)at));
    json_array_append_new(to->words, words_index(pool, words));
    free(words);
    free(whole);
}

static json_t *path_columns(const struct paths *t, struct name_pool *pool)
{
    json_t *table = json_object(), *parent = json_column(table, "parent"),
           *function = json_column(table, "function"), *file = json_column(table, "file"),
           *line = json_column(table, "line");
    struct cost_columns self = cost_columns(table, "self");
    struct word_columns words = word_columns(table);
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *node = &t->nodes[i];
        json_array_append_new(parent, i ? json_integer(node->parent) : json_integer(-1));
        json_array_append_new(function, function_index(pool, node->function));
        json_array_append_new(file, pool_index(pool, node->file));
        json_array_append_new(line, json_integer(node->line));
        add_cost(&self, &node->self);
        add_words(&words, pool, i, node->function, node->file, node->declared, node->site);
    }
    return table;
}

static json_t *function_columns(const struct paths *t, struct name_pool *pool)
{
    json_t *table = json_object(), *function = json_column(table, "function"),
           *file = json_column(table, "file");
    struct cost_columns self = cost_columns(table, "self"), all = cost_columns(table, "all");
    struct word_columns words = word_columns(table);
    for (size_t i = 0; i < t->function_count; i++) {
        const struct cost_row *r = &t->functions[i];
        json_array_append_new(function, function_index(pool, r->function));
        json_array_append_new(file, pool_index(pool, r->file));
        add_cost(&self, &r->self);
        add_cost(&all, &r->all);
        add_words(&words, pool, i, r->function, r->file, r->declared, r->site);
    }
    return table;
}

struct line_columns {
    json_t *function, *file, *line;
    struct cost_columns self;
};

static void add_line(const struct line_columns *to, struct name_pool *pool,
                     const struct cost_row *r, const struct path_cost *self)
{
    json_array_append_new(to->function, function_index(pool, r->function));
    json_array_append_new(to->file, pool_index(pool, r->file));
    json_array_append_new(to->line, json_integer(r->line));
    add_cost(&to->self, self);
}

/* The lines that samples hit; then those of TIMED, COUNT elements, that only lead to others, or
 * where strands were off the CPU. TIMED's lines become indexes in these columns. */
static json_t *line_columns(const struct paths *t, struct name_pool *pool,
                            struct path_timed *timed, size_t count)
{
    static const struct path_cost nothing;
    json_t *table = json_object();
    struct line_columns to = { json_column(table, "function"), json_column(table, "file"),
                               json_column(table, "line"), cost_columns(table, "self") };
    uint32_t *at = format_memory(calloc(t->call_line_count + 1, sizeof *at));
    for (size_t i = 0; i < t->line_count; i++)
        add_line(&to, pool, &t->lines[i], &t->lines[i].self);
    for (size_t i = 0; i < count; i++) {
        uint32_t line = timed[i].line;
        if (line == LPF_NONE || line < t->line_count)
            continue;
        if (!at[line]) {
            add_line(&to, pool, &t->lines[line], &nothing);
            at[line] = json_array_size(to.line);
        }
        timed[i].line = at[line] - 1;
    }
    free(at);
    return table;
}

static json_t *timed_part(const struct profile *p, enum lpf_timed_kind kind)
{
    struct timed_part part = timeline_timed(p, kind);
    json_t *j = json_object();
    json_object_set_new(j, "kept", json_number(part.kept));
    json_object_set_new(j, "seen", json_number(part.seen));
    return j;
}

/* ALL, COUNT elements. `more`: how many bins follow `bin`. */
static json_t *timed_columns(const struct profile *p, const struct path_timed *all, size_t count)
{
    json_t *table = json_object(), *path = json_column(table, "path"),
           *line = json_column(table, "line"), *bin = json_column(table, "bin"),
           *more = json_column(table, "more"), *off = json_column(table, "off_cpu"),
           *weight = json_column(table, "weight");
    json_object_set_new(table, "on_cpu_samples", timed_part(p, LPF_TIMED_ON_CPU));
    json_object_set_new(table, "off_cpu_samples", timed_part(p, LPF_TIMED_OFF_CPU));
    for (size_t i = 0; i < count; i++) {
        const struct path_timed *e = &all[i];
        json_array_append_new(path, json_integer(e->node));
        json_array_append_new(line, json_integer(e->line == LPF_NONE ? -1 : (json_int_t)e->line));
        json_array_append_new(bin, json_integer(e->first));
        json_array_append_new(more, json_integer(e->last - e->first));
        json_array_append_new(off, json_integer(e->kind == LPF_TIMED_OFF_CPU));
        json_array_append_new(weight, json_number(e->weight));
    }
    return table;
}

/* For each name what is short enough to stand in a frame or a table, as the terminal has it; null:
 * the name itself, or no function's. Frees POOL. */
static json_t *labels(struct name_pool *pool)
{
    struct pooled *n, *next;
    json_t *all = json_array();
    HASH_ITER(hh, pool->known, n, next) {   /* in the order of insertion: that of the names */
        char *fitted = n->function ? name_fit(n->text, PLACE_NAME_WIDTH) : 0;
        bool same = !fitted || !strcmp(fitted, n->text);
        json_array_append_new(all, same ? json_null() : json_text(fitted));
        free(fitted);
        HASH_DEL(pool->known, n);
        free(n);
    }
    return all;
}

static void free_worded(struct name_pool *pool)
{
    struct worded *w, *next;
    HASH_ITER(hh, pool->worded, w, next) {
        HASH_DEL(pool->worded, w);
        free(w);
    }
}

json_t *json_path_columns(const struct paths *t)
{
    json_t *j = json_object();
    struct name_pool pool = { .names = json_column(j, "names"), .words = json_column(j, "words") };
    size_t count = 0;
    struct path_timed *timed = paths_timed(t, &count);
    json_object_set_new(j, "paths", path_columns(t, &pool));
    json_object_set_new(j, "functions", function_columns(t, &pool));
    json_object_set_new(j, "lines", line_columns(t, &pool, timed, count));
    if (timed)
        json_object_set_new(j, "timed", timed_columns(t->summary->profile, timed, count));
    json_object_set_new(j, "labels", labels(&pool));
    free_worded(&pool);
    free(timed);
    return j;
}
