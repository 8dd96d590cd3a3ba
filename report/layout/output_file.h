/* output_file.h - the file that --output names. Its old content is kept until there is a new one. A
 * profile is never overwritten: a user may type `prof report -o app.prof` to read one.
 */
#ifndef REPORT_LAYOUT_OUTPUT_FILE_H
#define REPORT_LAYOUT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "layout/options.h"

struct output {
    FILE *stream;               /* the command writes to this */
    const char *path;           /* NULL: stream is stdout */
    int fd;                     /* PATH; -1: none */
    bool created;               /* PATH did not exist before */
};

/* Opens PATH; NULL or "-": stdout. For a file, sets O's width and turns colours off. False after
 * one line on stderr: PATH cannot be opened, or is a profile. */
bool output_open(struct output *out, struct options *o, const char *path);
/* Writes the output to the file. If the output is empty and STATUS, the command's exit status, is
 * not 0, the file stays as it was. Returns STATUS, or 2 after one line on stderr. */
int output_close(struct output *out, int status);
/* May PATH be overwritten? False after one line on stderr: it is a profile, or an archive of
 * one. */
bool output_allowed(const char *path);
/* The same of a new archive, which may replace an archive. */
bool output_replaces_archive(const char *path);

#endif
