/* output.h - the file that --output names. What stands there is kept until there is something to
 * put in its place, and a profile is never overwritten: `prof report -o app.prof`, meant to read
 * it, must not cost it.
 */
#ifndef REPORT_OUTPUT_OUTPUT_H
#define REPORT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "output/options.h"

struct output {
    FILE *stream;               /* to write to */
    const char *path;           /* NULL: stream is stdout */
    int fd;
    bool created;
};

/* Opens PATH (NULL: stdout), with O's width and colours as they suit a file. False: one line said
 * why not. */
bool output_open(struct output *out, struct options *o, const char *path);
/* After the command's STATUS: what was written goes into the file, unless it is nothing and STATUS
 * is not 0. Returns STATUS, or 2 after one line on stderr. */
int output_close(struct output *out, int status);
/* Whether PATH may be written over; false after one line on stderr: a profile is there. */
bool output_allowed(const char *path);

#endif
