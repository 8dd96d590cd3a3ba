/* options.h - how a command shows a profile: what a person asked for on the command line, and what
 * the terminal allows. */
#ifndef REPORT_OUTPUT_OPTIONS_H
#define REPORT_OUTPUT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OPTIONS_WIDTH = 140 };   /* columns where there is no terminal */
enum { OPTIONS_LIMIT = 20 };    /* rows, unless a person says otherwise */

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    enum form form;
    const char *sort;           /* a key of model_sort */
    const char *measure;        /* "default", "top", "topcaller", "local", "all" */
    size_t limit;               /* rows; 0: all */
    bool raw, totals, frames, cilkscale;
    bool paths, callers, lines; /* further views of the call paths, */
    bool physical, unfolded, effort;
    bool columns;               /* JSON: functions, lines, paths as columns (docs/VIEW.md) */
    const char *metric;         /* of paths_sort: what they are sorted by */
    const char *const *overhead; /* patterns, NULL-terminated */
    int width;                  /* columns */
    bool color;
    bool pager;                 /* wanted, where a terminal is */
};

/* Fills O with the defaults for output to OUT: its width, and whether it takes colours. */
void options_defaults(struct options *o, FILE *out);
/* Checks the values that a person gave. False after one line on stderr: one of them makes no
 * sense. */
bool options_check(const struct options *o);
/* Takes FORM for --json, --csv and the like. False after one line on stderr: another form was given
 * before. */
bool options_form(struct options *o, enum form form);
/* Reads TEXT as a number of something; false: it is none. */
bool options_number(const char *text, size_t *number);

#endif
