/* firefox.c - the Firefox Profiler's "processed profile", in version 48 of its format, which every
 * later version of that viewer reads. Each metric is a thread; all share the same stacks.
 *
 * The format wants a time line, but a profile has none. So samples follow each other in the order
 * of the call tree, each as long as its value (weight type "tracing-ms"). The call tree, the flame
 * graph and the inverted tree are exact; the track means nothing. Values are in ms with six
 * decimals, so they are whole ns and add up.
 */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/paths.h"
#include "base/format.h"
#include "export/export.h"

/* An array of N times V. Takes over the reference to V. */
static json_t *repeated(size_t n, json_t *v)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append(a, v);
    json_decref(v);
    return a;
}

static json_t *table(size_t length)
{
    json_t *j = json_object();
    json_object_set_new(j, "length", json_integer(length));
    return j;
}

static void empty_columns(json_t *j, const char *const *columns)
{
    for (; *columns; columns++)
        json_object_set_new(j, *columns, json_array());
}

/* A stack is a node of the tree. A frame is a function at a line. */
struct tables {
    json_t *strings, *functions, *frames, *stacks;
};

/* The strings are the names of the functions, then those of the files. */
static void make_tables(const struct export_tree *e, struct tables *t)
{
    size_t n = e->node_count, count = e->function_count;
    const struct path_node *nodes = e->paths->nodes;
    json_t *name = json_array(), *file = json_array(), *line = json_array(), *at = json_array(),
           *func = json_array(), *prefix = json_array(), *frame = json_array();
    t->strings = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct export_function *f = &e->functions[i];
        json_array_append_new(t->strings, json_string(f->name));
        json_array_append_new(name, json_integer(i));
        json_array_append_new(file, f->file ? json_integer(count + f->file) : json_null());
        json_array_append_new(line, f->line ? json_integer(f->line) : json_null());
    }
    for (uint32_t i = 0; i < e->file_count; i++)
        json_array_append_new(t->strings, json_string(e->files[i]));
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(func, json_integer(e->places[i].function));
        json_array_append_new(at,
                              e->places[i].line ? json_integer(e->places[i].line) : json_null());
        json_array_append_new(frame, json_integer(i));
        json_array_append_new(prefix, i ? json_integer(nodes[i].parent) : json_null());
    }
    t->functions = table(count);
    json_object_set_new(t->functions, "name", name);
    json_object_set_new(t->functions, "isJS", repeated(count, json_false()));
    json_object_set_new(t->functions, "relevantForJS", repeated(count, json_false()));
    json_object_set_new(t->functions, "resource", repeated(count, json_integer(-1)));
    json_object_set_new(t->functions, "fileName", file);
    json_object_set_new(t->functions, "lineNumber", line);
    json_object_set_new(t->functions, "columnNumber", repeated(count, json_null()));
    t->frames = table(n);
    json_object_set_new(t->frames, "address", repeated(n, json_integer(-1)));
    json_object_set_new(t->frames, "inlineDepth", repeated(n, json_integer(0)));
    json_object_set_new(t->frames, "category", repeated(n, json_integer(0)));
    json_object_set_new(t->frames, "subcategory", repeated(n, json_integer(0)));
    json_object_set_new(t->frames, "func", func);
    json_object_set_new(t->frames, "nativeSymbol", repeated(n, json_null()));
    json_object_set_new(t->frames, "innerWindowID", repeated(n, json_integer(0)));
    json_object_set_new(t->frames, "implementation", repeated(n, json_null()));
    json_object_set_new(t->frames, "line", at);
    json_object_set_new(t->frames, "column", repeated(n, json_null()));
    t->stacks = table(n);
    json_object_set_new(t->stacks, "frame", frame);
    json_object_set_new(t->stacks, "category", repeated(n, json_integer(0)));
    json_object_set_new(t->stacks, "subcategory", repeated(n, json_integer(0)));
    json_object_set_new(t->stacks, "prefix", prefix);
}

static json_t *samples(const struct export_tree *e, enum export_metric k)
{
    json_t *stack = json_array(), *time = json_array(), *weight = json_array();
    double unit = export_is_time(e, k) ? 1e6 : 1, at = 0;
    for (size_t i = 0; i < e->node_count; i++) {
        if (!e->self[i][k])
            continue;
        json_array_append_new(stack, json_integer(i));
        json_array_append_new(time, json_real(at));
        json_array_append_new(weight, json_real((double)e->self[i][k] / unit));
        at += (double)e->self[i][k] / unit;
    }
    json_t *j = table(json_array_size(stack));
    json_object_set_new(j, "stack", stack);
    json_object_set_new(j, "time", time);
    json_object_set_new(j, "weight", weight);
    json_object_set_new(j, "weightType",
                        json_string(export_is_time(e, k) ? "tracing-ms" : "samples"));
    return j;
}

static json_t *thread(const struct export_tree *e, enum export_metric k, const struct tables *t)
{
    static const char *const markers[] = { "data",  "name",     "startTime", "endTime",
                                           "phase", "category", NULL };
    static const char *const resources[] = { "lib", "name", "host", "type", NULL };
    static const char *const symbols[] = { "libIndex", "address", "name", "functionSize", NULL };
    json_t *j = json_object(), *empty;
    char *pid = format_text("%u", e->profile->totals.pid);
    json_object_set_new(j, "name", json_string(export_metrics[k]));
    json_object_set_new(j, "processName", json_string(e->program));
    json_object_set_new(j, "processType", json_string("default"));
    json_object_set_new(j, "processStartupTime", json_integer(0));
    json_object_set_new(j, "processShutdownTime", json_null());
    json_object_set_new(j, "registerTime", json_integer(0));
    json_object_set_new(j, "unregisterTime", json_null());
    json_object_set_new(j, "pausedRanges", json_array());
    json_object_set_new(j, "isMainThread", json_boolean(k == e->metric));
    json_object_set_new(j, "pid", json_string(pid));
    json_object_set_new(j, "tid", json_integer(k + 1));
    json_object_set_new(j, "samples", samples(e, k));
    json_object_set_new(j, "markers", empty = table(0));
    empty_columns(empty, markers);
    json_object_set_new(j, "resourceTable", empty = table(0));
    empty_columns(empty, resources);
    json_object_set_new(j, "nativeSymbols", empty = table(0));
    empty_columns(empty, symbols);
    json_object_set(j, "stackTable", t->stacks);
    json_object_set(j, "frameTable", t->frames);
    json_object_set(j, "funcTable", t->functions);
    json_object_set(j, "stringArray", t->strings);
    free(pid);
    return j;
}

static json_t *meta(const struct export_tree *e)
{
    static const char *const extensions[] = { "baseURL", "id", "name", NULL };
    json_t *j = json_object(), *none = table(0);
    empty_columns(none, extensions);
    json_object_set_new(j, "interval", json_integer(1));
    json_object_set_new(j, "startTime", json_real((double)e->profile->totals.start_unix_ns / 1e6));
    json_object_set_new(j, "processType", json_integer(0));
    json_object_set_new(j, "product", json_string(e->program));
    json_object_set_new(j, "importedFrom", json_string("libprof"));
    json_object_set_new(j, "stackwalk", json_integer(1));
    json_object_set_new(j, "debug", json_false());
    json_object_set_new(j, "version", json_integer(28));
    json_object_set_new(j, "preprocessedProfileVersion", json_integer(48));
    json_object_set_new(j, "symbolicated", json_true());
    json_object_set_new(j, "usesOnlyOneStackType", json_true());
    json_object_set_new(j, "doesNotUseFrameImplementation", json_true());
    json_object_set_new(j, "sourceCodeIsNotOnSearchfox", json_true());
    json_object_set_new(j, "markerSchema", json_array());
    json_object_set_new(j, "extensions", none);
    json_object_set_new(j, "categories",
                        json_pack("[{s:s, s:s, s:[s]}]", "name", "Other", "color", "grey",
                                  "subcategories", "Other"));
    return j;
}

int export_firefox(const struct export_tree *e, FILE *out)
{
    struct tables t;
    json_t *j = json_object(), *threads = json_array();
    make_tables(e, &t);
    /* the chosen metric is the first */
    for (unsigned n = 0; n < EXPORT_METRICS; n++) {
        unsigned k = n == 0 ? e->metric : n <= e->metric ? n - 1 : n;
        if (e->total[k] || k == e->metric)              /* every thread holds all tables */
            json_array_append_new(threads, thread(e, k, &t));
    }
    json_decref(t.strings);
    json_decref(t.functions);
    json_decref(t.frames);
    json_decref(t.stacks);
    json_object_set_new(j, "meta", meta(e));
    json_object_set_new(j, "libs", json_array());
    json_object_set_new(j, "pages", json_array());
    json_object_set_new(j, "threads", threads);
    int r = json_dumpf(j, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    putc('\n', out);
    json_decref(j);
    return r;
}
