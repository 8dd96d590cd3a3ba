/* source.h - lines of the program's source, if it can be read.
 *
 * A hostile profile may have chosen the debug information, which gives the names of the files. And
 * a page is made to be passed on. So prof reads only regular files whose names are those of source
 * code, and only a few lines around each wanted one.
 */
#ifndef REPORT_SYMBOLS_SOURCE_H
#define REPORT_SYMBOLS_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "symbols/symbols.h"

struct source;
struct json_t;

/* Relative names are searched in the directories where, by S, units were compiled, then in the
 * current directory. */
struct source *source_new(const struct symbols *s, uint64_t profiled_ns);
void source_free(struct source *s);

/* The text of FILE, *SIZE bytes (the caller frees it), and the time of its last change. NULL: it
 * cannot be shown; *WHY is the reason, in words. */
char *source_text(const struct source *s, const char *file, size_t *size, uint64_t *changed_ns,
                  const char **why);
/* One line as a new string: valid UTF-8, without its end, cut if it is very long. */
char *source_line(const char *start, size_t length);

/* Asks for line LINE of FILE, a string that lives as long as S. If there are too many, the first
 * ones asked for are kept. */
void source_want(struct source *s, const char *file, int line);

/* A new reference: an array of {"file", "newer", "first", "lines"}. "lines" is a run of lines, the
 * first of them numbered "first". "newer": the file is newer than the run of the program. */
struct json_t *source_json(struct source *s);

#endif
