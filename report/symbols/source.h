/* source.h - lines of the program's source, where it can be read.
 *
 * The names of the files come out of debug information that a hostile profile may have chosen, and
 * a page is made to be handed on: only regular files whose names are those of source code are read,
 * and of them a few lines around each that was asked for.
 */
#ifndef REPORT_SYMBOLS_SOURCE_H
#define REPORT_SYMBOLS_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "symbols/symbols.h"

struct source;
struct json_t;

/* Relative names are looked for where S says that units were compiled, then in the current
 * directory. */
struct source *source_new(const struct symbols *s, uint64_t profiled_ns);
void source_free(struct source *s);

/* The text of FILE, *SIZE bytes (the caller frees it), and when it was changed. NULL: *WHY it
 * cannot be shown, in words. */
char *source_text(const struct source *s, const char *file, size_t *size, uint64_t *changed_ns,
                  const char **why);
/* One line of it as a fresh string: valid UTF-8, without its end, cut when it is very long. */
char *source_line(const char *start, size_t length);

/* Wants line LINE of FILE (lives as long as S); what was wanted first is kept when there is too
 * much. */
void source_want(struct source *s, const char *file, int line);

/* A new reference: an array of {"file", "newer", "first", "lines"}; each is a run of lines, the
 * first of them numbered FIRST; NEWER: the file is newer than the run. */
struct json_t *source_json(struct source *s);

#endif
