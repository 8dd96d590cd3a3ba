/* pprof.c - pprof's profile.proto, gzip'ed: all metrics as columns of one file.
 *
 * A profile is one protobuf message. By protobuf's definition, concatenated messages are merged:
 * repeated fields are appended. So the file is written as a sequence of small messages, each with
 * one sample, location, function or text. This takes no memory beside the tree, however long the
 * paths are.
 *
 * The ids of functions are the tree's indexes plus 1. A text is written before it is first needed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "analysis/certainty.h"
#include "base/format.h"
#include "export/export.h"
#include "pprof.pb-c.h"
#include "profile/profile.h"

struct writer {
    const struct export_tree *tree;
    gzFile file;
    uint8_t *buffer;            /* one message */
    size_t buffer_size;
    int64_t texts;              /* the number of texts so far, which is the index of the next */
    int error;                  /* errno of the first write that failed, or 0 */
};

static int64_t at_most_int64(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void put(struct writer *w, const Pprof__Profile *part)
{
    size_t n = pprof__profile__get_packed_size(part);
    if (n > w->buffer_size) {
        w->buffer_size = 2 * n;
        w->buffer = format_memory(realloc(w->buffer, w->buffer_size));
    }
    pprof__profile__pack(part, w->buffer);
    if (n && gzwrite(w->file, w->buffer, n) != (int)n && !w->error)
        w->error = errno ? errno : EIO;
}

/* Writes TEXT, which is clean. Returns its index. */
static int64_t put_text(struct writer *w, const char *text)
{
    if (w->texts && !*text)
        return 0;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    part.n_string_table = 1;
    part.string_table = (char *[]){ (char *)text };
    put(w, &part);
    return w->texts++;
}

static int64_t put_foreign_text(struct writer *w, const char *text)
{
    char *clean = format_clean(text);
    int64_t index = put_text(w, clean);
    free(clean);
    return index;
}

static void put_sample_types(struct writer *w)
{
    const struct profile *p = w->tree->profile;
    for (unsigned k = 0; k < EXPORT_METRICS; k++) {
        Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
        Pprof__Profile part = PPROF__PROFILE__INIT;
        type.type = put_text(w, export_metrics[k]);
        type.unit = export_is_time(w->tree, k) ? put_text(w, "nanoseconds")
                    : k < EXPORT_IDLENESS      ? put_foreign_text(w, profile_unit(p))
                                               : put_text(w, "count");
        part.n_sample_type = 1;
        part.sample_type = (Pprof__ValueType *[]){ &type };
        if (k == w->tree->metric)
            part.default_sample_type = type.type;
        put(w, &part);
    }
}

/* Writes the start, the duration, and the period of samples. */
static void put_times(struct writer *w)
{
    const struct lpf_totals *t = &w->tree->profile->totals;
    Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    part.time_nanos = at_most_int64(t->start_unix_ns);
    part.duration_nanos = at_most_int64(t->elapsed_ns);
    if (t->sample_period_ns) {
        type.type = put_text(w, "cpu");
        type.unit = put_text(w, "nanoseconds");
        part.period_type = &type;
        part.period = at_most_int64(t->sample_period_ns);
    }
    put(w, &part);
}

static void put_comment(struct writer *w, char *text)
{
    Pprof__Profile part = PPROF__PROFILE__INIT;
    part.n_comment = 1;
    part.comment = (int64_t[]){ put_foreign_text(w, text) };
    put(w, &part);
    free(text);
}

/* Writes what a reader must know to judge the columns. */
static void put_comments(struct writer *w)
{
    const struct profile *p = w->tree->profile;
    const struct lpf_totals *t = &p->totals;
    put_comment(w, format_text("command: %s", profile_string(p, t->cmdline)));
    put_comment(w, format_text("clock: %s", profile_string(p, t->clock)));
    const char *caveat = certainty_caveat(w->tree->paths->summary, false);
    if (caveat)
        put_comment(w, format_text("the span is %s", caveat));
}

/* Writes one mapping, that of the program. Its flags claim that all names are known, so that
 * readers do not look for symbols. */
static void put_mapping(struct writer *w)
{
    const struct profile *p = w->tree->profile;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    mapping.id = 1;
    mapping.filename = put_text(w, w->tree->program);
    for (size_t i = 0; i < p->module_count; i++) {
        const struct lpf_module *m = &p->modules[i];
        if (strcmp(profile_string(p, m->path), profile_string(p, p->totals.exe)))
            continue;
        char digits[2 * sizeof m->build_id + 1] = "";
        for (uint32_t k = 0; k < m->build_id_len; k++)
            sprintf(digits + 2 * k, "%02x", m->build_id[k]);
        mapping.memory_start = m->start;
        mapping.memory_limit = m->end;
        mapping.build_id = put_text(w, digits);
        break;
    }
    mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers =
        mapping.has_inline_frames = true;
    part.n_mapping = 1;
    part.mapping = (Pprof__Mapping *[]){ &mapping };
    put(w, &part);
}

static void put_functions(struct writer *w)
{
    const struct export_tree *e = w->tree;
    int64_t *files = format_memory(calloc(e->file_count, sizeof *files));
    for (uint32_t i = 1; i < e->file_count; i++)
        files[i] = put_text(w, e->files[i]);
    for (uint32_t i = 0; i < e->function_count; i++) {
        Pprof__Function function = PPROF__FUNCTION__INIT;
        Pprof__Profile part = PPROF__PROFILE__INIT;
        function.id = i + 1;
        function.name = function.system_name = put_text(w, e->functions[i].name);
        function.filename = files[e->functions[i].file];
        part.n_function = 1;
        part.function = (Pprof__Function *[]){ &function };
        put(w, &part);
    }
    free(files);
}

static int compare_places(const void *a, const void *b, void *tree)
{
    const struct export_place *places = ((const struct export_tree *)tree)->places;
    const struct export_place *x = &places[*(const uint32_t *)a],
                              *y = &places[*(const uint32_t *)b];
    return x->function != y->function ? (x->function > y->function) - (x->function < y->function) :
           (x->line > y->line) - (x->line < y->line);
}

/* Writes one location for each function and line. Sets LOCATION to the id of each place. The tree
 * has inlined frames as if they had been called, so each is a location of its own. */
static void put_locations(struct writer *w, uint64_t *location)
{
    const struct export_tree *e = w->tree;
    size_t n = e->node_count + 1;
    uint32_t *order = format_memory(calloc(n, sizeof *order));
    uint64_t id = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, compare_places, (void *)e);
    for (size_t i = 0; i < n; i++) {
        if (!i || compare_places(&order[i - 1], &order[i], (void *)e)) {
            Pprof__Line line = PPROF__LINE__INIT;
            Pprof__Location to = PPROF__LOCATION__INIT;
            Pprof__Profile part = PPROF__PROFILE__INIT;
            line.function_id = e->places[order[i]].function + 1;
            line.line = e->places[order[i]].line;
            to.id = ++id;
            to.n_line = 1;
            to.line = (Pprof__Line *[]){ &line };
            part.n_location = 1;
            part.location = (Pprof__Location *[]){ &to };
            put(w, &part);
        }
        location[order[i]] = id;
    }
    free(order);
}

static void put_samples(struct writer *w, const uint64_t *location)
{
    const struct export_tree *e = w->tree;
    uint32_t path[EXPORT_PATH];
    uint64_t ids[EXPORT_PATH];
    int64_t values[EXPORT_METRICS];
    for (size_t i = 0; i < e->node_count; i++) {
        Pprof__Sample sample = PPROF__SAMPLE__INIT;
        Pprof__Profile part = PPROF__PROFILE__INIT;
        uint64_t any = 0;
        for (unsigned k = 0; k < EXPORT_METRICS; k++)
            any |= values[k] = at_most_int64(e->self[i][k]);
        if (!any)
            continue;
        sample.n_location_id = export_path(e, i, path);
        for (size_t k = 0; k < sample.n_location_id; k++)
            ids[k] = location[path[k]];
        sample.location_id = ids;
        sample.n_value = EXPORT_METRICS;
        sample.value = values;
        part.n_sample = 1;
        part.sample = (Pprof__Sample *[]){ &sample };
        put(w, &part);
    }
}

int export_pprof(const struct export_tree *e, FILE *out)
{
    struct writer w = { .tree = e };
    int fd = fflush(out) ? -1 : dup(fileno(out));
    if (fd < 0 || !(w.file = gzdopen(fd, "wb"))) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    uint64_t *location = format_memory(calloc(e->node_count + 1, sizeof *location));
    put_text(&w, "");           /* by the format, text 0 is empty */
    put_sample_types(&w);
    put_times(&w);
    put_comments(&w);
    put_mapping(&w);
    put_functions(&w);
    put_locations(&w, location);
    put_samples(&w, location);
    if (gzclose(w.file) != Z_OK && !w.error)
        w.error = errno ? errno : EIO;
    free(location);
    free(w.buffer);
    errno = w.error;
    return w.error ? -1 : 0;
}
