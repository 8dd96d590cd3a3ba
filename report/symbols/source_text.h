/* source_text.h - lines of the program's source, if it can be read.
 *
 * The debug information names the files, and a hostile profile may have chosen the debug
 * information. People pass pages on. So prof reads only regular files that are called like source
 * code, and a page holds only a few lines around each wanted one.
 */
#ifndef REPORT_SYMBOLS_SOURCE_TEXT_H
#define REPORT_SYMBOLS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "symbols/symbols.h"

struct source;
struct json_t;

/* A relative name is looked up in the directories of symbols_directories(S), then in the current
 * one. Each place is looked up in the profile's archive and in the folders of module_files.h first.
 * PROFILED_NS: when the program ran, in ns of CLOCK_REALTIME; 0: not known. */
struct source *source_new(const struct symbols *s, uint64_t profiled_ns);
void source_free(struct source *s);

/* The text of FILE, *SIZE bytes, and the time of its last change in ns of CLOCK_REALTIME. The
 * caller frees it. NULL: it cannot be shown; *WHY is the reason, in words. */
char *source_text(const struct source *s, const char *file, size_t *size, uint64_t *changed_ns,
                  const char **why);
/* The same. *PATH is the name under which the file was found; the caller frees it, too. */
char *source_find(const struct source *s, const char *file, size_t *size, uint64_t *changed_ns,
                  char **path, const char **why);
/* One line as valid UTF-8, without a carriage return at its end, cut if it is very long. The caller
 * frees it. */
char *source_line(const char *start, size_t length);

/* Asks for line LINE of FILE, a string that lives as long as S. If too many lines are asked for,
 * the first ones are kept. */
void source_want(struct source *s, const char *file, int line);

/* The wanted lines with those around them: a new reference to an array of {"file", "newer",
 * "first", "lines"}. "lines" is a run of lines, the first of which has the number "first". "newer":
 * the file is newer than the run of the program. */
struct json_t *source_json(struct source *s);

#endif
